"""Take the picture of the book that README shows: the first screen of chapter 1, by day.

    python book/tools/picture.py
"""

from pathlib import Path

from browser import browser, served, settle

ROOT = Path(__file__).resolve().parents[2]
PAGE = "notebooks/01_trees.html"
PICTURE = ROOT / "book/images/book.png"


def main():
    with served(ROOT / "_build/html") as address, browser() as chrome:
        page = chrome.new_page(viewport={"width": 1200, "height": 750}, color_scheme="light")
        page.goto(f"{address}/{PAGE}", wait_until="load")
        settle(page)
        page.screenshot(path=PICTURE)
    print(f"wrote {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
