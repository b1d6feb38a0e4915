"""Are an audit's sentences right? In worlds whose truth is known each one is held against it.

    python tests/audit/truth.py --draws 10      every world, with and without its trap: a table

A world draws rows; a model is fitted to some, audited on others, and asked about 10,000 more of the same law. A
sentence with a figure is right if the figure of those rows lies in its interval (and above zero, where it says that the
model relies on a column); a question is right if the trap is there. A figure counts as missing if it is twice as
large as the least that the report says its rows could show.
"""

import argparse
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
import pandas as pd

from fi_audit.data import make_data
from fi_audit.importance import Shuffler, _bins, power
from fi_audit.run import run
from fi_audit.skill import skill_of
from fi_teach.basics.shuffles import shuffles
from fi_teach.worlds import WORLDS as LAWS

FRESH = 10_000
ASKED = {"leak": "possible leakage", "groups": "related rows", "time": "time", "identifier": "identifiers",
         "units": "the same in other units", "gaps": "gaps that tell",
         "copies": "the same rows in training and test", "twice": "rows entered twice", "stop": "skill"}
"""What is said of a table, by the check that says it."""


@dataclass
class Rows:
    """Rows of a world: features, target, what is known beside them, and what is true of them."""

    X: pd.DataFrame
    y: np.ndarray
    known: dict = field(default_factory=dict)
    true: set = field(default_factory=set)
    relevant: set | None = None


def forest(X, y, n_trees=30, **settings):
    """A small forest of scikit-learn, of probabilities where the target holds words."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    kind = RandomForestClassifier if np.asarray(y).dtype.kind in "USOb" else RandomForestRegressor
    return kind(n_trees, min_samples_leaf=5, max_features=0.6, random_state=0, n_jobs=1, **settings).fit(X, y)


def boosted(X, y):
    """Histogram boosting of scikit-learn with its defaults: categories, gaps and words as they come."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    kind = HistGradientBoostingClassifier if np.asarray(y).dtype.kind in "USOb" else HistGradientBoostingRegressor
    return kind(max_iter=40, max_leaf_nodes=8, random_state=0).fit(X, y)


def numbers(rng, n, p=5):
    return pd.DataFrame(rng.normal(size=(n, p)), columns=list("abcdefghijklmnop")[:p])


def words(share, rng):
    return np.where(rng.random(len(share)) < share, "yes", "no")


def chance(score):
    return 1 / (1 + np.exp(-score))


# --- the worlds: (rng, n, trap) -> Rows ---


def noise(rng, n, trap):
    """Trap: nothing predicts."""
    X = numbers(rng, n)
    y = rng.normal(size=n) if trap else X["a"] + X["b"] ** 2 / 2 + rng.normal(size=n)
    return Rows(X, np.asarray(y), true={"stop"} if trap else set())


def doubles(rng, n, trap):
    """Trap: a copy of a column with a little noise."""
    X = numbers(rng, n)
    y = X["a"] + X["b"] + 0.5 * rng.normal(size=n)
    if trap:
        X["e"] = X["a"] + 0.3 * rng.normal(size=n)
    return Rows(X, y.to_numpy())


def rare(rng, n, trap):
    """Trap: 1.5% events, and probabilities that are far too large (balanced classes)."""
    X = numbers(rng, n, 4)
    return Rows(X, words(chance(1.7 * X["a"] + 0.8 * X["b"] - (6.3 if trap else 1)), rng))


def balanced(X, y):
    from sklearn.linear_model import LogisticRegression
    return LogisticRegression(class_weight="balanced").fit(X, y)


def counts(rng, n, trap):
    """Trap: events a row so few that squared errors are lost in noise."""
    X = numbers(rng, n, 4)
    return Rows(X, rng.poisson(np.exp(1.2 * X["a"] - (4 if trap else 0))).astype(float))


def poisson(X, y):
    from sklearn.linear_model import PoissonRegressor
    return PoissonRegressor(alpha=1e-3).fit(X, y)


