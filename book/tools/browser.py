"""The built book in a real browser: the system's Chromium, never one that a package downloads."""

import shutil
import time
from contextlib import contextmanager
from threading import Thread

from serve import Quiet, server_of

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first is the same Chromium without windows: a page opens in four fifths of the time."""
# no other host is reached
FLAGS = ("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
         "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--disable-background-networking",
         "--disable-component-update", "--disable-sync")
# A formula is set once its twin for screen readers stands beside it;
# an explorable is there once it is drawn, or says why not.
SETTLED = """() => [...document.querySelectorAll('.math, .amsmath')]
    .every((math) => math.querySelector('mjx-assistive-mml math'))
    && document.querySelectorAll('.explorable, .explorable-error').length
       >= document.querySelectorAll('script[type$="widget-view+json"]').length"""


def chromium():
    """The path of the system's Chromium."""
    for path in map(shutil.which, NAMES):
        if path:
            return path
    raise SystemExit(f"No Chromium on the path (looked for {', '.join(NAMES)}): "
                     "install it with the system's package manager.")


@contextmanager
def browser():
    """A running browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chrome = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        yield chrome
        chrome.close()


def until(tab, expression, arg=None, seconds=30):
    """Wait until a JavaScript expression or function is true in the tab.

    The pages' Content-Security-Policy forbids the `eval` of Playwright's own `wait_for_function`.
    """
    end = time.monotonic() + seconds
    while not tab.evaluate(expression, arg):
        if time.monotonic() > end:
            raise TimeoutError(f"not true within {seconds} s: {expression}")
        time.sleep(0.02)


def settle(tab):
    """Wait until the page that the tab has loaded is complete:
    nothing that a reader sees will still move."""
    until(tab, SETTLED)
    tab.evaluate("() => window.MathJax?.startup?.promise")  # an evaluated promise is waited for


@contextmanager
def served(folder, handler=Quiet):
    """The address under which the folder is served meanwhile."""
    server = server_of(folder, handler=handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    server.server_close()
