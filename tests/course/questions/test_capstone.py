"""The model answers to the capstones keep the capstones' own rule: every number in them was computed."""

import json
import re
from pathlib import Path

import pytest

SOLUTIONS = Path(__file__).parents[3] / "solutions"
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?!\w)")
GIVEN = {"13_choosing": {"28", "40", "0"}, "14_own_model": {"0", "1"}}
"""What goes in: 28 days, 40 trees, and the baseline, which is 0 by definition; the codes of no and yes."""


def model_answer(name):
    """The prose and the code of the last answer in a set."""
    cells = json.loads((SOLUTIONS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    answer = next(text for text in texts if "BEGIN SOLUTION" in text)
    return re.fullmatch(r"(.*)```python\n(.*)```.*", answer, re.DOTALL).groups()


@pytest.mark.slow
@pytest.mark.parametrize("name", GIVEN)
def test_every_number_of_the_model_answer_is_printed_by_its_own_code(name, capsys):
    if name == "14_own_model":
        pytest.importorskip("xgboost")
    prose, code = model_answer(name)
    exec(code, {})
    printed = set(NUMBER.findall(capsys.readouterr().out))
    stated = set(NUMBER.findall(prose))
    assert len(stated) > 30
    assert stated - printed <= GIVEN[name]
