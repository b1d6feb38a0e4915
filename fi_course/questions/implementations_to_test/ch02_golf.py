"""Shares of decreases, right and wrong, for `golf.test_shares`."""


def shares(decreases):
    total = sum(decreases.values())
    return {feature: decrease / total for feature, decrease in decreases.items()}


def in_another_order(decreases):
    found = sorted(shares(decreases).items(), reverse=True)
    return {feature: share * (1 + 2**-52) for feature, share in found}


def by_the_largest(decreases):
    return {feature: decrease / max(decreases.values()) for feature, decrease in decreases.items()}


def by_the_rows(decreases):
    return {feature: decrease / 14 for feature, decrease in decreases.items()}


def without_zeros(decreases):
    return {feature: share for feature, share in shares(decreases).items() if share}


def truncated(decreases):
    return {feature: int(100 * share) / 100 for feature, share in shares(decreases).items()}


def equal(decreases):
    """Every feature that earned anything gets the same."""
    return shares({feature: float(decrease > 0) for feature, decrease in decreases.items()})


def of_squares(decreases):
    return shares({feature: decrease**2 for feature, decrease in decreases.items()})
