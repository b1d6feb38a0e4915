"""Words that run as a program where somebody shows them as anything but text."""

RUNS = "window.owned=1;document.title=`owned`;void(0)"
"""What each of them would do: a mark in the page, and in its title."""

IMAGE = f"<img src=x onerror='{RUNS}'>"
BREAKS_OUT = (f"```\n```\n\n{IMAGE}\n", f"    \n```````\n{IMAGE}", f"~~~\n{IMAGE}\n~~~", f"\r\n```\r\n{IMAGE}\r",
              f"`` ` ``{IMAGE}`",
              f"\u2028```\u2028\u2028{IMAGE}", f"\x0b```\x0c\n{IMAGE}", f"\x85```\x85{IMAGE}", f"\0```\0\n{IMAGE}",
              f"\t```\n\n\n{IMAGE}",
              f"</code></pre>{IMAGE}", f"</textarea></title></style>{IMAGE}", f"<!--\n-->{IMAGE}", f"<pre>\n\n{IMAGE}",
              f"> {IMAGE}\n- {IMAGE}\n1. {IMAGE}")
"""Each tries to end the listing that it is shown in."""

PROSE = {
    "an image that fails": f"The share was higher.\n\n{IMAGE}\n",
    "a script": f"<script>{RUNS}</script>",
    "a drawing that loads": f"<svg onload='{RUNS}'><animate onbegin='{RUNS}' attributeName=x dur=1s></svg>",
    "a frame": f"<iframe srcdoc=\"<script>parent.{RUNS.replace(';document', ';parent.document')}</script>\"></iframe>",
    "a detail that opens": f"<details open ontoggle='{RUNS}'>x</details><style>@keyframes x{{}}</style><p "
    f"style='animation-name:x' onanimationstart='{RUNS}'>x</p>",
    "a form of one's own": f"<input autofocus onfocus='{RUNS}'><form action='javascript:{RUNS}'><button "
    "id=click>x</button></form>",
    "a link to a script": f"[x](javascript:{RUNS}) <a id=click href='javascript:{RUNS}'>x</a> <javascript:{RUNS}>",
    "a link to data": "[x](data:text/html;base64,PHNjcmlwdD4xPC9zY3JpcHQ+) "
    "![x](data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=) [x]: javascript:1",
    "a formula with a link": rf"$\href{{javascript:{RUNS}}}{{x}}$ $$\href{{javascript:{RUNS}}}{{x}}$$ "
    rf"\(\href{{javascript:{RUNS}}}{{x}}\)",
    "a formula with a tag": f"$x<img src=x onerror='{RUNS}'>$\n\n$$\n```\n{IMAGE}\n$$\n\n"
    f"\\begin{{equation}}{IMAGE}\\end{{equation}}",
    "a reference": f"[a]: x 'y{IMAGE}'\n\n[a]\n\n![{IMAGE}](x \"{IMAGE}\")",
    "a table": f"|a|b|\n|-|-|\n|{IMAGE}|x|\n",
    "half a character": f"\ud800 {IMAGE} \udcff",
    "letters turned round": f"\u202e{IMAGE}\u202c\u200b\ufeff",
    **{f"a fence that ends {k + 1}": text for k, text in enumerate(BREAKS_OUT)},
}
"""Prose by what is in it; each has the words that anybody may read, too."""
