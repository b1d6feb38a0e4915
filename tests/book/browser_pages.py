"""Browser tabs for tests: one in a context of its own, or one in a context that many tests share.

The one that is shared keeps what the network brought, the scripts of all pages above all, and nothing else.
"""

from contextlib import contextmanager

IDLE = {}
"""The context of each browser in which no test has a tab now."""


def prepared(tab, view, scripts, heard):
    """The tab with its colours and size (scheme, width, height), what runs before each page's scripts, and
    {event: who hears of it}: of requests the context tells, for workers send some."""
    scheme, width, height = view
    tab.emulate_media(color_scheme=scheme)
    tab.set_viewport_size({"width": width, "height": height})
    for script in scripts:
        tab.add_init_script(script)
    for event, hears in heard.items():
        (tab.context if event == "request" else tab).on(event, hears)
    return tab


@contextmanager
def isolated_page(browser, view, scripts, heard):
    """Open a tab in a browser context of its own, closed afterwards."""
    context = browser.new_context()
    yield prepared(context.new_page(), view, scripts, heard)
    context.close()


@contextmanager
def shared_page(browser, view, scripts, heard):
    """Open a tab in the browser's shared context; in a new one while another test has a tab there, and after a test
    that failed with it."""
    context = IDLE.pop(browser, None) or browser.new_context()
    try:
        tab = prepared(context.new_page(), view, scripts, heard)
        yield tab
        origin = tab.evaluate("origin")
        tab.goto("about:blank")  # a page notes where its reader was when it is left
        context.new_cdp_session(tab).send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        tab.close()
        if "request" in heard:
            context.remove_listener("request", heard["request"])
    except BaseException:
        context.close()
        raise
    if IDLE.setdefault(browser, context) is not context:
        context.close()
