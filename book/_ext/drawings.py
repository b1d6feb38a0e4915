"""The central idea of each chapter as a small drawing without data:
at the chapter's opening, and on the start page's cards.

A drawing is a function that returns marks on a sheet of 240 by 130;
its docstring is what it shows, in words: its title for screen readers.
Hues are those of the figures (fi_teach.plots.colours), so drawings follow light and dark.
"""

from html import escape
from math import cos, pi, sin

from fi_teach.plots.colours import HUES

WIDTH, HEIGHT = 240, 130
INKS = {"ink": ("#1f2328", "#e8eaed"), "quiet": ("#6e7781", "#a4abb5"),
        "paper": ("#ffffff", "#1b1d22")}
STYLE = ";".join(f"--{name}:light-dark({light},{dark})"
                 for name, (light, dark) in {**HUES, **INKS}.items())


# ---- marks: each returns a piece of SVG ----------------------------------------------------------


def tag(name, content="", **attributes):
    words = "".join(f' {key.rstrip("_").replace("_", "-")}="{value:g}"'
                    if isinstance(value, (int, float))
                    else f' {key.rstrip("_").replace("_", "-")}="{value}"'
                    for key, value in attributes.items())
    return f"<{name}{words}>{content}</{name}>"


def hue(name):
    return f"var(--{name})"


def disc(x, y, colour="c0", r=7, **more):
    return tag("circle", cx=x, cy=y, r=r, fill=hue(colour), **more)


def square(x, y, colour="c1", r=6):
    return tag("rect", x=x - r, y=y - r, width=2 * r, height=2 * r, fill=hue(colour))


def bar(x, y, width, height, colour="c0", **more):
    return tag("rect", x=x, y=y, width=width, height=height, fill=hue(colour), **more)


def frame(x, y, width, height, colour="quiet", **more):
    return tag("rect", x=x, y=y, width=width, height=height, fill="none", stroke=hue(colour),
               stroke_width=1.5, **more)


def line(x1, y1, x2, y2, colour="ink", width=1.5, **more):
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=hue(colour), stroke_width=width, **more)


def arrow(x1, y1, x2, y2, colour="ink", width=1.8, **more):
    """A line with a head at its end."""
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    u, v = (x2 - x1) / length, (y2 - y1) / length
    back = x2 - 8 * u, y2 - 8 * v
    head = (f"{x2:.1f},{y2:.1f} {back[0] - 4 * v:.1f},{back[1] + 4 * u:.1f} "
            f"{back[0] + 4 * v:.1f},{back[1] - 4 * u:.1f}")
    return line(x1, y1, *back, colour, width, **more) + tag("polygon", points=head,
                                                            fill=hue(colour))


def arc(x1, y1, x2, y2, bend, colour="ink"):
    """A bent arrow; bend is how far its middle lies to the side."""
    mx, my = (x1 + x2) / 2, (y1 + y2) / 2
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    cx, cy = mx - bend * (y2 - y1) / length, my + bend * (x2 - x1) / length
    shaft = tag("path", d=f"M{x1:.1f} {y1:.1f}Q{cx:.1f} {cy:.1f} {x2:.1f} {y2:.1f}", fill="none",
                stroke=hue(colour), stroke_width=1.6)
    return shaft + arrow(x2 + (cx - x2) * 0.05, y2 + (cy - y2) * 0.05, x2, y2, colour)


def words(x, y, text, colour="ink", size=11, anchor="middle", **more):
    return tag("text", escape(text), x=x, y=y, fill=hue(colour), font_size=size, text_anchor=anchor,
               **more)


def two_lines(x, y, text):
    """Words below a part of a drawing, in two lines of about one length:
    side by side they must not touch."""
    parted = [(text[:k], text[k + 1:]) for k, letter in enumerate(text) if letter == " "]
    upper, lower = min(parted, key=lambda lines: max(map(len, lines)))
    return [words(x, y, upper, "quiet", 9.5), words(x, y + 12, lower, "quiet", 9.5)]


# ---- the drawings --------------------------------------------------------------------------------


def trees():
    """One question parts a mixed group into two that are purer."""
    mixed = [disc(70 + 25 * k, 22) if k in (0, 2, 3) else square(70 + 25 * k, 22) for k in range(5)]
    left = [disc(38 + 22 * k, 108) for k in range(3)]
    right = [square(172 + 22 * k, 108) for k in range(2)]
    return [*mixed, arrow(105, 38, 66, 92), arrow(135, 38, 182, 92),
            words(120, 72, "?", size=20, font_weight=600), *left, *right]


def golf():
    """The same days, coded as numbers or kept as words: another feature comes first."""
    one = [bar(14, 40 + 18 * k, width, 12, colour)
           for k, (width, colour) in enumerate([(84, "c0"), (56, "c2"), (30, "c6")])]
    two = [bar(134, 40 + 18 * k, width, 12, colour)
           for k, (width, colour) in enumerate([(78, "c2"), (60, "c6"), (40, "c0")])]
    return [words(14, 26, "1, 2, 3", anchor="start"), words(134, 26, "sunny, rain", anchor="start"),
            *one, *two,
            words(120, 116, "one table, two winners", "quiet")]


