"""How soon a page's Python gives its first verdict, and what it fetches: the first time and later.

    python book/tools/live_times.py

The book was made with `make book LIVE=1`. The clock runs from the click on "Run Python
in this page" to the verdict on a right answer in code.
The work is the browser's, all its processes together.
"""

import json
import os
import re
import time

import psutil
from browser import browser, served
from live_check import ROOT, START

PAGE, QUESTION = "exercises/05_permutation.html", "permutation.all_pairs"
SPEED = 50e6 / 8  # bytes a second
PATIENCE = 120_000  # milliseconds


def right_answer():
    """The source of the reference."""
    notebook = json.loads((ROOT / "solutions/05_permutation.ipynb").read_text(encoding="utf-8"))
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    return "".join(cells[QUESTION.replace(".", "-") + "-answer"]["source"])


def processor_seconds():
    """What the browser's processes have worked until now."""
    times = []
    for process in psutil.Process().children(recursive=True):
        try:
            times.append(process.cpu_times())
        except psutil.NoSuchProcess:
            continue
    return sum(one.user + one.system for one in times)


def first_verdict(context, address):
    """Click, wait, answer, wait -> (seconds, seconds that the browser's processes worked)."""
    tab = context.new_page()
    tab.goto(f"{address}/{PAGE}", wait_until="networkidle")
    worked, began = processor_seconds(), time.perf_counter()
    tab.get_by_role("button", name="Run Python in this page").click()
    place = tab.locator(f"[data-question='{QUESTION}']")
    place.locator("textarea").fill(right_answer(), timeout=PATIENCE)
    place.get_by_role("button", name="Check", exact=True).click()
    place.locator(".fi-in-code .fi-verdict", has_text="Right on all").wait_for(timeout=PATIENCE)
    found = time.perf_counter() - began, processor_seconds() - worked
    tab.wait_for_timeout(3000)  # what is kept is being written
    tab.close()
    return found


def memory(context, address):
    """Bytes of an interpreter that has imported what a check needs."""
    tab = context.new_page()
    tab.goto(f"{address}/_static/live/LICENCES.txt")
    tab.evaluate(START)
    return tab.evaluate("async () => (await py.run('import fi_course.questions')).memory")


def fetched(html):
    """How much the buttons of the pages say they fetch -> sorted bytes."""
    pages = [*html.glob("notebooks/*.html"), *html.glob("exercises/*.html")]
    asked = re.compile(r'class="fi-live".* data-bytes="(\d+)"')
    said = (asked.search(page.read_text(encoding="utf-8")) for page in pages)
    return sorted({int(found[1]) for found in said})


def main():
    html = ROOT / "_build/html"
    for size in fetched(html):
        print(f"a page fetches  {size / 1e6:4.1f} MB, {size / SPEED:.1f} s at 50 Mbit/s")
    with served(html) as address, browser() as chrome:
        context = chrome.new_context()
        for when in ("the first time", "again", "again"):
            seconds, worked = first_verdict(context, address)
            print(f"{when:15} {seconds:4.1f} s from the click to the verdict, "
                  f"{worked:.1f} s of work; "
                  f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
        print(f"memory          {memory(context, address) / 1e6:4.0f} MB")


if __name__ == "__main__":
    main()
