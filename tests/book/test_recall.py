"""Ten minutes of recall: ten old questions, the overdue first, drawn from what the browser remembers."""


from .accessibility import VIEWS, layout_problems, opened, violations_in_every_view
from .test_cards import CARDS, CHAPTERS, groups_in, guess
from .test_progress import stored

PAGE = "book/recall"
DRAWN = "() => [...document.querySelectorAll('.fi-draw .fi-card')].map((card) => card.id)"
REMEMBER = """days => localStorage.setItem('which-features-matter', JSON.stringify({ guesses:
    Object.fromEntries(Object.entries(days).map(([id, [ago, row]]) =>
        [id, { said: 'x', right: row > 0, day: Math.floor(Date.now() / 864e5) - ago, row }])) }))"""


def with_past(tab, days):
    """Let the browser remember guesses {card: (days ago, right answers in a row)}."""
    tab.evaluate(REMEMBER, days)
    tab.reload()


def test_a_newcomer_is_told_so_and_may_draw_ten_of_all_cards_of_the_book(browser, address):
    with opened(browser, address, PAGE, gated=True) as (tab, errors, *_):
        assert tab.locator(".fi-card").count() == sum(map(groups_in, CHAPTERS)) and tab.evaluate(DRAWN) == []
        tab.get_by_role("button", name="Draw ten anyway").press("Enter")
        assert len(set(tab.evaluate(DRAWN))) == 10 and errors == []


def test_the_overdue_come_first_and_no_more_than_ten(browser, address):
    """A miss of three days ago is overdue more than a right answer of three days ago,
    that more than a well-known one."""
    with opened(browser, address, PAGE, gated=True) as (tab, *_):
        ids = [card["id"] for card in tab.evaluate(CARDS)][:14]
        past = dict.fromkeys(ids[3:], (1, 5)) | {ids[0]: (3, 1), ids[1]: (3, 0), ids[2]: (3, 3)}
        with_past(tab, past)
        assert tab.evaluate(DRAWN)[:3] == [ids[1], ids[0], ids[2]]
        assert len(tab.evaluate(DRAWN)) == 10


def test_an_answer_counts_and_the_sum_is_told_at_the_end(browser, address):
    with opened(browser, address, PAGE, gated=True) as (tab, *_):
        cards = tab.evaluate(CARDS)[:2]
        with_past(tab, {cards[0]["id"]: (9, 1), cards[1]["id"]: (5, 2)})
        guess(tab, cards[0]["id"], cards[0]["right"])
        guess(tab, cards[1]["id"], (cards[1]["right"] + 1) % cards[1]["many"])
        assert tab.locator(".fi-draw [role=status]").inner_text().startswith("1 of 2 right.")
        assert [stored(tab)["guesses"][card["id"]]["row"] for card in cards] == [2, 0]


def test_each_question_leads_to_its_place_in_the_book(browser, address):
    with opened(browser, address, PAGE, gated=True) as (tab, *_):
        card = tab.evaluate(CARDS)[0]["id"]
        with_past(tab, {card: (2, 0)})
        tab.locator(".fi-draw .fi-from a").click()
        tab.locator(f"#{card}").wait_for()
        assert tab.url.endswith(f"notebooks/01_trees.html#{card}")


def test_a_draw_passes_the_accessibility_rules(browser, address):
    with opened(browser, address, PAGE, gated=True) as (tab, *_):
        tab.get_by_role("button", name="Draw ten anyway").click()
        for view, found in violations_in_every_view(tab):
            assert (view, found | layout_problems(tab, VIEWS[view][1])) == (view, {})
