"""One dictionary of colours, for figures and explorables, that can be seen on white and on dark."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from fi_course import explorables
from fi_teach.plots import PAPER
from fi_teach.plots.colours import CLASSES, FEATURES, HUES, colours_of, hues_of

STYLE = Path(explorables.__file__).with_name("explorable.css")
# A protanope's, a deuteranope's and a tritanope's view of linear RGB (Machado, Oliveira and Fernandes 2009,
# severity 1).
VIEWS = {
    "protan": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deutan": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritan": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
TO_CONES = np.array([[0.412, 0.212, 0.088], [0.536, 0.681, 0.282], [0.051, 0.107, 0.630]])
TO_OKLAB = np.array([[0.210, 1.978, 0.026], [0.794, -2.429, 0.783], [-0.004, 0.451, -0.809]])


def linear(colour):
    """Linear RGB of "#rrggbb" -> (3,)."""
    share = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """WCAG's ratio of luminances, 1 to 21."""
    dark, light = sorted(linear(colour) @ [0.2126, 0.7152, 0.0722] + 0.05 for colour in (one, other))
    return light / dark


def in_oklab(rgb):
    """Lightness and hue in Oklab, in which equal distances look alike -> (3,)."""
    return np.cbrt(np.clip(rgb, 0, 1) @ TO_CONES) @ TO_OKLAB


def test_every_hue_has_a_contrast_of_three_to_one_on_its_paper():
    for light, dark in HUES.values():
        assert contrast(light, PAPER) >= 3 and contrast(dark, "#16171a") >= 3, (light, dark)


@pytest.mark.parametrize("view", VIEWS)
def test_no_two_hues_on_white_look_alike_to_the_colour_blind(view):
    seen = [in_oklab(np.array(VIEWS[view]) @ linear(light)) for light, _ in HUES.values()]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 0.05


def test_the_explorables_have_the_same_hues():
    written = re.findall(r"--(c\d): light-dark\((#\w{6}), (#\w{6})\)", STYLE.read_text(encoding="utf-8"))
    assert {hue: (light, dark) for hue, light, dark in written} == HUES


def test_a_feature_keeps_its_colour_whatever_it_stands_beside():
    assert colours_of(["age", "cement"])["age"] == colours_of(["water", "slag", "age"])["age"]


def test_a_name_that_nobody_listed_takes_a_hue_that_is_free():
    assert hues_of(["moon", "Attends", "tide"]) == {"moon": "c1", "Attends": "c0", "tide": "c2"}


def test_no_class_has_the_hue_of_a_feature_it_is_drawn_with():
    for features in (["Attends", "Time"], ["Outlook", "Temperature", "Humidity", "Wind"]):
        assert not {FEATURES[name] for name in features} & set(CLASSES.values())
