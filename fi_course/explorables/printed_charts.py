"""One fitted model, and the importance charts that libraries print of it."""

from fi_course.explorables.explorable import State, choice, explore
from fi_course.explorables.marks import axis, bars, categories, panel
from fi_teach.plots.colours import hues_of

MOST_WATCHED = 4


def explore_printed_charts(printed, *, watched, told):
    """Show where the watched columns rank in each chart.

    printed : DataFrame, features x charts, no negative value;
        each chart is shown as shares of its sum
    watched : up to four features that keep a colour of their own
    told : {chart: what it counts, in a few words}

    >>> import pandas as pd
    >>> table = pd.DataFrame({"weight": [3, 1], "gain": [1, 3]}, index=["a", "b"])
    >>> told = {"weight": "how often", "gain": "how well"}
    >>> seen = explore_printed_charts(table, watched=["a"], told=told)
    >>> seen.sentence_at(chart="gain")
    'gain, how well: b leads with 75%. Of 2 columns a stands on place 2 with 25%.'
    """
    if not 0 < len(watched) <= MOST_WATCHED or not set(watched) <= set(printed.index):
        raise ValueError(
            f"watched is {list(watched)}: expected one to {MOST_WATCHED} of the table's features.")
    if set(told) != set(printed.columns):
        raise ValueError(f"told speaks of {list(told)}, the table's charts are "
                         f"{list(printed.columns)}: tell of each.")
    shares = printed / printed.sum()
    hues = hues_of(watched)
    places = shares.rank(ascending=False, method="first").loc[watched[0]]

    def state_of(chart):
        ordered = shares[chart].sort_values(ascending=False, kind="stable")
        return _state(ordered, hues, told[chart], places[chart] == places.max())

    return explore("One model, many charts",
                   [choice("chart", "The chart", list(shares.columns), kind="select")], state_of,
                   start={"chart": places.idxmin()}, goal="" if places.nunique() == 1 else
                   f"find the chart in which {watched[0]} stands lowest.")


def _state(shares, hues, counted, lowest):
    first = shares.index[0]
    places = {name: shares.index.get_loc(name) + 1 for name in hues}
    where = ", ".join(f"{name} stands on place {place} with {shares[name]:.0%}"
                      for name, place in places.items())
    sentence = (f"{shares.name}, {counted}: {first} leads with {shares[first]:.0%}. "
                f"Of {len(shares)} columns {where}.")
    drawn = bars(shares, colour=[hues.get(name, "muted") for name in shares.index],
                 hatch=[name in hues for name in shares.index], labels="{:.0%}", horizontal=True)
    scene = panel(drawn, x=axis(0, 1.25 * shares.max(), "share of the chart's sum",
                                 format="{:.0%}"), y=categories(list(shares.index)),
                  title=f"{shares.name}: {counted}", height=60 + 22 * len(shares), min_width=300)
    return State(sentence, [scene],
                 shares.rename("share").round(3).rename_axis("feature").reset_index(),
                 reached=lowest)
