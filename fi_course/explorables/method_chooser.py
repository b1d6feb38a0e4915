"""Choose an importance method by four questions; beside the advice stands the stored comparison."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from fi_course.compare import METHODS, TRUTH, stored, verdicts
from fi_course.explorables.explorable import State, choice, explore
from fi_course.explorables.marks import axis, bars, categories, panel, rule

AIMS = {"associated": "associated: what each column tells alone",
        "relevant": "relevant: what it adds to all the others",
        "used": "used: what this model reads", "causal": "causal: what if I changed it"}
SCOPES = {"all": "all rows together", "one": "one row"}
COMPANY = {"apart": "hardly correlated", "each": "correlated, and I ask about each",
           "together": "correlated, and I ask about all of them together"}
PROMISES = {"interval": "an estimate with an interval", "list": "a list with few false names on it"}


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
                   "the features' joint distribution must be known, or well estimated", 10,
                   "knockoff statistic")
NULL_TEST = Advice(
    "permutation importance, tested against shuffled targets with a correction for many features",
    "its p-values say how often luck alone would do as much",
    "it tests independence of everything at once", 6, "permutation, held out")
LOCAL = Advice("TreeSHAP with background rows",
               "it divides this prediction of this function without remainder",
               "say which background you took", 9, "SHAP, interventional")
CONDITIONAL_SHAP = Advice("conditional Shapley values",
                          "features that are not read can get credit for their information",
                          "the conditional distribution has to be estimated", 9)
SHUFFLE = Advice("permutation importance on held-out rows",
                 "it measures what this model loses in prediction",
                 "a column may be read and be of no help, and then its bar is about zero", 5,
                 "permutation, held out")
GROUPS = Advice("permutation importance of whole groups",
                "what correlated features tell this model together stays together",
                "you must name the groups", 5)
READ = Advice("interventional SHAP values", "what the model does not read gets exactly zero",
              "noise that it does read gets more than zero", 9, "SHAP, interventional")
DROP = Advice("drop-column importance",
              "it refits, so it asks what the data tell without the column",
              "it is the learner's importance, not this model's", 7, "drop column")
DROP_EACH = DROP._replace(
    beware="of two copies neither is missed, so a bar of zero does not mean unrelated")
DROP_GROUP = Advice("dropping the whole group, and refitting",
                    "no member of the group can replace another",
                    "you must name the group before you look", 7)
ALONE = Advice("a small model of this column alone, on held-out rows",
               "no other column can help or hide it",
               "a column that needs a partner, as in XOR, is not associated alone", 13,
               "feature alone")
ALONE_LIST = Advice("a test of each column alone, with Benjamini and Hochberg's rule",
                    "it bounds the expected share of false names",
                    "dependent tests need care, and a proxy is no false name here", 10,
                    "feature alone")
OF_THE_MODEL = {"list": NULL_TEST, "apart": SHUFFLE, "each": READ, "together": GROUPS}
OF_THE_DATA = {"list": KNOCKOFFS, "apart": DROP, "each": DROP_EACH, "together": DROP_GROUP}


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


def explore_methods():
    """Show the advice for every set of answers, with the shares of the stored comparison.

    >>> seen = explore_methods()
    >>> seen.sentence_at(aim="causal", scope="all", company="apart", promise="interval")[:60]
    'Use no importance measure, but a causal model and adjustment'
    """
    tables = {question: of_question.set_index("measure")
              for question, of_question in verdicts(stored()).groupby("question")}

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
    sentence = (f"Use {advice.method} (chapter {advice.chapter}): {advice.why}. Beware: "
                f"{advice.beware}. You asked: {asked}. {_evidence(table, aim, advice.shown)}")
    measured = table.loc[list(METHODS)]
    scenes = [_bars_of(measured["answers"], f"answers what is {aim}: share of the draws",
                       advice.shown, best=table.at[TRUTH, "answers"]),
              _bars_of(measured["misleads"], "misleads: share of the draws (short is good)",
                       advice.shown)]
    shares = measured[["answers", "misleads", "silent"]].round(2)
    shown = pd.concat([measured["word"], shares], axis=1).reset_index()
    return State(sentence, scenes, shown, reached=advice is ADJUST)


def _bars_of(shares, title, advised, *, best=None):
    here = shares.index == advised
    drawn = bars(shares, horizontal=True, labels="{:.2f}", colour=np.where(here, "c0", "muted"),
                 hatch=here, name=np.where(here, "the advice", "other measures"))
    marked = [] if best is None else [rule(x=best, name="the truth itself")]
    return panel(drawn, marked, x=axis(0, 1.15, title), y=categories(list(shares.index)),
                 height=300)


def _evidence(table, aim, shown):
    if shown is None:
        answering = (table.loc[list(METHODS), "word"] == "answers").sum()
        return (f"Measures of our comparison that answer what is {aim}: {answering or 'none'} of "
                f"{len(METHODS)}. The advice is not among them.")
    of = table.loc[shown]
    return (f"In our worlds {shown} answers what is {aim} in {of['answers']:.0%} of the draws, "
            f"misleads in {of['misleads']:.0%} and is silent in {of['silent']:.0%}; the truth "
            f"itself answers in {table.at[TRUTH, 'answers']:.0%}.")
