"""A claim holds its cell to the ledger: the right checks pass, and every way of cheating it is refused."""

import numpy as np
import pytest

from fi_course.claims import VERDICTS, claim, read_ledger, settle

LEDGER = read_ledger()


def test_the_ledger_lists_every_statement_once_with_source_verdict_and_chapter():
    """Each has a source that the sources page introduces, a verdict, and a chapter or the reason why it has none."""
    sources = {"English article", "random-forest slides", "Chinese article", "midterm slides", "golf post"}
    for entry in LEDGER.values():
        last = "because" if entry["verdict"] == "open" else "chapter"
        assert set(entry) == {"id", "source", "claim", "verdict", last} and entry[last]
        assert entry["source"] and set(entry["source"]) <= sources and entry["verdict"] in VERDICTS


@pytest.mark.parametrize(("id", "checks", "words"), [
    ("MID-01", {"holds": True}, "✓ holds"),
    ("MID-01", {"holds": [np.True_, True]}, "✓ holds"),
    ("GLF-04", {"fails": np.array([True, True])}, "✗ does not hold"),
    ("MID-06", {"holds": True, "fails": True}, "◐ holds under a condition"),
    ("APP-02", {"holds": True}, "▸ announced there, done here"),
])
def test_checks_that_bear_out_the_verdict_give_a_badge(id, checks, words):
    """Which checks are given decides the verdict, and the badge says it in words."""
    badge = settle(id, **checks, figure=0.123456)
    assert words in repr(badge) and words in badge._repr_html_() and LEDGER[id]["claim"] in repr(badge)
    assert "0.1235" in repr(badge)


def test_the_badge_carries_what_the_ledger_page_needs():
    """Id, verdict and figure stand in data attributes, with signs that HTML reserves written safely."""
    html = settle("MID-01", holds=True, figure='.2 < ".3"')._repr_html_()
    for part in ('data-claim="MID-01"', 'data-verdict="holds"', 'data-figure=".2 &lt; &quot;.3&quot;"',
                 'href="../book/ledger.ipynb#cell-id=MID-01"', 'id="claim-mid-01"'):
        assert part in html


@pytest.mark.parametrize("checks", [{"holds": False}, {"holds": [True, False]}, {"fails": np.False_}])
def test_a_check_that_is_false_is_an_assertion_error_that_says_which(checks):
    """A cell that does not show what it says must not leave a badge."""
    id = "GLF-04" if "fails" in checks else "MID-01"
    with pytest.raises(AssertionError, match=r"check \d of \d under (holds|fails) is False"):
        settle(id, **checks, figure=1)


@pytest.mark.parametrize(("id", "checks"),
                         [("GLF-04", {"holds": True}), ("MID-01", {"fails": True}), ("MID-06", {"holds": True}),
                          ("APP-02", {"fails": True})])
def test_a_verdict_other_than_the_ledgers_is_an_assertion_error_that_says_what_to_do(id, checks):
    """Either the cell or the ledger must change."""
    with pytest.raises(AssertionError, match=r"which needs .* correct the verdict in book/claims\.yaml"):
        settle(id, **checks, figure=1)


@pytest.mark.parametrize(("id", "arguments", "says"), [
    ("GLF-99", {"holds": True, "figure": 1}, "no claim 'GLF-99' in the ledger"),
    ("OPN-01", {"holds": True, "figure": 1}, "OPN-01 is one that code cannot settle"),
    ("MID-01", {"figure": 1}, "without a check"),
    ("MID-01", {"holds": True, "figure": " "}, "empty figure"),
    ("MID-01", {"holds": True, "figure": ()}, "empty figure"),
    ("MID-01", {"holds": [], "figure": 1}, "expected True or False"),
    ("MID-01", {"holds": 0.3, "figure": 1}, "write a comparison"),
    ("GLF-04", {"fails": [True, 1.0], "figure": 1}, "write a comparison"),
])
def test_what_is_no_claim_or_no_check_is_refused(id, arguments, says):
    """An unknown id, a bare claim, no figure, and numbers in place of truth values."""
    with pytest.raises(ValueError, match=says):
        settle(id, **arguments)


def test_claim_shows_the_badge_and_returns_nothing(capsys):
    """In a terminal the badge is a sentence."""
    assert claim("MID-01", holds=True, figure=(0.2, "exactly")) is None
    assert "Computed here: 0.2, exactly" in capsys.readouterr().out
