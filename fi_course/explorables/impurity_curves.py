"""Gini and entropy as the shares of two or three classes move: the same shape, another unit."""

import numpy as np
import pandas as pd

from fi_course.explorables.explorable import State, choice, explore, slider, switch
from fi_course.explorables.marks import axis, bars, categories, curve, handle, panel, rule
from fi_teach.basics.impurity import entropy, entropy_nats, gini

MEASURES = {"Gini": (gini, "c0", "circle"), "entropy in bits": (entropy, "c1", "square"),
            "entropy in nats": (entropy_nats, "c2", "triangle")}
RATIOS = {(1, 1): "1 : 1", (3, 1): "3 : 1", (1, 0): "1 : 0"}
SHARES = (np.arange(21) / 20).tolist()
GRID = np.linspace(0, 1, 41)  # with every share in it


def explore_impurity():
    """Show the impurities by the first class's share; the others divide the rest by a ratio.

    >>> explore_impurity().sentence_at(share=0.5)[:65]
    'Shares 0.50, 0.50: Gini 0.500, entropy 1.000 bits or 0.693 nats, '
    """
    controls = [choice("classes", "Classes", {2: "two", 3: "three"}),
                choice("ratio", "Second to third class", RATIOS, kind="select"),
                slider("share", "Share of the first class", SHARES, format="{:.2f}"),
                switch("scaled", "Scale each curve to a maximum of 1")]
    return explore("Three measures of how mixed a node is", controls, impurity_state,
                   start={"share": 0.3}, goal="make the node as mixed as two classes can be.")


def impurity_state(classes, ratio, share, scaled):
    if classes == 2 and ratio != (1, 1):
        return None
    shares = shares_of(classes, ratio, np.array([share]))[0]
    value = {name: float(measure(shares)) + 0.0 for name, (measure, _, _) in MEASURES.items()}
    largest = {name: float(measure(np.ones(classes))) for name, (measure, _, _) in MEASURES.items()}
    table = pd.DataFrame({"measure": list(MEASURES), "impurity": list(value.values()),
                          "largest": list(largest.values())})
    table["of the largest"] = table["impurity"] / table["largest"]
    panels = [_curves_panel(classes, ratio, share, largest, scaled), _shares_panel(shares)]
    return State(_sentence(shares, ratio, value, table, scaled), panels, table,
                 {} if classes == 3 else {"ratio": "needs three classes"},
                 reached=classes == 2 and share == 0.5)


def shares_of(classes, ratio, first):
    """Return class shares when the first has share `first` (m,) -> (m, classes).

    >>> shares_of(3, (3, 1), np.array([0.5])).tolist()
    [[0.5, 0.375, 0.125]]
    """
    rest = np.array(ratio) / sum(ratio) if classes == 3 else np.array([1.0])
    return np.column_stack([first, (1 - first)[:, None] * rest])


def _sentence(shares, ratio, value, table, scaled):
    rest = f" (the rest {RATIOS[ratio]})" if len(shares) == 3 else ""
    told = (f"Shares {', '.join(f'{s:.2f}' for s in shares)}{rest}: Gini {value['Gini']:.3f}, "
            f"entropy {value['entropy in bits']:.3f} bits or {value['entropy in nats']:.3f} nats")
    if np.isclose(shares.max(), 1):
        told += ", a pure node"
    elif np.allclose(shares, 1 / len(shares)):
        told += f", as mixed as {'two' if len(shares) == 2 else 'three'} classes can be"
    if not scaled:
        return told + "."
    gini_part, entropy_part, _ = table["of the largest"]
    return (f"{told}. Of the largest that is {gini_part:.3f} for Gini and {entropy_part:.3f} for "
            "entropy, in bits and in nats alike.")


def _curves_panel(classes, ratio, share, largest, scaled):
    curves = []
    for name, (measure, colour, shape) in MEASURES.items():
        height = measure(shares_of(classes, ratio, GRID)) / (largest[name] if scaled else 1)
        curves.append(curve(GRID, height, share, colour=colour, shape=shape, name=name,
                            dashed=scaled and name == "entropy in nats"))
    title = "share of the largest impurity" if scaled else "impurity"
    top = 1.1 if scaled or classes == 2 else 1.7
    return panel(handle(rule(x=share), "share", SHARES), curves,
                 x=axis(0, 1, "share of the first class"), y=axis(0, top, title),
                 height=260, min_width=340)


def _shares_panel(shares):
    names = ["first class", "second class", "third class"][:len(shares)]
    words = [f"{share:.2f}" for share in shares]
    return panel(bars(shares, colour="muted", labels=words, horizontal=True),
                 x=axis(0, 1.25, "share of the rows", ticks=[0, 0.5, 1]),
                 y=categories(names), title="The node", height=60 + 50 * len(shares))