def mdi():
    """What is mixed at the root is used up, split by split, like a telescope pushed together."""
    tubes = [(0, 200, "quiet"), (70, 130, "quiet"), (120, 80, "quiet")]
    drawn = [frame(20 + x, 24 + 28 * k, width, 18, colour)
             for k, (x, width, colour) in enumerate(tubes)]
    used = [bar(20, 24, 70, 18, "c0"), bar(90, 52, 50, 18, "c1"), bar(140, 80, 34, 18, "c0")]
    return [*drawn, *used, words(120, 118, "each split takes its part of the mixture", "quiet")]


def bias():
    """A column with many values offers many places to cut, and the best
    of many lucky cuts looks like knowledge."""
    few = [disc(20 + 50 * k, 34, "c0", 5) for k in range(5)]
    many = [disc(20 + 200 * k / 11, 86, "c1", 5) for k in range(12)]
    cuts = [line(45 + 50 * k, 20, 45 + 50 * k, 48, "ink", dashed) for k, dashed in ((1, 2.5),)]
    ticks = [line(20 + 200 * (k + 0.5) / 11, 72, 20 + 200 * (k + 0.5) / 11, 100,
                  "c1" if k == 6 else "quiet", 3 if k == 6 else 1.2) for k in range(11)]
    return [*few, *cuts, *many, *ticks, words(120, 62, "one cut to choose", "quiet", 10),
            words(120, 120, "eleven: the luckiest is taken", "quiet", 10)]


def permutation():
    """One column is shuffled beside the others and the answer; nothing else moves."""
    columns = [bar(40 + 44 * k, 24 + 18 * r, 30, 13, "quiet", fill_opacity=0.35) for k in (0, 2)
               for r in range(5)]
    shuffled = [bar(84, 24 + 18 * r, 30, 13, "c1") for r in range(5)]
    answer = [disc(196, 30.5 + 18 * r, "c0" if r % 2 else "ink", 5.5) for r in range(5)]
    swaps = [arc(116, 31, 116, 84, -26, "c1"), arc(82, 102, 82, 48, -26, "c1")]
    return [*columns, *shuffled, *answer, *swaps, words(55, 16, "x1", "quiet"), words(99, 16, "x2"),
            words(143, 16, "x3", "quiet"), words(196, 16, "y")]


def negative():
    """Every shuffle gives each row another row's value: all rows receive, all rows give."""
    at = [(120 + 50 * cos(pi * k / 3 - pi / 2), 64 + 46 * sin(pi * k / 3 - pi / 2))
          for k in range(6)]
    to = {0: 2, 2: 5, 5: 1, 1: 3, 3: 4, 4: 0}
    arrows = []
    for k, other in to.items():
        (x1, y1), (x2, y2) = at[k], at[other]
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        u, v = (x2 - x1) / length, (y2 - y1) / length
        arrows.append(arrow(x1 + 11 * u, y1 + 11 * v, x2 - 12 * u, y2 - 12 * v, "c1"))
    return [*arrows, *(disc(x, y, "c0", 9) for x, y in at), words(32, 28, "gives", "quiet", 10),
            words(206, 112, "receives", "quiet", 10)]


def correlated():
    """A shuffle of one of two features that go together makes rows that nobody has seen."""
    cloud = [disc(60 + 12 * k + 5 * sin(7 * k), 104 - 8 * k + 6 * cos(5 * k), "quiet", 4)
             for k in range(11)]
    strange = [square(70, 34, "c1", 5), square(96, 28, "c1", 5), square(168, 104, "c1", 5),
               square(186, 88, "c1", 5)]
    return [line(30, 116, 214, 116, "quiet"), line(30, 116, 30, 14, "quiet"), *cloud, *strange,
            words(84, 17, "never seen", "c1", 10), words(178, 74, "never seen", "c1", 10)]


def shapley():
    """Two players, two orders of arrival: each gets the mean of what it brings."""
    first = [bar(24, 34, 40, 20, "c0"), bar(64, 34, 100, 20, "c1")]
    second = [bar(24, 66, 60, 20, "c1"), bar(84, 66, 80, 20, "c0")]
    mean = [bar(24, 98, 60, 20, "c0"), bar(84, 98, 80, 20, "c1")]
    told = [words(176, 48 + 32 * k, text, anchor="start", size=10, colour="quiet")
            for k, text in enumerate(("A, then B", "B, then A", "mean"))]
    return [*first, *second, *mean, *told, words(44, 24, "A", "c0", font_weight=600),
            words(114, 24, "B", "c1", font_weight=600)]


