"""One forest, four measures, four charts: which of them is right depends on what is asked."""

from fi_course.compare import compare
from fi_course.explorables.explorable import State, choice, explore
from fi_course.explorables.marks import axis, bars, categories, panel, rule
from fi_teach.worlds import WORLDS

MEASURES = {"MDI": ("c0", False, "share of the decrease"),
            "permutation, held out": ("c1", True, "share of the variance"),
            "drop column": ("c2", False, "share of the variance"),
            "SHAP, interventional": ("c3", True, "share of the standard deviation")}
"""Measure -> its hue, whether its bars are striped, and its unit."""
HEIGHT = 164  # of a chart, whatever the world: five bars have room, two leave none empty
VISIBLE = 0.05  # a shorter bar is as good as none
TOLD = {"twins": "x1 and x2 are nearly the same column",
        "cardinality": "no column knows anything; they differ in how many values they have",
        "correlated_proxy": "x2 does nothing, but it goes with x1",
        "confounder": "x1 changes nothing: a hidden cause moves it and y together; "
        "x2 is a weak cause", "mediator": "x1 is the cause, and works through m only"}
"""World -> what is true of it, in a sentence."""


def explore_four_charts(table=None, *, n=300, n_trees=20, n_repeats=6):
    """Show four measures of the same forest in a world whose truth is known.

    table : what `compare` returned for these worlds and measures; None:
        it is asked, n_repeats draws of n rows.

    >>> seen = explore_four_charts(n=60, n_trees=3, n_repeats=2)
    >>> seen.sentence_at(world="twins")[:37]
    'x1 and x2 are nearly the same column.'
    """
    if table is None:
        table = compare(list(TOLD), list(MEASURES), n=n, n_trees=n_trees, n_repeats=n_repeats)
    share = in_common_units(table)
    told = {world: f"{world.replace('_', ' ')}: {words}" for world, words in TOLD.items()}
    return explore("One forest, four charts", [choice("world", "The world", told, kind="select")],
                   lambda world: world_state(share[world], world))


def in_common_units(table):
    """Return the mean importance over the draws, without units -> {world: features x measures}.

    Losses of squared error as shares of the target's variance, SHAP values as shares of its
    standard deviation.
    """
    mean = table.groupby(["world", "method", "feature"], sort=False)["importance"].mean()
    found = {}
    for world in TOLD:
        features = table.loc[table["world"] == world, "feature"].unique()
        spread = float(WORLDS[world](10_000, rng=0).y.astype(float).std())
        whole = {"share of the decrease": 1, "share of the variance": spread**2,
                 "share of the standard deviation": spread}
        measured = mean[world].unstack("method").loc[features, list(MEASURES)]
        found[world] = measured / [whole[unit] for _, _, unit in MEASURES.values()]
    return found


def world_state(share, world):
    by_feature = {}
    for measure in MEASURES:
        first = str(share[measure].idxmax()) if share[measure].max() > VISIBLE else "none"
        by_feature.setdefault(first, []).append(measure)
    told = "; ".join(f"{feature} for {_listed(measures)}"
                     for feature, measures in by_feature.items())
    sentence = f"{_capital(TOLD[world])}. Highest stands {told}. {_agreement(share)}"
    return State(sentence, [_chart(share[measure], measure) for measure in MEASURES],
                 share.rename_axis("feature").reset_index())


def _agreement(share):
    """Describe the feature about which two measures differ most, in shares of each."""
    # what is all but zero stays small
    parts = share.clip(lower=0) / share.clip(lower=0).sum().clip(lower=VISIBLE)
    feature = (parts.max(axis=1) - parts.min(axis=1)).idxmax()
    high, low = parts.loc[feature].idxmax(), parts.loc[feature].idxmin()
    return (f"About {feature} they differ most: {high} gives it {parts.loc[feature, high]:.0%} of "
            f"all that it gives, {low} {parts.loc[feature, low]:.0%}.")


def _chart(values, measure):
    colour, hatch, unit = MEASURES[measure]
    low, high = min(-0.1, float(values.min()) * 1.2), max(0.5, float(values.max())) * 1.35
    drawn = bars(values, colour=colour, hatch=hatch, labels="{:.2f}", horizontal=True)
    return panel(drawn, rule(x=0, dashed=False), x=axis(low, high, unit),
                 y=categories(list(values.index)), title=measure, height=HEIGHT, min_width=300)


def _listed(names):
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _capital(words):
    return words if words[1].isdigit() else words[0].upper() + words[1:]
