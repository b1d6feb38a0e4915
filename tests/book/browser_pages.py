"""Browser tabs for tests: an isolated one, or one that many tests share.

The one that lasts keeps what the network brought, the scripts of all pages above all,
and nothing else.
"""

from contextlib import contextmanager

NOTHING = "about:blank"
IDLE = {}
"""The tab of each browser that nobody has now."""


def teller(tab, event):
    """Return the object that emits an event: the context for requests (workers send some),
    else the tab."""
    return tab.context if event == "request" else tab


@contextmanager
def isolated_page(browser, view, scripts, heard):
    """Open a tab in a browser context of its own, closed afterwards."""
    scheme, width, height = view
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    for script in scripts:
        context.add_init_script(script)
    tab = context.new_page()
    for event, hears in heard.items():
        teller(tab, event).on(event, hears)
    yield tab
    context.close()


class SharedTab:
    """A tab that is reset between tests."""

    def __init__(self, browser):
        self.context = browser.new_context()
        self.tab = self.context.new_page()
        self.protocol = self.context.new_cdp_session(self.tab)
        self.protocol.send("Page.enable")  # else no script runs before a page's own

    def prepare(self, view, scripts, heard):
        """Its colours and size (scheme, width, height); what runs before each page's scripts;
        {event:
        who hears of it} -> how to undo it."""
        scheme, width, height = view
        self.tab.emulate_media(color_scheme=scheme)
        self.tab.set_viewport_size({"width": width, "height": height})
        added = [self.protocol.send("Page.addScriptToEvaluateOnNewDocument", {"source": script})
                 for script in scripts]
        for event, hears in heard.items():
            teller(self.tab, event).on(event, hears)

        def undo():
            for event, hears in heard.items():
                teller(self.tab, event).remove_listener(event, hears)
            for script in added:
                self.protocol.send("Page.removeScriptToEvaluateOnNewDocument", script)

        return undo

    def forget(self):
        """Leave the page and clear its storage."""
        origin = self.tab.evaluate(
            "() => { sessionStorage.clear(); localStorage.clear(); return origin; }")
        self.tab.goto(NOTHING)
        self.tab.emulate_media(media="null", reduced_motion="null", forced_colors="null")
        self.protocol.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})


@contextmanager
def shared_page(browser, view, scripts, heard):
    """The browser's shared tab, prepared; a new one while somebody has it, and after a test
    that failed with it."""
    shared = IDLE.pop(browser, None) or SharedTab(browser)
    undo = shared.prepare(view, scripts, heard)
    try:
        yield shared.tab
        undo()
        shared.forget()
    except BaseException:
        shared.context.close()
        raise
    if IDLE.setdefault(browser, shared) is not shared:
        shared.context.close()
