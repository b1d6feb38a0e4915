"""Take the picture of the book that README shows: chapter 1 at its first explorable, by day.

    python book/tools/picture.py
"""

from pathlib import Path

from browser import browser, served, settle

from fi_teach.plots.alt_text import in_256_colours

ROOT = Path(__file__).resolve().parents[2]
PAGE = "notebooks/01_trees.html"
UNGATED = """localStorage.setItem("which-features-matter", '{"settings": {"all": true}}')"""
PICTURE = ROOT / "book/images/book.png"


def main():
    with served(ROOT / "_build/html") as address, browser() as chrome:
        page = chrome.new_page(viewport={"width": 1200, "height": 750}, color_scheme="light")
        page.add_init_script(UNGATED)
        page.goto(f"{address}/{PAGE}", wait_until="load")
        settle(page)
        page.locator(".explorable").first.evaluate(
            "explorable => explorable.scrollIntoView({block: 'center'})")
        PICTURE.write_bytes(in_256_colours(page.screenshot()))
    print(f"wrote {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
