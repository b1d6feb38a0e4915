"""An explorable on a page, as a reader without a mouse uses it, on any screen."""

ROUNDS = 4  # a control may wait for another one to be moved, a threshold for the feature that is to be cut
FOCUSED = """(control) => {
    const field = control.querySelector('input[type=radio]:checked, input:not([type=radio]), select');
    if (!field || field.disabled) return null;
    field.focus();
    return document.activeElement === field ? field.type : null;
}"""
CUT_OFF = """(scene) => [...scene.querySelectorAll('text')].filter((words) => {
    const inner = words.getBoundingClientRect(), outer = scene.querySelector('svg').getBoundingClientRect();
    return inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1;
}).map((words) => words.textContent)"""


def sentence(explorable):
    return explorable.locator("[aria-live=polite]").inner_text()


def state(control):
    """Where a control stands: what its fields hold."""
    return control.locator("input, select").evaluate_all(
        "fields => fields.map(f => f.type === 'range' || f.type === 'select-one' ? f.value : f.checked)")


def press(control):
    """Move one control as a reader without a mouse would -> whether there was anything to move."""
    kind = control.evaluate(FOCUSED)
    if kind is None:
        return False
    before = state(control)
    for key in ["Space"] if kind == "checkbox" else ["ArrowDown", "ArrowUp"]:
        control.page.keyboard.press(key)
        if state(control) != before:
            return True
    return False


def silent_controls(explorable):
    """Press all controls, several times -> those that never made the explorable say something new."""
    controls = explorable.locator(".explorable-controls > *")
    silent = set(range(controls.count()))
    for _ in range(ROUNDS):
        for place in range(controls.count()) if silent else ():
            before = sentence(explorable)
            if press(controls.nth(place)) and sentence(explorable) not in ("", before):
                silent.discard(place)
    return [controls.nth(place).inner_text() for place in silent]


def cut_off(tab):
    """Words that reach out of their drawing, and by how much the page is wider than the screen -> list."""
    found = [words for scene in tab.locator(".explorable .explorable-scene").all() for words in scene.evaluate(CUT_OFF)]
    wider = tab.evaluate("document.documentElement.scrollWidth - innerWidth")
    return found + [f"wider by {wider}"] * (wider > 0)