def treeshap():
    """Three games: the gap that an absent feature leaves is filled from a row, from all rows, or
    from rows like this one."""
    drawn = []
    for k, (name, size) in enumerate(
        (("a row, as it is", 1), ("rows along the paths", 3), ("rows that are like it", 2))):
        x = 18 + 76 * k
        drawn += [bar(x, 26, 16, 16, "c0"), frame(x + 20, 26, 16, 16, "c1", stroke_dasharray="3 2"),
                  bar(x + 40, 26, 16, 16, "c2")]
        drawn += [disc(x + 28 + 13 * (j - (size - 1) / 2), 88, "c1", 5) for j in range(size)]
        drawn += [arrow(x + 28, 78, x + 28, 46, "c1"), *two_lines(x + 28, 108, name)]
    return drawn


def knockoffs():
    """Each feature fights its own double; a null wins or loses like a coin."""
    drawn = [line(120, 14, 120, 112, "ink", 1.5)]
    for k, (won, colour) in enumerate(
        ((76, "c0"), (54, "c0"), (-22, "quiet"), (18, "quiet"), (-13, "quiet"))):
        drawn.append(bar(min(120, 120 + won), 18 + 18 * k, abs(won), 11, colour))
    return [*drawn, words(62, 124, "the double wins", "quiet", 10),
            words(180, 124, "the feature wins", "quiet", 10)]


def causality():
    """A common cause makes a symptom important that changes nothing."""
    nodes = [disc(120, 28, "c2", 15), disc(52, 98, "c1", 15), disc(188, 98, "c0", 15)]
    told = [words(120, 32, "z", "paper", 12), words(52, 102, "x", "paper", 12),
            words(188, 102, "y", "paper", 12)]
    return [arrow(108, 40, 66, 82), arrow(132, 40, 174, 82),
            line(72, 98, 168, 98, "c1", 1.8, stroke_dasharray="5 4"), *nodes, *told,
            words(120, 90, "no arrow", "quiet", 10)]


def field():
    """A table, a split, a model, and something that crept from the answer into a column."""
    cells = [bar(24 + 30 * k, 22 + 16 * r, 25, 11, "c1" if k == 3 else "quiet",
                 fill_opacity=1 if k == 3 else 0.4) for k in range(4) for r in range(5)]
    answer = [disc(196, 27.5 + 16 * r, "c0", 6) for r in range(5)]
    return [*cells, *answer, line(16, 84, 212, 84, "ink", 1.5, stroke_dasharray="6 4"),
            arc(186, 22, 128, 16, -14, "c1"),
            words(120, 122, "which column knew too much?", "quiet")]


def choosing():
    """Four questions, and for each the measures that answer it: for the last there is none."""
    drawn = []
    for k, name in enumerate(("associated", "relevant", "used", "causal")):
        x = 34 + 58 * k
        drawn += [words(x, 22, name, "ink", 10), line(x, 30, x, 46, "quiet")]
        drawn += [bar(x - 17, 52 + 17 * r, 34, 11, f"c{k}") for r in range((3, 2, 3, 0)[k])]
    return [*drawn, frame(191, 52, 34, 45, "c3", stroke_dasharray="3 3"),
            words(208, 79, "?", "c3", 16), words(120, 122, "what do you want to know?", "quiet")]


def own_model():
    """One model and three printed charts that count different things:
    the same column is first, middle and last."""
    tree = [line(40, 26, 22, 52), line(40, 26, 58, 52), line(58, 52, 46, 78), line(58, 52, 72, 78)]
    nodes = [disc(40, 26, "ink", 6), disc(58, 52, "ink", 5), square(22, 54, "quiet", 5),
             square(46, 80, "quiet", 5), square(72, 80, "quiet", 5)]
    charts = []
    for k, (name, widths) in enumerate(
        (("how often", (38, 24, 12)), ("how well", (40, 22, 10)), ("new rows", (36, 18, 2)))):
        x, colours = 98 + 48 * k, (("c3", "c0", "c1"), ("c0", "c1", "c3"), ("c0", "c1", "c3"))[k]
        charts += [bar(x, 26 + 22 * r, width, 13, colour)
                   for r, (width, colour) in enumerate(zip(widths, colours, strict=True))]
        charts.append(words(x, 104, name, "quiet", 8.5, "start"))
    return [*tree, *nodes, arrow(78, 52, 92, 52, "quiet"), *charts,
            words(120, 123, "one model, three charts", "quiet")]


DRAWINGS = {"notebooks/01_trees": trees, "notebooks/02_golf": golf, "notebooks/03_mdi": mdi,
            "notebooks/04_bias": bias,
            "notebooks/05_permutation": permutation, "notebooks/06_negative": negative,
            "notebooks/07_correlated": correlated,
            "notebooks/08_shapley": shapley, "notebooks/09_treeshap": treeshap,
            "notebooks/10_knockoffs": knockoffs,
            "notebooks/11_causality": causality, "notebooks/12_field": field,
            "notebooks/13_choosing": choosing, "notebooks/14_own_model": own_model}


def svg_of(page):
    """The drawing of a chapter as HTML."""
    draw = DRAWINGS[page]
    name = page.rpartition("/")[2]
    return (f'<svg class="fi-drawing" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-labelledby="drawing-{name}" style="{STYLE}">'
            '<title '
            f'id="drawing-{name}">{escape(draw.__doc__.strip())}</title>{"".join(draw())}</svg>')
