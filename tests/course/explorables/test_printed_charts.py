"""The printed charts: shares of each chart's own sum, and a sentence that says where the watched columns stand."""

import pandas as pd
import pytest

from fi_course.explorables import explore_printed_charts

TABLE = pd.DataFrame({"split": [10, 30, 60], "gain": [80.0, 15, 5]}, index=["a", "b", "ticket"])
TOLD = {"split": "how often", "gain": "how well"}


def test_a_chart_is_shown_in_shares_of_its_sum_longest_first():
    seen = explore_printed_charts(TABLE, watched=["ticket", "a"], told=TOLD)
    assert seen.sentence == ("split, how often: ticket leads with 60%. Of 3 columns ticket stands on place 1 with 60%, "
                             "a stands on place 3 with 10%.")
    assert seen.sentence_at(chart="gain").startswith(
        "gain, how well: a leads with 80%. Of 3 columns ticket stands on place 3 with 5%")


@pytest.mark.parametrize(("watched", "told", "said"), [
    ([], TOLD, "one to 4"), (["nobody"], TOLD, "nobody"), (list("abcde"), TOLD, "one to 4"),
    (["a"], {"gain": "how well"}, "tell of each")])
def test_what_cannot_be_watched_or_told_is_refused(watched, told, said):
    with pytest.raises(ValueError, match=said):
        explore_printed_charts(TABLE, watched=watched, told=told)
