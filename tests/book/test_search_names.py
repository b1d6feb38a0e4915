"""The search finds a method by the names that others give it."""

import pytest
from chapter import other_names

from .accessibility import PAGES, opened


def test_the_pages_that_have_other_names_are_in_the_book():
    assert set(other_names()) <= set(PAGES)


@pytest.mark.parametrize("words, page",
                         [("PIMP", "04_bias"), ("LOCO", "07_correlated"), ("beeswarm", "09_treeshap"),
                          ("TreeExplainer", "09_treeshap")])
def test_a_method_is_found_by_its_other_name(browser, address, words, page):
    with opened(browser, address, "search") as (tab, *_):
        tab.goto(f"{address}/search.html?q={words}")
        tab.locator(f".search a[href*='{page}']").first.wait_for(timeout=20_000)
