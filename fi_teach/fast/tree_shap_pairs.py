"""A row and a background row walk down the trees together: where paths are too long for tables.

Mixed, the two reach a leaf only if no feature fails both. "Mine" are the u features on which the
background row fails, so that they must come from the row; "theirs" the w on which the row fails, so
that they must come from the background row; the rest may come from either. A leaf of value 1 gives

    (u-1)! w! / (u+w)!  to each of mine,   - u! (w-1)! / (u+w)!  to each of theirs,   else 0,

and interactions likewise, with (u-2)! w!, u! (w-2)! and -(u-1)! (w-1)! over (u+w-1)!. Many pairs
walk at once: those that have arrived at a leaf contribute, the others go on to both children,
unless a feature fails both rows. Source: Lundberg et al. (2020), Algorithm 3.
"""

import numpy as np

from fi_teach.fast.forest_arrays import forest_arrays, neighbours, portions

NODES_AT_ONCE = 2**12
FAILURES_AT_ONCE = 2**21  # nodes times rows
PAIRS_AT_ONCE = 2**14  # of a row and a background row, each at one node


def add_by_pairs(total, trees, values, background, X):
    """Add interventional Shapley values or interactions of some trees to total, in place.

    total (p, K, n) or (p, p, K, n), values at (i, i) and interactions at i > j; X (n, p)
    -> the trees' mean over the background (K,)
    """
    for some in neighbours([tree.n_nodes for tree in trees], NODES_AT_ONCE):
        forest = forest_arrays(trees[some], np.concatenate(values[some]) / len(background))
        size = FAILURES_AT_ONCE // len(forest.left)
        for others in portions(len(background), size):
            z_failed = forest.failed_tests(background[others])
            for rows in portions(len(X), size):
                x_failed = forest.failed_tests(X[rows])
                for pairs in portions(x_failed.shape[1] * z_failed.shape[1], PAIRS_AT_ONCE):
                    walk(total[..., rows], forest, x_failed, z_failed, pairs)
    means = [
        value[tree.leaf_of(background)].mean(axis=0)
        for tree, value in zip(trees, values, strict=True)]
    return sum(means)


def walk(total, forest, x_failed, z_failed, pairs):
    """Some pairs down all trees, each to every node that a mix of its two rows may reach."""
    n_rows, n_others, is_leaf = x_failed.shape[1], z_failed.shape[1], forest.is_leaf
    pair = np.tile(np.arange(pairs.start, pairs.stop), len(forest.roots))
    waiting = [(np.repeat(forest.roots, pairs.stop - pairs.start), pair)]
    while waiting:
        node, pair = waiting.pop()
        if len(node) > PAIRS_AT_ONCE:
            waiting += zip(np.array_split(node, 2), np.array_split(pair, 2), strict=True)
            continue
        row, other = np.divmod(pair, n_others)
        arrives = ~(x_failed.take(node * n_rows + row) & z_failed.take(node * n_others + other))
        ends = is_leaf.take(node)
        end = np.flatnonzero(arrives & ends)
        last = forest.last_edges.take(node[end], axis=0)
        on_path = last >= 0
        mine = z_failed.take(last * n_others + other[end, None]) & on_path
        theirs = x_failed.take(last * n_rows + row[end, None]) & on_path
        add_leaves(total, forest, node[end], row[end], mine, theirs)
        going_on = np.flatnonzero(arrives & ~ends)
        if len(going_on):
            node = node[going_on]
            children = np.concatenate([forest.left[node], forest.right[node]])
            waiting.append((children, np.tile(pair[going_on], 2)))


def add_leaves(total, forest, leaf, row, mine, theirs):
    """Add what E leaves contribute, in place: leaf, row (E,); mine, theirs (E, D) bool."""
    value, feature = forest.value[leaf], forest.tested.take(forest.last_edges[leaf])
    u, w = mine.sum(axis=1), theirs.sum(axis=1)
    if total.ndim == 4:
        of_pair = np.stack([share(u - 2, w), share(u, w - 2), -share(u - 1, w - 1)]) / 2
        either = mine | theirs
        end, one, two = np.nonzero(either[:, :, None] & either[:, None])
        end, one, two = end[one > two], one[one > two], two[one > two]
        side = np.where(mine[end, one] == mine[end, two], ~mine[end, one], 2).astype(np.intp)
        i, j = feature[end, one], feature[end, two]
        pair = np.maximum(i, j), np.minimum(i, j)
        add(total, pair, row[end], of_pair[side, end], value[end])
        total = np.einsum("iikn->ikn", total)  # a view: the values of single features
    of_one = np.stack([share(u - 1, w), -share(u, w - 1)])
    end, place = np.nonzero(mine | theirs)
    side = theirs[end, place].astype(np.intp)
    add(total, (feature[end, place],), row[end], of_one[side, end], value[end])


def share(u, w):
    """u! w! / (u + w + 1)!, of no meaning where u or w is below 0."""
    u, w = np.maximum(u, 0), np.maximum(w, 0)
    log_factorial = np.log(np.maximum(np.arange(np.max(u + w, initial=0) + 2), 1)).cumsum()
    return np.exp(log_factorial[u] + log_factorial[w] - log_factorial[u + w + 1])


def add(total, target, row, shares, value):
    """total[target, output, row] += share * value at each of E leaves, in place.

    target : arrays (E,), one for each axis; row, shares (E,); value (E, K)
    """
    for output, its_value in zip(np.moveaxis(total, -2, 0), value.T, strict=True):
        np.add.at(output, (*target, row), shares * its_value)
