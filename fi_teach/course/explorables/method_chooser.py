"""Which measure should I use? Four questions lead to one, and the worlds of known truth show how well it answers."""

from typing import NamedTuple

import pandas as pd

from fi_teach.compare import answers, compare
from fi_teach.course.explorables.explorable import State, choice, explore
from fi_teach.course.explorables.marks import axis, bars, categories, panel, rule

AIMS = {"model": "what this model uses", "data": "what the data can tell", "change": "what would happen if I changed a feature"}
SCOPES = {"all": "all rows together", "one": "one row"}
COMPANY = {"apart": "hardly correlated", "alone": "correlated: what each adds alone",
           "together": "correlated: what they tell together"}
PROMISES = {"interval": "an estimate with an interval", "list": "a list with few false names on it"}
COLUMN = {"model": "used", "data": "relevant", "change": "causal"}
SHOWN = ("MDI", "out-of-bag MDI", "permutation, held out", "conditional permutation", "drop column", "SHAP, interventional",
         "knockoff statistic")


class Advice(NamedTuple):
    """What to use, why, and what to beware of; `shown` is its name in the table of comparisons, or None."""

    method: str
    why: str
    beware: str
    chapter: int
    shown: str | None = None


ADJUST = Advice("no importance measure, but a causal model and adjustment", "a measure sees rows as they came, not as they would be after a change",
                "it needs to be known which common causes exist, and none may be missing", 11)
KNOCKOFFS = Advice("the knockoff filter", "it bounds the expected share of false discoveries", "the features' own law must be known or well estimated",
                   10, "knockoff statistic")
NULL_TEST = Advice("permutation importance, tested against shuffled targets with a correction for many features",
                   "its p-values say how often luck alone would do as much", "it tests independence of everything at once", 6, "permutation, held out")
LOCAL = Advice("TreeSHAP with background rows", "it divides this prediction of this function without remainder", "say which background you took", 9,
               "SHAP, interventional")
CONDITIONAL_SHAP = Advice("conditional Shapley values", "features that are not read can be credited for what they tell", "the conditional law has to be estimated",
                          9)
SHUFFLE = Advice("permutation importance on held-out rows", "it measures what this model loses in prediction",
                 "use the receiver-plus-donor interval", 5, "permutation, held out")
GROUPS = Advice("permutation importance of whole groups", "what correlated features tell together stays together", "you must name the groups", 7,
                "permutation, held out")
CONDITIONAL = Advice("conditional permutation", "the shuffled rows stay possible", "copies hide one another: each adds nothing alone", 7, "conditional permutation")
DROP = Advice("drop-column importance", "it refits, so it asks what data without the feature could tell", "it is the learner's importance, not this model's", 7,
              "drop column")


def advise(aim, scope, company, promise):
    """The advice for four answers: what is asked, of how many rows, in what company, with what promise -> Advice.

    >>> advise("data", "all", "alone", "list").method
    'the knockoff filter'
    """
    if aim == "change":
        return ADJUST
    if scope == "one":
        return LOCAL if aim == "model" else CONDITIONAL_SHAP
    if promise == "list":
        return NULL_TEST if aim == "model" else KNOCKOFFS
    if company == "together":
        return GROUPS
    if company == "alone":
        return CONDITIONAL if aim == "model" else DROP
    return SHUFFLE


def explore_methods(n=240, n_trees=20, rng=0):
    """The method chooser; the figures come from small forests on the worlds.

    >>> explore_methods(n=100, n_trees=4).sentence_at(aim="change", scope="all", company="apart", promise="interval")[:60]
    'Use no importance measure, but a causal model and adjustment'
    """
    grades = answers(compare(methods=SHOWN, n=n, n_trees=n_trees, rng=rng))

    def state_of(aim, scope, company, promise):
        return method_state(grades, aim, advise(aim, scope, company, promise), (scope, company, promise))

    controls = [choice("aim", "I want to know", AIMS), choice("scope", "for", SCOPES), choice("company", "Important features are", COMPANY),
                choice("promise", "I need", PROMISES)]
    return explore("Which measure should I use?", controls, state_of)


def method_state(grades, aim, advice, rest):
    """Sentence, bars and table for one set of answers."""
    question = COLUMN[aim]
    column = grades[question]
    asked = ", ".join((AIMS[aim], SCOPES[rest[0]], COMPANY[rest[1]], PROMISES[rest[2]]))
    sentence = (f"Use {advice.method} (chapter {advice.chapter}): {advice.why}. Beware: {advice.beware}. "
                f"Asked for: {asked}. " + _evidence(column, question, advice.shown))
    at = [place for place, name in enumerate(column.index) if name == advice.shown]
    scene = panel(bars(column, horizontal=True, labels="{:.2f}", colour="muted", name="other measures"),
                  bars(column.iloc[at], at=at, horizontal=True, colour="c0", hatch=True, name="the advice"), rule(x=0.5, name="a coin"),
                  x=axis(0, 1.15, f"how well the ranking tells which are {question}"), y=categories(list(column.index), ""), height=300)
    table = pd.DataFrame({"measure": column.index, f"tells '{question}' (AUC)": column.round(2).to_numpy()})
    return State(sentence, [scene], table)


def _evidence(column, question, shown):
    if shown is None:
        return f"On our worlds the seven measures tell which features are {question} with an AUC of {column.min():.2f} to {column.max():.2f}."
    return f"On our worlds its ranking tells which features are {question} with an AUC of {column[shown]:.2f}."
