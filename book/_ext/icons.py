"""Of the theme's 1,400 icons the pages show a dozen:
its fonts and its style sheet carry those alone.

The theme draws icons twice, from fonts and from a script of 1.5 MB; the fonts suffice.
They come with a rule for each icon's name and a glyph for each rule, a quarter of a megabyte
that every page would ask for.
"""

import re
from io import BytesIO
from pathlib import Path

import pydata_sphinx_theme
from fontTools import subset
from fontTools.ttLib import TTFont

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static"
SHEET, FONTS, SCRIPT = ("styles/pydata-sphinx-theme.css", "vendor/fontawesome/webfonts",
                        "scripts/fontawesome.js")
ICON = re.compile(r"((?:\.fa-[\w-]+:before,?)+)\{content:[^}]*\}")
NAME = re.compile(r"fa-[a-z0-9-]+")
COMPRESSED = re.compile(r"url\([^)]*/fa-[\w-]+\.woff2\) format\(\"woff2\"\),")
PRIVATE = range(0xE000, 0xF900)
"""Where Unicode lets a font have signs of its own."""


def thin(sheet, used):
    """A style sheet with the rules of the icons that are used, and with fonts
    that are not compressed -> str.

    >>> thin('.fa-a:before,.fa-b:before{content:"1"}.fa-c:before{content:"2"}p{}', {"fa-b"})
    '.fa-a:before,.fa-b:before{content:"1"}p{}'
    """
    return COMPRESSED.sub("",
                          ICON.sub(lambda rule: rule[0] if used & set(NAME.findall(rule[1]))
                                   else "", sheet))


def signs_in(text):
    """The signs that a style sheet or a page asks a font for -> set of code points.

    >>> sorted(map(hex, signs_in('a{content:"\\\\f078"} \\uf002')))
    ['0xf002', '0xf078']
    """
    escaped = {int(digits, 16) for digits in re.findall(r"\\([0-9a-fA-F]{4})\b", text)}
    return {sign for sign in escaped | set(map(ord, set(text))) if sign in PRIVATE}


def with_signs(font, signs):
    """A font's file with these signs alone -> bytes."""
    font = TTFont(font, recalcTimestamp=False)
    few = subset.Subsetter()
    few.populate(unicodes=signs)
    few.subset(font)
    file = BytesIO()
    font.save(file)
    return file.getvalue()


def carry_few(app, error):
    """Write the theme's style sheet and fonts anew, from the theme's own."""
    static = Path(app.outdir, "_static")
    if error is not None or not (static / SHEET).exists():
        return
    (static / SCRIPT).write_text("// Icons come from fonts.\n")
    texts = [path.read_text(encoding="utf-8") for pattern in ("**/*.html", "_static/**/*.js")
             for path in Path(app.outdir).glob(pattern)]
    sheet = thin((THEME / SHEET).read_text(encoding="utf-8"),
                 {name for text in texts for name in NAME.findall(text)})
    (static / SHEET).write_text(sheet, encoding="utf-8")
    signs = set().union(*map(signs_in,
                             [*texts,
                              *(path.read_text(encoding="utf-8")
                                for path in static.glob("**/*.css"))]))
    for font in (THEME / FONTS).glob("*.ttf"):
        (static / FONTS / font.name).write_bytes(with_signs(font, signs))
        (static / FONTS / f"{font.stem}.woff2").unlink(missing_ok=True)


def setup(app):
    app.connect("build-finished", carry_few)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
