"""Make one PDF of the built book: the pages in their order, as the system's Chromium prints them.

    python book/tools/pdf.py

Contents with page numbers in front; answers open;
a link that leaves the book is a footnote, one that stays in it leads to its page.
Every page is printed once: how many sheets come before it is known by then,
the contents are printed last.
"""

import io
import re
from html import unescape
from pathlib import Path

from browser import browser, served, settle
from jinja2 import Environment
from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, NameObject
from sphinx_external_toc.parsing import parse_toc_yaml
from tqdm import tqdm

ROOT = Path(__file__).resolve().parents[2]
PDF = ROOT / "_build/which-features-matter.pdf"
CONTENTS = ROOT / "book/templates/contents.html"
TITLE = re.compile(r"<title>\s*(.*?)\s*(?: — .*?)?</title>", re.DOTALL)  # without the book's name
WIDTH = 660  # pixels between the margins of A4: what draws itself does so for the sheet
SHOWN = "localStorage.setItem('which-features-matter', JSON.stringify({ settings: { all: true } }))"
SHEET = """@page {{ size: A4; margin: 16mm 17mm 16mm;
  @bottom-center {{ content: counter(page); font: 9pt sans-serif; color: #555; }} }}
@page cheatsheet {{ size: A4 landscape; margin: 8mm; @bottom-center {{ content: none; }} }}
html {{ counter-reset: page {before}; }}"""
PREPARE = """() => {
  document.querySelectorAll('.bd-article details:not(.fi-code)')
    .forEach((answer) => { answer.open = true; });
  const article = document.querySelector('.bd-article'), notes = [];
  for (const link of article.querySelectorAll('a[href]')) {
    if (!/^https?:/.test(link.href) || link.origin === location.origin) continue;
    if (!notes.includes(link.href)) notes.push(link.href);
    const mark = document.createElement('sup');
    mark.textContent = ` ${notes.indexOf(link.href) + 1}`;
    link.after(mark);
  }
  if (!notes.length) return;
  const list = document.createElement('ol');
  list.className = 'fi-links';
  for (const href of notes)
    list.append(Object.assign(document.createElement('li'), { textContent: href }));
  article.append(list);
}"""
STYLE = """.fi-links { border-top: 1px solid #999; font-size: 8pt; margin-top: 1.5rem;
  overflow-wrap: anywhere; padding-top: .5rem; }
.explorable-controls, .headerlink { display: none !important; }"""


def printed(tab, before):
    """The page in the tab as a PDF, its first sheet numbered before + 1 -> PdfReader."""
    tab.add_style_tag(content=STYLE + SHEET.format(before=before))
    return PdfReader(io.BytesIO(tab.pdf(prefer_css_page_size=True)))


def contents(tab, pages, titles, numbers):
    """The contents, on sheets that begin with 1 -> PdfReader."""
    template = Environment(autoescape=True).from_string(CONTENTS.read_text(encoding="utf-8"))
    tab.set_content(template.render(entries=list(zip(pages, titles, numbers, strict=True))))
    return printed(tab, 0)


def lead_inside(writer, address, sheets):
    """Links to the served book lead to sheets of this PDF, or nowhere if their page is not in it.

    sheets : {page: its first sheet, from 0}
    """
    for note in (note.get_object() for page in writer.pages for note in page.get("/Annots") or []):
        uri = str((note.get("/A") or {}).get("/URI", ""))
        if uri.startswith(address):
            del note["/A"]
            page = uri.removeprefix(f"{address}/").partition("#")[0].removesuffix(".html")
            if page in sheets:
                sheet = writer.pages[sheets[page]].indirect_reference
                note[NameObject("/Dest")] = ArrayObject([sheet, NameObject("/Fit")])


def make(chrome, only=(), target=PDF):
    """Print, number and join the pages (all, or only these) -> how many sheets."""
    html, writer = ROOT / "_build/html", PdfWriter()
    toc = parse_toc_yaml(ROOT / "_toc.yml")
    parts = {str(tree.items[0]): tree.caption for tree in toc.root.subtrees}
    pages = [(parts.get(page, ""), page) for page in toc if not only or page in only]
    titles = [unescape(TITLE.search((html / f"{page}.html").read_text(encoding="utf-8"))[1])
              for _, page in pages]
    with served(html) as address:
        context = chrome.new_context(color_scheme="light",
                                     viewport={"width": WIDTH, "height": 1000})
        front, tab = context.new_page(), context.new_page()
        tab.add_init_script(SHOWN)
        printouts, first = [], [len(contents(front, pages, titles, [1] * len(pages)).pages)]
        for _, page in tqdm(pages, unit="page"):
            tab.goto(f"{address}/{page}.html")
            settle(tab)
            tab.emulate_media(media="print")
            tab.evaluate(PREPARE)
            tab.evaluate(
                "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))")
            printouts.append(printed(tab, first[-1]))
            first.append(first[-1] + len(printouts[-1].pages))
        *first, sheets = first
        writer.append(contents(front, pages, titles, [number + 1 for number in first]))
        for printout, title, number in zip(printouts, titles, first, strict=True):
            writer.append(printout, import_outline=False)
            writer.add_outline_item(title=title, page_number=number)
        names = (page for _, page in pages)
        lead_inside(writer, address, dict(zip(names, first, strict=True)))
    writer.add_metadata({"/Title": "Which Features Matter?"})
    writer.compress_identical_objects()
    writer.write(target)
    return sheets


if __name__ == "__main__":
    with browser() as chrome:
        sheets = make(chrome)
    print(f"wrote {PDF.relative_to(ROOT)}: {sheets} sheets, {PDF.stat().st_size / 1e6:.1f} MB")
