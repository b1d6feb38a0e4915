"""Answers to exercise set 7: right ones written differently from the solution, and wrong ones as students give them."""

from fractions import Fraction

import numpy as np
import pandas as pd

from fi_teach.basics.shuffles import gaussian_conditional as borrowed_draw

WHY = "because of what the model reads"


# correlated.among_alike

def alike_by_loops(D, groups):
    n, total = len(D), 0
    for i in range(n):
        donors = [d for d in range(n) if groups[d] == groups[i]]
        total += sum(D[i][d] for d in donors) / len(donors)
    return total / n


def alike_by_weights(D, groups):
    D, same = np.asarray(D), np.equal.outer(np.asarray(groups), np.asarray(groups))
    return (D * same / same.sum(axis=1, keepdims=True)).sum() / len(D)


def alike_with_frames(D, groups):
    """Column means by the donor's group, and from each row the one of its own."""
    groups = np.asarray(groups)
    by_group = pd.DataFrame(np.asarray(D)).T.groupby(groups).mean()
    return np.mean([by_group.loc[g, i] for i, g in enumerate(groups)])


def among_everybody(D, groups):
    return np.asarray(D).mean()


def never_itself(D, groups):
    D, groups = np.asarray(D), np.asarray(groups)
    rises = []
    for i in range(len(D)):
        donors = [d for d in range(len(D)) if groups[d] == groups[i] and d != i]
        rises.append(D[i, donors].mean() if donors else 0)
    return np.mean(rises)


def all_pairs_at_once(D, groups):
    return np.mean([D[i][d] for i in range(len(D)) for d in range(len(D)) if groups[i] == groups[d]])


def mean_of_group_means(D, groups):
    D, groups = np.asarray(D), np.asarray(groups)
    return np.mean([D[groups == g][:, groups == g].mean() for g in set(groups.tolist())])


def from_strangers(D, groups):
    D, groups = np.asarray(D), np.asarray(groups)
    return np.mean([D[i, groups != groups[i]].mean() if (groups != groups[i]).any() else 0 for i in range(len(D))])


def sums_over_donors(D, groups):
    D, groups = np.asarray(D), np.asarray(groups)
    return (D * (groups[:, None] == groups)).sum() / len(D)


# correlated.mend_sampler

def draw_by_polyfit(x, z, noise):
    weights = np.polyfit(np.asarray(z, float), np.asarray(x, float), 1)
    fitted = np.polyval(weights, np.asarray(z, float))
    return fitted + np.sqrt(np.mean((np.asarray(x) - fitted) ** 2)) * np.asarray(noise)


def draw_by_correlation(x, z, noise):
    x, z, noise = (np.asarray(v, float) for v in (x, z, noise))
    both = np.cov(x, z, bias=True)
    left = both[0, 0] - both[0, 1] ** 2 / both[1, 1]
    return x.mean() + both[0, 1] / both[1, 1] * (z - z.mean()) + np.sqrt(max(0, left)) * noise


def draw_by_least_squares(x, z, noise):
    design = np.column_stack([np.ones(len(z)), z])
    fitted = design @ np.linalg.lstsq(design, np.asarray(x, float), rcond=None)[0]
    return pd.Series(fitted + np.std(np.asarray(x) - fitted) * np.asarray(noise))


def draw_unbiased(x, z, noise):
    """Two degrees of freedom are gone with the line."""
    x, z = np.asarray(x, float), np.asarray(z, float)
    fitted = np.polyval(np.polyfit(z, x, 1), z)
    return fitted + np.sqrt(((x - fitted) ** 2).sum() / (len(x) - 2)) * np.asarray(noise)


def _fit(x, z):
    slope = np.mean((x - x.mean()) * (z - z.mean())) / z.var()
    return x.mean() + slope * (z - z.mean())


def without_the_root(x, z, noise):
    x, z = np.asarray(x, float), np.asarray(z, float)
    told = np.corrcoef(x, z)[0, 1] ** 2
    return _fit(x, z) + (1 - told) * x.std() * np.asarray(noise)


def fitted_only(x, z, noise):
    return _fit(x, z)


def times_the_variance(x, z, noise):
    return _fit(x, z) + (x - _fit(x, z)).var() * noise


def other_regression(x, z, noise):
    slope = np.mean((x - x.mean()) * (z - z.mean())) / x.var()
    fitted = x.mean() + slope * (z - z.mean())
    return fitted + np.std(x - fitted) * noise


def ignores_z(x, z, noise):
    return x.mean() + x.std() * noise


def borrowed_sampler(x, z, noise):
    return borrowed_draw(np.column_stack([x, z]), 0, np.random.default_rng(0))


# correlated.test_shuffle

mixed, VALUES = np.array([0, 1, 1, 0, 2] * 12), np.arange(60)


def test_by_frames(f):
    values = VALUES.copy()
    new = pd.Series(np.asarray(f(values, mixed, np.random.default_rng(3))))
    assert new.groupby(mixed).agg(set).equals(pd.Series(VALUES).groupby(mixed).agg(set))
    assert (new != VALUES).sum() > 10 and (values == VALUES).all()


