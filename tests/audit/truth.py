"""Are an audit's sentences right? On worlds whose truth is known each one is held against it.

    python tests/audit/truth.py --draws 20      every world, that many draws: a table

A sentence is right if
    skill, used    the figure of the very same model on 10,000 fresh rows lies in the interval
    (together)     that the sentence gives (and is above zero, where it says "uses")
    relevant       the column, or one of the group, is relevant or is read by the ideal predictor
    associated     the column is associated, and the share of 10,000 fresh rows is in the interval
"""

import argparse
from collections import Counter

import numpy as np

from fi_audit import questions
from fi_audit.inputs import make_inputs
from fi_audit.run import run
from fi_teach.basics.evaluation import Evaluation
from fi_teach.importance import permutation_importance
from fi_teach.worlds import WORLDS

LEFT_OUT = {"pipeline_faults"}
"""The audit takes one target, a class or a number; a table's faults have no fresh rows of the same law."""
NAMES = tuple(name for name in WORLDS if name not in LEFT_OUT)
FRESH = 10_000


def sentences_of(name, seed, n=600, n_trees=25):
    """One draw of a world: [(kind, about, was it right?)], and [(kind, about)] of what is true and was not said."""
    from sklearn.ensemble import RandomForestRegressor
    world, fresh = WORLDS[name](n, rng=[seed, 1]), WORLDS[name](FRESH, rng=[seed, 2])
    y = world.y.astype(float)
    test = None
    if world.test is not None:
        test, fresh = (world.test.X, world.test.y.astype(float)), fresh.test
    learner = RandomForestRegressor(n_trees, min_samples_leaf=3, max_features=0.5, random_state=seed)
    n_rows = len(y) + (0 if test is None else len(test[1]))
    in_time = dict.fromkeys(world.X, 0)
    inputs = make_inputs(learner.fit(world.X, y), world.X, y, test=test, quick=True, rng=seed,
                         time=np.arange(1, n_rows + 1), known_from=in_time)
    audit = run(inputs)
    truth = Truth(inputs, fresh, world.truth, audit)
    judged = [(s.kind, s.about, truth.bears_out(s)) for s in audit.sentences if s.may and s.kind in KINDS]
    said = {(kind, name) for kind, about, _ in judged for name in about}
    missed = [(kind, name) for kind in ("relevant", "associated") for name in world.truth.index[world.truth[kind]]
              if (kind, name) not in said]
    return judged, missed


class Truth:
    """What 10,000 fresh rows of the same law say of the same model."""

    def __init__(self, inputs, fresh, truth, audit):
        self.inputs, self.truth, self.audit = inputs, truth, audit
        self.X, self.y = fresh.X, fresh.y.to_numpy(dtype=float)
        self.settings = {"loss": inputs.test_set.loss, "n_repeats": 1, "rng": 1}

    def bears_out(self, sentence):
        return bool(KINDS[sentence.kind](self, sentence))

    def skill(self, sentence):
        found = self.audit.finding("better than none").figures
        losses = Evaluation(self.inputs.model, self.X, self.y, self.inputs.test_set.loss).losses_before
        constant = self.inputs.y[self.inputs.fitted].astype(float).mean()
        skill = 1 - losses.mean() / ((self.y - constant) ** 2).mean()
        return found["low"] <= skill <= found["high"]

    def used(self, sentence):
        (name,) = sentence.about
        if not hasattr(self, "_used"):
            self._used = permutation_importance(self.inputs.model, self.X, self.y, **self.settings)
        return self._inside("used", name, self._used.mean[self._used.names.index(name)])

    def together(self, sentence):
        name = questions.title(sentence.about)
        groups = {name: list(sentence.about)}
        importance = permutation_importance(self.inputs.model, self.X, self.y, feature_groups=groups, **self.settings)
        return self._inside("used together", name, importance.mean[0])

    def relevant(self, sentence):
        of_members = self.truth.loc[list(sentence.about)]
        alone = len(sentence.about) == 1
        return of_members["relevant"].any() or (not alone and of_members["used"].any())

    def associated(self, sentence):
        (name,) = sentence.about
        bins, T = questions._bins(self.X[name]), self.y[:, None]
        folds = np.array_split(np.arange(len(self.y)), 5)
        before, after = questions._by_bins(bins, T, folds)
        share = 1 - after.sum() / before.sum()
        return self.truth.loc[name, "associated"] and self._inside("associated", name, share)

    def _inside(self, question, name, value):
        _, low, high = self.audit.measure(question).row(name)
        return low <= value <= high and value > 0


KINDS = {"skill": Truth.skill, "used": Truth.used, "used together": Truth.together, "relevant": Truth.relevant,
         "associated": Truth.associated}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--worlds", nargs="*", default=NAMES)
    options = parser.parse_args()
    said, right, reports, whole, silent = Counter(), Counter(), 0, 0, Counter()
    for name in options.worlds:
        wrong = []
        for seed in range(options.draws):
            judged, missed = sentences_of(name, seed)
            said.update(kind for kind, _, _ in judged)
            right.update(kind for kind, _, well in judged if well)
            wrong += [(seed, kind, *about) for kind, about, well in judged if not well]
            silent.update(kind for kind, _ in missed)
            reports += 1
            whole += all(well for _, _, well in judged)
        print(f"{name:18} {options.draws} draws, wrong: {wrong or 'none'}", flush=True)
    for kind in KINDS:
        print(f"{kind:14} {right[kind]} of {said[kind]} right"
              + (f"; true and not said: {silent[kind]}" if kind in silent else ""))
    print(f"all kinds      {sum(right.values())} of {sum(said.values())} right")
    print(f"reports        {whole} of {reports} without a wrong sentence")


if __name__ == "__main__":
    main()
