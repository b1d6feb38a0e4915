"""Choose an importance method by four questions; worlds of known truth show what may mislead."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from fi_course.compare import GRADES, compare, grade
from fi_course.explorables.explorable import State, choice, explore
from fi_course.explorables.marks import axis, bars, categories, panel, rule

AIMS = {"associated": "associated: what each column tells alone",
        "relevant": "relevant: what it adds to all the others",
        "used": "used: what this model reads", "causal": "causal: what if I changed it"}
SCOPES = {"all": "all rows together", "one": "one row"}
COMPANY = {"apart": "hardly correlated", "each": "correlated, and I ask about each",
           "together": "correlated, and I ask about all of them together"}
PROMISES = {"interval": "an estimate with an interval", "list": "a list with few false names on it"}
SHOWN = ("feature alone", "MDI", "out-of-bag MDI", "permutation, held out",
         "conditional permutation", "drop column", "SHAP, interventional",
         "knockoff statistic")
UNSEEN = {"twins": "x1", "correlated_proxy": "x1", "confounder": "x1", "mediator": "m",
          "collider": "c"}


class Advice(NamedTuple):
    """Which method to use, why, and its pitfalls; `shown` is its row in the comparison, or None."""

    method: str
    why: str
    beware: str
    chapter: int
    shown: str | None = None


ADJUST = Advice("no importance measure, but a causal model and adjustment",
                "a measure sees rows as they came, not as they would be after a change",
                "it needs to be known which common causes exist, and none may be missing", 11)
KNOCKOFFS = Advice("the knockoff filter", "it bounds the expected share of false discoveries",
                   "the features' own law must be known or well estimated", 10,
                   "knockoff statistic")
NULL_TEST = Advice(
    "permutation importance, tested against shuffled targets with a correction for many features",
    "its p-values say how often luck alone would do as much",
    "it tests independence of everything at once", 6, "permutation, held out")
LOCAL = Advice("TreeSHAP with background rows",
               "it divides this prediction of this function without remainder",
               "say which background you took", 9, "SHAP, interventional")
CONDITIONAL_SHAP = Advice("conditional Shapley values",
                          "features that are not read can be credited for what they tell",
                          "the conditional law has to be estimated", 9)
SHUFFLE = Advice("permutation importance on held-out rows",
                 "it measures what this model loses in prediction",
                 "a column may be read and be of no help, and then its bar is about zero", 5,
                 "permutation, held out")
GROUPS = Advice("permutation importance of whole groups",
                "what correlated features tell this model together stays together",
                "you must name the groups", 5)
READ = Advice("interventional SHAP values", "what the model does not read gets exactly zero",
              "noise that it does read gets more than zero", 9, "SHAP, interventional")
CONDITIONAL = Advice("conditional permutation, or drop-column importance",
                     "both ask what is lost when the others may still speak",
                     "of two copies neither is missed: a bar of zero does not say unrelated", 7,
                     "conditional permutation")
DROP = Advice("drop-column importance",
              "it refits, so it asks what data without the column could tell",
              "it is the learner's importance, not this model's", 7, "drop column")
DROP_GROUP = Advice("dropping the whole group, and refitting",
                    "none of its members can step in for the others",
                    "you must name the group before you look", 7)
ALONE = Advice("a small model of this column alone, on held-out rows",
               "no other column can help or hide it",
               "a column that needs a partner, as in XOR, tells nothing alone", 13, "feature alone")
ALONE_LIST = Advice("a test of each column alone, with Benjamini and Hochberg's rule",
                    "it bounds the expected share of false names",
                    "dependent tests need care, and a proxy is no false name here", 10,
                    "feature alone")
OF_THE_MODEL = {"list": NULL_TEST, "apart": SHUFFLE, "each": READ, "together": GROUPS}
OF_THE_DATA = {"list": KNOCKOFFS, "apart": DROP, "each": CONDITIONAL, "together": DROP_GROUP}


def advise(aim, scope, company, promise):
    """Return the advice for four answers: question, scope, correlation and guarantee -> Advice.

    >>> advise("relevant", "all", "each", "list").method
    'the knockoff filter'
    """
    if aim == "causal":
        return ADJUST
    if aim == "associated":
        return ALONE_LIST if promise == "list" else ALONE
    if scope == "one":
        return LOCAL if aim == "used" else CONDITIONAL_SHAP
    advice = OF_THE_MODEL if aim == "used" else OF_THE_DATA
    return advice["list" if promise == "list" else company]


def explore_methods(grades=None, *, n=120, n_trees=5, n_repeats=4, rng=0):
    """Show the advice for every set of answers, with the method's grades.

    grades : {question: what `grade` returned};
        None computes them from small forests on a few worlds

    >>> seen = explore_methods(n=60, n_trees=3, n_repeats=2)
    >>> seen.sentence_at(aim="causal", scope="all", company="apart", promise="interval")[:60]
    'Use no importance measure, but a causal model and adjustment'
    """
    if grades is None:
        settings = {"n": n, "n_trees": n_trees, "n_repeats": n_repeats, "rng": rng}
        seen = compare(list(UNSEEN), SHOWN, **settings)
        blind = compare(list(UNSEEN), SHOWN, without=UNSEEN, **settings)
        grades = {question: grade(blind if question == "used" else seen, question)
                  for question in AIMS}
    tables = {question: found.pivot(index="method", columns="grade",
                                    values="share").loc[list(SHOWN)]
              for question, found in grades.items()}

    def state_of(aim, scope, company, promise):
        asked = "; ".join((AIMS[aim], SCOPES[scope], COMPANY[company], PROMISES[promise]))
        return method_state(tables[aim], aim, advise(aim, scope, company, promise), asked)

    controls = [choice("aim", "I ask what is", AIMS), choice("scope", "for", SCOPES),
                choice("company", "Important columns are", COMPANY),
                choice("promise", "I need", PROMISES)]
    return explore("Which measure should I use?", controls, state_of,
                   goal="ask a question that no importance measure answers.")


def method_state(table, aim, advice, asked):
    """Return sentence, bars and table for one set of answers."""
    order, alarms = table[GRADES[0]], table[GRADES[1]]
    sentence = (f"Use {advice.method} (chapter {advice.chapter}): {advice.why}. Beware: "
                f"{advice.beware}. You asked: {asked}. "
                + _evidence(order, alarms, aim, advice.shown))
    scenes = [_bars_of(order, f"pairs in order: {aim} before not {aim}", advice.shown, coin=True),
              _bars_of(alarms, f"not {aim}, and clear of zero (short is good)", advice.shown)]
    shown = pd.DataFrame({"measure": table.index, "pairs in order": order.round(2).to_numpy(),
                          "no, clear of zero": alarms.round(2).to_numpy()})
    return State(sentence, scenes, shown, reached=advice is ADJUST)


def _bars_of(shares, title, advised, *, coin=False):
    here = shares.index == advised
    drawn = bars(shares, horizontal=True, labels="{:.2f}", colour=np.where(here, "c0", "muted"),
                 hatch=here, name=np.where(here, "the advice", "other measures"))
    return panel(drawn, [rule(x=0.5, name="a coin")] if coin else [], x=axis(0, 1.15, title),
                 y=categories(list(shares.index)), height=300)


def _evidence(order, alarms, aim, shown):
    if shown is None:
        return (f"In our worlds the eight measures shown put {order.min():.0%} to "
                f"{order.max():.0%} of the pairs in order; none of them is the advice.")
    return (f"In our worlds {shown} puts {order[shown]:.0%} of the pairs in order, "
            f"and of the columns that are not {aim} {alarms[shown]:.0%} stand clear of zero.")