def spending(rng, n, trap):
    """Trap: two columns that are zero where the event is not, each standing in for the other (chapter 12c)."""
    X = numbers(rng, n)
    y = words(chance(2 * X["a"] + X["b"]), rng)
    spent = np.where(y == "yes", rng.gamma(2, 100, n), 0.0) if trap else rng.gamma(2, 100, n)
    X["spent"], X["share"] = spent, spent / rng.gamma(20, 50, n)
    return Rows(X, y, true={"leak"} if trap else set())


def afterwards(rng, n, trap):
    """Trap: a column that is the target, all but exactly. Without: an honest cause that is strong (R squared .9)."""
    X = numbers(rng, n)
    y = 3 * X["a"] + X["b"] + 0.3 * rng.normal(size=n)
    if trap:
        X["e"] = y + 0.1 * y.std() * rng.normal(size=n)
    return Rows(X, y.to_numpy(), true={"leak"} if trap else set())


def churn(rng, n, trap):
    """Trap: cancelled is set when somebody has left. Without: one honest column carries nearly all."""
    X = numbers(rng, n)
    y = words(chance(2.5 * X["a"] + 0.2 * X["b"]), rng)
    X["cancelled"] = np.where((y == "yes") & (rng.random(n) < 0.9), 1, 0) if trap else rng.integers(0, 2, n)
    return Rows(X, y, true={"leak"} if trap else set())


TEXT = ["asked about the price", "called twice", "wants a letter", "moved to another town", "no answer yet"]


def notes(rng, n, trap):
    """Trap: the note says what became of it."""
    X = numbers(rng, n, 3)
    y = words(chance(2 * X["a"]), rng)
    told = rng.choice(TEXT, n)
    told = np.char.add(np.char.add(told, " on day "), rng.integers(1, 300, n).astype(str))
    if trap:
        told = np.where(y == "yes", np.char.add(told, ", account closed"), told)
    X["note"] = told
    return Rows(X, y, true={"leak"} if trap else set())


def with_text(X, y):
    from sklearn.compose import make_column_transformer
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    return make_pipeline(make_column_transformer((CountVectorizer(min_df=20), "note"), remainder="passthrough"),
                         LogisticRegression(max_iter=500)).fit(X, y)


def numbered(rng, n, trap):
    """Trap: seven digits, sorted with the target. Without: incomes, whole numbers of five digits and more.

    The number is the target's place in its law, not among these rows: so 600 rows and 10,000 follow the same law.
    """
    X = numbers(rng, n, 4)
    y = X["a"] + X["b"] + 0.7 * rng.normal(size=n)
    if trap:
        place = np.vectorize(NormalDist(0, np.sqrt(2.49)).cdf)(y)
        X["customer"] = (1_000_000 + 9_000_000 * place).astype(int)
    else:
        X["income"] = (40_000 * rng.lognormal(0, 0.5, n)).astype(int)
    return Rows(X, y.to_numpy(), true={"identifier", "leak"} if trap else set())


