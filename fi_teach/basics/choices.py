"""Arguments that name one of several choices."""

from collections.abc import Iterable


def check_choice(choice: object, known: Iterable[str], what: str) -> str:
    """Check that an argument is one of the known names, and return it.

    >>> check_choice("oob", ("oob", "ufi"), "method")
    'oob'
    """
    known = list(known)
    if not isinstance(choice, str) or choice not in known:
        raise ValueError(
            f"unknown {what} {choice!r}: expected one of {', '.join(map(repr, known))}.")
    return choice
