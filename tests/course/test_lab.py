"""A student's day in a real JupyterLab, as `make lab` opens it: a chapter, a set, and the file handed in."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest

ROOT = Path(__file__).resolve().parents[2]
IDLE = ".jp-NotebookPanel:visible .jp-Notebook-ExecutionIndicator[data-status='idle']"
RED = "[data-mime-type='application/vnd.jupyter.stderr'], [data-mime-type='application/vnd.jupyter.error']"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Start what `make lab` starts, in a folder of its own -> (address, folder)."""
    folder, home = tmp_path_factory.mktemp("lab"), tmp_path_factory.mktemp("home")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, str(ROOT / "book/tools/lab.py"), "--folder", str(folder), "--no-browser",
               f"--port={port}", "--allow-root", "--IdentityProvider.token=t"]
    address = f"http://127.0.0.1:{port}/?token=t"
    with subprocess.Popen(command, env={**os.environ, "HOME": str(home)}, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as server:
        for _ in range(200):
            with suppress(ConnectionError, urllib.error.URLError):
                urllib.request.urlopen(address, timeout=30).close()
                break
            time.sleep(0.3)
        yield address, folder
        server.terminate()


@pytest.fixture
def tab(lab, browser, request):
    """JupyterLab with nothing open but the start page, whatever another test has left open."""
    tab = browser.new_page(viewport={"width": 1400, "height": 1400})
    tab.goto(lab[0].replace("/?", f"/lab/workspaces/{request.node.name}/tree/start.ipynb?"))
    tab.locator(".jp-NotebookPanel:visible").wait_for(timeout=60_000)
    yield tab
    tab.close()


def opened(tab, title):
    """Click a link of the start page, and wait for its notebook's kernel: before it connects "idle" is shown, too."""
    tab.locator("#jp-main-dock-panel .lm-TabBar-tab", has_text="start.ipynb").click()
    tab.get_by_role("link", name=title, exact=True).click()
    tab.locator(".jp-NotebookPanel:visible h1", has_text=title).wait_for()
    end = time.monotonic() + 90
    for _ in range(3):
        tab.wait_for_timeout(500)
        while not is_ready(tab):
            assert time.monotonic() < end, f"the kernel of {title!r} is not ready after 90 s"
            tab.wait_for_timeout(200)


def is_ready(tab):
    """Whether both kernels, the start page's and the notebook's, are idle, for the server and on the page -> bool."""
    sessions = tab.evaluate("async () => (await fetch('/api/sessions?token=t')).json()")
    states = [one["kernel"]["execution_state"] for one in sessions if one["kernel"]["connections"]]
    return len(states) > 1 and set(states) == {"idle"} and tab.locator(IDLE).count() > 0


def choose(tab, menu, entry):
    tab.locator(".lm-MenuBar-item", has_text=menu).click()
    tab.locator(".lm-Menu-itemLabel", has_text=re.compile(f"^{entry}$")).click()


def until_idle(tab):
    tab.wait_for_timeout(500)
    tab.locator(IDLE).wait_for(timeout=180_000)


def run_all(tab):
    """Run all cells, and wait until no number is missing."""
    choose(tab, "Run", "Run All Cells")
    prompts, end = tab.locator(".jp-NotebookPanel:visible .jp-CodeCell .jp-InputPrompt"), time.monotonic() + 240
    while "[*]" in (shown := " ".join(prompts.all_text_contents())) or not re.search(r"\[\d", shown):
        assert time.monotonic() < end, f"after 240 s the cells show {shown}"
        tab.wait_for_timeout(300)
    until_idle(tab)


def until_run(cell, keys):
    """Press keys that run this cell, and wait until it has run once more."""
    number = cell.locator(".jp-InputPrompt")
    before, end = number.inner_text(), time.monotonic() + 90
    for key in keys:
        cell.page.keyboard.press(key)
    while number.inner_text() in (before, "[*]:"):
        assert time.monotonic() < end, f"{number.inner_text()} after 90 s"
        cell.page.wait_for_timeout(50)
    until_idle(cell.page)


def on_top(tab):
    tab.mouse.move(800, 700)
    tab.mouse.wheel(0, -100_000)


def scrolled_to(tab, selector):
    """Scroll from the top to what is not rendered before it is near, again while cells still run -> locator."""
    for pause in (50, 100, 200, 400, 800):
        on_top(tab)
        for _ in range(60):
            if tab.locator(selector).count():
                tab.locator(selector).first.scroll_into_view_if_needed()
                return tab.locator(selector).first
            tab.mouse.wheel(0, 600)
            tab.wait_for_timeout(pause)
    raise AssertionError(f"{selector} is nowhere in the notebook")


def test_a_chapter_is_read_as_in_the_book(lab, tab):
    """Hidden code is collapsed, explorables move or say why not, claims lead to the ledger, and nobody asks."""
    assert "solutions" not in tab.locator(".jp-DirListing-content").inner_text()
    assert "Nbgrader" not in tab.locator(".lm-MenuBar-content").inner_text()
    opened(tab, "1 · Trees that explain themselves")
    run_all(tab)
    explorable = scrolled_to(tab, ".explorable:visible")
    assert scrolled_to(tab, ".jp-Cell .jp-Placeholder").count(), "hidden code is collapsed"
    scrolled_to(tab, ".explorable:visible")
    sentence = explorable.locator(".explorable-sentence")
    before, grip = sentence.inner_text(), explorable.locator(".explorable-grip").first.bounding_box()
    at = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    tab.mouse.move(*at)
    tab.mouse.down()
    tab.mouse.move(at[0] + 300, at[1], steps=5)
    tab.mouse.up()
    dragged = sentence.inner_text()
    assert dragged != before
    name, wish = explorable.evaluate("""one => { const [name, labels] = Object.entries(one.explorable.labels).at(-1);
        return [name, labels.indexOf(one.querySelector('output').textContent), labels][1] < 0 ? [name, labels[0]]
            : [name, one.querySelector('output').textContent]; }""")
    explorable.get_by_role("slider").first.press("Home")
    explorable.evaluate("""(one, wish) => one.closest('.jp-Cell').insertAdjacentHTML('beforeend',
        `<a href="#set:${wish}">set it</a>`)""", f"{name}={quote(wish)}")
    assert sentence.inner_text() != dragged
    tab.get_by_text("set it").click()
    assert sentence.inner_text() == dragged
    for leads_to in ("The claims ledger", scrolled_to(tab, ".fi-claim a").inner_text()):
        scrolled_to(tab, ".fi-claim a").click()
        tab.locator(".jp-Notebook:visible", has_text=leads_to).wait_for()
        tab.wait_for_timeout(2000)
        assert tab.locator(".jp-Notebook:visible :is(h1, h3)", has_text=leads_to).bounding_box()["y"] < 1400
        tab.locator("#jp-main-dock-panel .lm-TabBar-tab", has_text="01_trees").click()
    assert tab.get_by_text("Jupyter news").count() == 0
    choose(tab, "File", "Save Notebook")
    choose(tab, "Kernel", "Shut Down Kernel")
    tab.reload()
    tab.locator(".jp-NotebookPanel:visible h1", has_text="Trees").wait_for(timeout=60_000)
    until_idle(tab)
    scrolled_to(tab, ".explorable-still")
    tab.get_by_text("Run this cell to bring the controls back.").first.wait_for()
    assert not tab.get_by_text(re.compile("model not found|Loading widget")).first.is_visible()


def answered(tab, name, source):
    """Type over the answer's cell and run it and its check, by keyboard -> what the check shows."""
    cells = tab.locator(".jp-CodeCell:visible", has_text=name)
    cells.first.locator(".cm-content").click()
    tab.keyboard.press("Control+a")
    tab.keyboard.insert_text(source)
    check = tab.locator(".jp-CodeCell:visible", has_text=f"check({name})")
    until_run(check, ("Shift+Enter", "Shift+Enter"))
    assert check.locator(RED).count() == 0 and check.locator(".jp-OutputArea-output").count() == 1
    return check.locator(".jp-OutputArea-output").inner_text()


def test_a_set_is_worked_and_handed_in(lab, tab):
    """Run All shows nothing red; an answer is wrong, right, and broken; the last cell writes what is saved."""
    opened(tab, "Exercises 1: Trees that explain themselves")
    run_all(tab)
    on_top(tab)
    untouched = tab.locator(".jp-CodeCell:visible", has_text="check(average_of_all)")
    untouched.get_by_text("Not started").wait_for(timeout=90_000)
    assert tab.locator(RED).count() == 0
    assert "mean of two means" in answered(tab, "average_of_all", "average_of_all = 55")
    assert not tab.get_by_text("Hint 2 of").first.is_visible()
    tab.get_by_text("Hint 1 of").first.click()
    assert tab.get_by_text("Hint 2 of").first.is_visible()
    assert "save (Ctrl+S)" in answered(tab, "average_of_all", "average_of_all = 60")
    assert "Your cell stopped with SyntaxError" in answered(tab, "average_of_all", "average_of_all = (")
    assert "Right." in answered(tab, "average_of_all", "average_of_all = 60")
    last = scrolled_to(tab, ".jp-CodeCell:has-text('hand_in()')")

    def handed_in():
        last.locator(".cm-content").click()
        until_run(last, ("Control+Enter",))
        return last.locator(".jp-OutputArea-output").inner_text()

    said = handed_in()
    assert "Save first" in said and "trees.recall_mean" in said
    tab.keyboard.press("Control+s")
    tab.wait_for_timeout(1000)
    said, file = handed_in(), lab[1] / "exercises/01_trees.zip"
    assert f"Wrote {file}" in said and "1 of 19 points" in said
    assert b"average_of_all = 60" in zipfile.ZipFile(file).read("01_trees.ipynb")