def test_that_answers(f):
    kept = VALUES.tolist()
    news = [np.asarray(f(np.array(kept), mixed.copy(), np.random.default_rng(seed))) for seed in range(3)]
    own = all(sorted(new[mixed == g]) == sorted(VALUES[mixed == g]) for new in news for g in range(3))
    argument = np.array(kept)
    f(argument, mixed, np.random.default_rng(0))
    return bool(own and (argument == VALUES).all() and len({tuple(new) for new in news}) > 1)


def test_that_all_move(f):
    new = f(VALUES.copy(), mixed, np.random.default_rng(0))
    assert (np.asarray(new) != VALUES).all()


def test_one_outcome(f):
    rng = np.random.default_rng(0)
    new = np.asarray(f(np.arange(6), np.zeros(6, int), np.random.default_rng(0)))
    assert list(new) == list(rng.permutation(6))


def test_of_the_column_only(f):
    values = VALUES.copy()
    new = np.asarray(f(values, mixed, np.random.default_rng(0)))
    assert sorted(new) == sorted(VALUES) and (new != VALUES).any() and (values == VALUES).all()


def test_without_movement(f):
    values = VALUES.copy()
    new = np.asarray(f(values, mixed, np.random.default_rng(0)))
    assert all(sorted(new[mixed == g]) == sorted(VALUES[mixed == g]) for g in range(3)) and (values == VALUES).all()


def test_of_membership(f):
    values = VALUES.copy()
    new = np.asarray(f(values, mixed, np.random.default_rng(0)))
    assert all(set(new[mixed == g]) <= set(VALUES[mixed == g])
               for g in range(3)) and (new != VALUES).any() and (values == VALUES).all()


def test_on_sorted_groups(f):
    groups, values = np.repeat([0, 1, 2], 20), VALUES.copy()
    new = np.asarray(f(values, groups, np.random.default_rng(0)))
    assert all(sorted(new[groups == g]) == sorted(VALUES[groups == g])
               for g in range(3)) and (new != VALUES).any() and (values == VALUES).all()


def test_of_the_result_only(f):
    new = np.asarray(f(VALUES.copy(), mixed, np.random.default_rng(0)))
    assert all(sorted(new[mixed == g]) == sorted(VALUES[mixed == g]) for g in range(3)) and (new != VALUES).any()


RIGHT = {
    "correlated.recall_pairs": [1600, Fraction(1600), np.array([1600.0]), "1600"],
    "correlated.recall_crowd": [("B", WHY), ["b)", WHY]],
    "correlated.door": [("C", WHY), ["(c)", WHY]],
    "correlated.four_models": [[18, 8, 2], {"x1": 18.0, "x2": 8.0, "together": 2.0}, np.array([18, 8, 2]),
                               "18, 8, 2", {"x1": 18, "x2": 8, "both": 2}],
    "correlated.among_alike": [alike_by_loops, alike_by_weights, alike_with_frames],
    "correlated.one_copy": [1.3, "13/10", "1,3", Fraction(13, 10)],
    "correlated.mend_sampler": [draw_by_polyfit, draw_by_correlation, draw_by_least_squares, draw_unbiased],
    "correlated.test_shuffle": [test_by_frames],
    "correlated.contract": [("c", WHY), np.array(["C.", WHY])],
}

WRONG = {
    "correlated.recall_pairs": [("one shuffle", 40), ("without itself", 40 * 39), ("each pair once", 780),
                                ("all columns", 6 * 1600)],
    "correlated.recall_crowd": [("credit multiplied", ("a", WHY)), ("first takes all", ("c", WHY)),
                                ("held-out repairs it", ("d", WHY))],
    "correlated.door": [("the forest is not the model", ("a", WHY)), ("correlation opens no door", ("b", WHY)),
                        ("no rows, no reading", ("d", WHY))],
    "correlated.four_models": [
        ("one variance", [9, 4, 1]), ("the sum", [18, 8, 26]),
        ("weights added up", {"x1": 18, "x2": 8, "together": 50}),
        ("the difference", [18, 8, 10]), ("two instead of its mean square", [36, 16, 4]),
        ("not squared", [6, 4, 2]), ("what the world says", [0, 0, 2])],
    "correlated.among_alike": [
        ("among all", among_everybody), ("without itself", never_itself), ("pairs pooled", all_pairs_at_once),
        ("groups counted alike", mean_of_group_means),
        ("among the others", from_strangers), ("a sum over donors", sums_over_donors)],
    "correlated.one_copy": [
        ("the noise at full size", 1.4), ("the root forgotten", 1.22), ("no noise", 0.9),
            ("noise only", 0.4),
        ("z itself", 1.9), ("as if unrelated", 0.5)],
    "correlated.mend_sampler": [
        ("the root forgotten", without_the_root), ("no noise", fitted_only),
            ("variance for deviation", times_the_variance), ("the wrong way round", other_regression),
        ("among all", ignores_z), ("borrowed", borrowed_sampler)],
    "correlated.test_shuffle": [
        ("returns what it should assert", test_that_answers),
        ("refuses a right one", test_that_all_move), ("asks for one shuffle", test_one_outcome),
        ("misses crossed groups", test_of_the_column_only),
        ("misses a standstill", test_without_movement), ("misses replacement", test_of_membership),
        ("misses another order", test_on_sorted_groups),
        ("misses a changed argument", test_of_the_result_only)],
    "correlated.contract": [("about the old model", ("a", WHY)), ("near, but not refitted", ("b", WHY)),
                            ("how it was built", ("d", WHY))],
}
