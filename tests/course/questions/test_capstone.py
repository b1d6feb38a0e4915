"""The model answer to the capstone keeps the capstone's own rule: every number in it was computed."""

import json
import re
from pathlib import Path

CELLS = json.loads((Path(__file__).parents[3] / "solutions/13_choosing.ipynb").read_text(encoding="utf-8"))["cells"]
ANSWER = next(text for cell in CELLS if cell["cell_type"] == "markdown" and "BEGIN SOLUTION" in (text := "".join(cell["source"])))
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?!\w)")


def test_every_number_of_the_model_answer_is_printed_by_its_own_code(capsys):
    """All but what goes in: 28 days, 40 trees, and the baseline, which is 0 by definition."""
    prose, code = re.fullmatch(r"(.*)```python\n(.*)```.*", ANSWER, re.DOTALL).groups()
    exec(code, {})
    printed = set(NUMBER.findall(capsys.readouterr().out))
    stated = set(NUMBER.findall(prose))
    assert len(stated) > 30
    assert stated - printed <= {"28", "40", "0"}