def persons(rng, n, trap, noisy=0.1):
    """Trap: five rows a person, whom nobody announced; a person's rows are alike, and so are their targets."""
    who = np.repeat(np.arange(n // 5 + 1), 5)[:n] if trap else np.arange(n)
    X = numbers(rng, who.max() + 1, 5).iloc[who].reset_index(drop=True)
    X += noisy * rng.normal(size=X.shape)
    y = X["a"] + X["b"] + (rng.normal(size=who.max() + 1)[who] + 0.3 * rng.normal(size=n))
    return Rows(X, y.to_numpy(), true={"groups"} if trap else set())


def heights(rng, n, trap):
    """Trap: as before, but some columns are a person's own and the others change from row to row."""
    rows = persons(rng, n, trap, 0.0 if trap else 0.1)
    rows.X[["c", "d", "e"]] = rng.normal(size=(n, 3))
    return rows


def sites(rng, n, trap):
    """Groups that were given. Trap: the model can recognise a site, and sites differ."""
    site = rng.integers(0, 40, n)
    X = numbers(rng, n, 4)
    level = np.random.default_rng(7).normal(size=(40, 2))
    X["c"] = level[site, 0] + 0.02 * rng.normal(size=n)
    y = X["a"] + 0.5 * rng.normal(size=n) + (1.5 * level[site, 1] if trap else 0)
    return Rows(X, y.to_numpy(), known={"groups": site}, true={"groups"} if trap else set())


def dated(rng, n, trap):
    """A date column that nobody announced. Trap: what the other columns mean drifts with it."""
    X = numbers(rng, n, 4)
    t = np.linspace(0, 1, n)
    X["day"] = (pd.Timestamp("2023-01-01") + pd.to_timedelta((700 * t).astype(int), "D")).strftime("%Y-%m-%d")
    y = X["a"] + 0.5 * rng.normal(size=n) + (8 * t + np.sin(12 * t) if trap else 0)
    X["b"] = X["b"] if not trap else 6 * t + 0.3 * X["b"]
    return Rows(X, y.to_numpy(), true={"time"} if trap else set())


def without_day(X, y):
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    chosen = make_column_transformer(("passthrough", ["a", "b", "c", "d"])).set_output(transform="pandas")
    model = make_pipeline(chosen, forest(X[["a", "b", "c", "d"]], y))
    return model.fit(X, y)


def walk(rng, n, trap):
    """A time that was given. Trap: the target is a random walk, whose last value is better than the model."""
    X = numbers(rng, n, 4)
    y = np.cumsum(rng.normal(size=n)) + 0.1 * X["a"] if trap else X["a"] + 0.7 * rng.normal(size=n)
    return Rows(X, np.asarray(y), known={"time": np.arange(n)}, true={"stop", "time"} if trap else set())


def fahrenheit(rng, n, trap):
    """Trap: a temperature twice, rounded, in two units."""
    X = numbers(rng, n, 3)
    X["celsius"] = (15 + 8 * X["c"]).round(1)
    X["fahrenheit"] = (32 + 1.8 * X["celsius"] if trap else 32 + 14 * rng.normal(size=n) + X["celsius"] * 0.5).round()
    y = X["a"] + X["celsius"] / 8 + 0.7 * rng.normal(size=n)
    return Rows(X.drop(columns="c"), y.to_numpy(), true={"units"} if trap else set())


def gappy(rng, n, trap):
    """Trap: an income is missing where the event happens. Without: one in six, at random."""
    X = numbers(rng, n, 4)
    y = words(chance(2 * X["a"]), rng)
    X.loc[rng.random(n) < np.where(y == "yes", 0.3, 0.04) if trap else rng.random(n) < 1 / 6, "b"] = np.nan
    return Rows(X, y, true={"gaps"} if trap else set())


def entered_twice(rng, n, trap):
    """Trap: every tenth row stands there twice."""
    rows = noise(rng, n, False)
    if trap:
        again = np.r_[np.arange(n - n // 10), np.arange(n // 10)]
        rows = Rows(rows.X.iloc[again].reset_index(drop=True), rows.y[again])
    return Rows(rows.X, rows.y, true={"twice"} if trap else set())


def kinds(rng, n, trap):
    """Three classes. Trap: a correlated group carries the model."""
    X = numbers(rng, n)
    if trap:
        X["b"], X["c"] = X["a"] + 0.4 * X["b"], X["a"] + 0.4 * X["c"]
    score = np.column_stack([1.5 * X["a"], -1.5 * X["a"] + X["d"], X["e"]]) + rng.gumbel(size=(n, 3))
    return Rows(X, np.array(["red", "green", "blue"])[score.argmax(axis=1)])


def shops(rng, n, trap):
    """Words, categories, truth values and gaps. Trap: they come back from a CSV file as words."""
    X = pd.DataFrame({"town": pd.Categorical(rng.choice(["Ulm", "Bonn", "Kiel"], n)), "pay": rng.gamma(3, 900, n),
                      "member": rng.random(n) < 0.4, "age": rng.normal(40, 9, n)})
    y = words(chance((X["pay"] - 2500) / 700 + 2.0 * (X["town"] == "Ulm")), rng)
    X.loc[rng.random(n) < 0.15, "age"] = np.nan
    return Rows(X.astype({"town": str}) if trap else X, y)


def lightgbm(X, y):
    from lightgbm import LGBMClassifier
    return LGBMClassifier(n_estimators=40, num_leaves=8, n_jobs=1, verbose=-1).fit(X.astype({"town": "category"}), y)


def members(rng, n, trap):
    """Whom it concerns. Trap: the model errs three times as much about the few."""
    X = numbers(rng, n, 4)
    few = rng.random(n) < 0.3
    y = X["a"] + (1.2 if trap else 0.6) * np.where(few, 1.5 if trap else 1.0, 0.5 if trap else 1.0) * rng.normal(size=n)
    return Rows(X, y.to_numpy(), known={"protected": np.where(few, "few", "many")})


def skewed(rng, n, trap):
    """Long tails, judged by absolute error. Trap: the model is the mean, which loses to the median."""
    X = numbers(rng, n, 4)
    y = rng.lognormal(0, 1.2, n) if trap else np.exp(0.8 * X["a"] + 0.5 * rng.normal(size=n))
    return Rows(X, np.asarray(y), known={"loss": "absolute"}, true={"stop"} if trap else set())


def constant(X, y):
    mean = float(np.mean(y))
    return lambda table: np.full(len(table), mean) + 1e-6 * table["a"].to_numpy()


def weighted(rng, n, trap):
    """Weights. Trap: the rows that count are those that the model knows nothing of."""
    X = numbers(rng, n, 4)
    heavy = rng.random(n) < 0.5
    y = np.where(heavy, rng.normal(size=n), 2 * X["a"]) if trap else X["a"] + 0.5 * rng.normal(size=n)
    return Rows(X, y, known={"sample_weight": np.where(heavy, 1.0, 0.0 if trap else 0.3)},
                true={"stop"} if trap else set())


def only_a(X, y):
    return lambda table: table["a"].to_numpy()


def wide(rng, n, trap):
    """A hundred columns. Trap: forty of them are a random walk from column to column."""
    X = pd.DataFrame(rng.normal(size=(n, 100)), columns=[f"v{j}" for j in range(100)])
    if trap:
        X.iloc[:, 60:] = np.cumsum(X.iloc[:, 60:].to_numpy(), axis=1)
    y = 2 * X["v0"] + X["v1"] + rng.normal(size=n)
    return Rows(X, y.to_numpy())


def warm(X, y):
    """Keeps state: a copy must not."""
    return forest(X, y, warm_start=True)


def of_course(name):
    """A world of the course, whose truth table says which columns are associated and which relevant."""
    def draw(rng, n, trap):
        world = LAWS[name](n, rng=int(rng.integers(2**31)))
        rows = world if world.test is None else world.test
        table = world.truth
        return Rows(rows.X, rows.y.to_numpy(dtype=float), relevant={
            c for c in table.index if table.loc[c, "relevant"] or table.loc[c, "used"]})
    return draw


WORLDS = {  # name: (rows, learner or one without and one with the trap, rows fitted, rows judged)
    "noise": (noise, forest, 600, 600), "doubles": (doubles, forest, 800, 800),
    "rare": (rare, balanced, 4000, 4000), "counts": (counts, poisson, 3000, 3000),
    "spending": (spending, forest, 600, 600), "afterwards": (afterwards, forest, 600, 600),
    "churn": (churn, forest, 800, 800), "notes": (notes, with_text, 600, 600),
    "numbered": (numbered, forest, 600, 600),
    "persons": (persons, forest, 600, 600), "heights": (heights, forest, 600, 600),
    "sites": (sites, forest, 800, 800), "dated": (dated, without_day, 600, 600), "walk": (walk, forest, 600, 600),
    "fahrenheit": (fahrenheit, forest, 600, 600),
    "gappy": (gappy, boosted, 800, 800), "entered twice": (entered_twice, forest, 600, 600),
    "copies": (noise, forest, 600, 600), "kinds": (kinds, forest, 900, 900), "shops": (shops, lightgbm, 900, 900),
    "members": (members, forest, 900, 900), "skewed": (skewed, (forest, constant), 600, 600),
    "weighted": (weighted, only_a, 10, 800), "wide": (wide, forest, 400, 600), "seen": (noise, warm, 900, 0),
    **{name: (of_course(name), forest, 700, 700) for name in LAWS if name not in ("pipeline_faults", "null")}}


def audited(name, trap, seed, refit=False):
    """One draw of a world -> its audit, the data that it was made of, 10,000 fresh rows, and what is true."""
    draw, learner, n_fit, n = WORLDS[name]
    rng = np.random.default_rng([seed, trap, *name.encode()])
    learned = draw(rng, n_fit, trap)
    rows = draw(rng, n, trap) if n else learned
    fresh = draw(rng, FRESH if name != "shops" else 4000, trap)
    if isinstance(learner, tuple):
        learner = learner[trap]
    true, settings = set(rows.true), {"quick": True, "rng": seed, **rows.known}
    if name == "seen":
        settings |= {"seen": True, "refit": True}
    if name == "copies":
        half = n // 2
        if trap:
            rows = Rows(pd.concat([learned.X[:half], rows.X[half:]]), np.r_[learned.y[:half], rows.y[half:]])
        true = {"copies", "twice", "groups"} if trap else set()
        settings["test"] = (rows.X.reset_index(drop=True), rows.y)
    if name in ("sites", "cardinality") or refit:
        settings |= {"test": (rows.X, rows.y)}
        settings["refit"] = refit
        if "groups" in rows.known:
            settings["groups"] = np.r_[learned.known["groups"], rows.known["groups"]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = learner(learned.X, learned.y)
        given = learned if "test" in settings else rows
        data = make_data(model, given.X, given.y, **settings)
        return run(data), data, fresh, true, rows.relevant


class Truth:
    """What 10,000 fresh rows of the same law say of the same model."""

    def __init__(self, audit, data, fresh):
        self.data = make_data(data.model.given, fresh.X, fresh.y, rng=1, **{"loss": data.loss, **fresh.known})
        object.__setattr__(self.data, "test", np.arange(len(self.data.y))[: (3000 if len(data.names) > 50 else FRESH)])
        self.scores, _ = skill_of(self.data)
        unit = audit.measure("used").unit if audit.measures else ""
        self.main = next((s for s in self.scores if s.unit == unit), self.scores[0])
        self.shuffler = Shuffler(self.data, self.main)

    def share(self, members):
        donors = shuffles(len(self.shuffler.table), 1, self.data.stream("truth"))
        return self.shuffler.cost(members, donors)[0] / self.main.drop

    def skill(self, name):
        return next(s.skill for s in self.scores if s.name == name)

    def associated(self, name):
        bins, T = _bins(self.data.X[name]), self.data.targets
        means = np.array([T[bins == k].mean(axis=0) if (bins == k).any() else T.mean(axis=0)
                          for k in range(bins.max() + 1)])
        return 1 - ((T - means[bins]) ** 2).sum() / ((T - T.mean(axis=0)) ** 2).sum()


def judge(name, trap, seed):
    """One draw -> Counter of (kind, "right" | "false" | "missing"), and what was false, in words."""
    refit = name in LAWS
    audit, data, fresh, true, relevant = audited(name, trap, seed, refit)
    found, wrong = Counter(), []

    def count(kind, said, is_true, what=""):
        outcome = "right" if said and is_true else "false" if said else "missing" if is_true else ""
        found.update([(kind, outcome)] if outcome else [(kind, "rightly silent")])
        if outcome in ("false", "missing"):
            wrong.append(f"{kind} {outcome} {what}")

    for kind, check in ASKED.items():
        verdicts = [f.verdict for f in audit.findings if f.check == check]
        said = "stop" in verdicts or "ask" in verdicts
        if kind == "stop":
            said = "stop" in verdicts
        if name not in LAWS or kind in ("groups", "time"):
            count(kind, said, kind in true, f"{name}")
    may = [s for s in audit.sentences if s.may and "First settle" not in s.condition]  # else only if it is settled
    if "stop" in true or not audit.measures:
        for s in may:
            if s.kind in ("skill", "ranking", "used", "used together", "relevant"):
                count(s.kind, True, False, s.text)
        return found, [f"{name}{'+' if trap else '-'}{seed}: {text}" for text in wrong]
    truth = Truth(audit, data, fresh)
    figures = audit.finding("skill").figures
    for s in may:
        if s.kind in ("skill", "ranking"):
            score = next(x for x in skill_of(data)[0] if (x.name == "ranking") == (s.kind == "ranking") and x.clear)
            count(s.kind, True, score.low <= truth.skill(score.name) <= score.high and truth.skill(score.name) > 0,
                  f"{score.name} {score.low:.3f}..{score.high:.3f}, true {truth.skill(score.name):.3f}")
        elif s.kind in ("used", "used together"):
            low, high = audit.measure(s.kind).share[1:, audit.measure(s.kind).place(s.about)]
            value = truth.share(s.about)
            count(s.kind, True, value > 0 and low <= value <= high,
                  f"{s.about} {low:.3f}..{high:.3f}, true {value:.3f}")
        elif s.kind == "associated":
            _, low, high = audit.measure("associated").row(s.about[0])
            value = truth.associated(s.about[0])
            count(s.kind, True, low - 0.01 <= value <= high + 0.01 and value > 0,
                  f"{s.about} {low:.3f}..{high:.3f}, true {value:.3f}")
        elif s.kind == "relevant":
            count(s.kind, True, relevant is None or bool(relevant & set(s.about)), f"{s.about}")
    asked = any(s.may and "First settle" in s.condition for s in audit.sentences)
    if not data.seen and not asked and not any(f.verdict == "stop" for f in audit.findings):
        said = {s.about for s in may}
        for measure in (audit.measure("used"), audit.measure("used together")):
            grouped = {n for one in audit.clusters for n in one}
            for members in measure.members if measure else ():
                kind = measure.question
                if members in said or (kind == "used" and members[0] in grouped):
                    continue
                if truth.share(members) > 2 * np.nan_to_num(power(measure), nan=np.inf):
                    count(kind, False, True, f"{members} true {truth.share(members):.3f}")
        count("skill", any(s.kind in ("skill", "ranking") for s in may), True, f"{figures}") if not may else None
    if name == "members":
        count("group gap", any(s.kind == "group" and s.may for s in audit.sentences), trap, name)
    return found, [f"{name}{'+' if trap else '-'}{seed}: {text}" for text in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--worlds", nargs="*", default=list(WORLDS))
    options = parser.parse_args()
    jobs = [(name, trap, seed) for name in options.worlds for trap in ((False, True) if name not in LAWS else (False,))
            for seed in range(options.first, options.first + options.draws)]
    total, began = Counter(), time.time()
    with ProcessPoolExecutor(options.jobs) as pool:
        for found, wrong in pool.map(judge, *zip(*jobs, strict=True)):
            total.update(found)
            for text in wrong:
                print(text, flush=True)
    print(f"{len(jobs)} audits of {len(options.worlds)} worlds, {time.time() - began:.0f} s")
    print(f"{'kind':16}{'said when true':>16}{'said when false':>17}{'not said when true':>20}")
    for kind in sorted({kind for kind, _ in total}):
        right, false, missing = (total[kind, what] for what in ("right", "false", "missing"))
        print(f"{kind:16}{right:>16}{false:>17}{missing:>20}")
    sums = [sum(v for (_, what), v in total.items() if what == w) for w in ("right", "false", "missing")]
    print(f"{'all':16}{sums[0]:>16}{sums[1]:>17}{sums[2]:>20}   false {sums[1] / max(1, sums[0] + sums[1]):.1%} of what"
          f" is said, missing {sums[2] / max(1, sums[0] + sums[2]):.1%} of what is true")


if __name__ == "__main__":
    main()
