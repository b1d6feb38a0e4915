"""The proof of a set without pytest, for a Python that has none: in a page, or behind WebAssembly's walls.

It asks for nothing but the package, so its text can be sent there together with the set's notebooks, its answers and
the module of its questions, from which the mistaken answers come.
"""

import ast
import json
import sys
from pathlib import Path
from types import ModuleType

from fi_course.questions import QUESTIONS, judge
from fi_course.questions.blocked_calls import blocked

WHY = "because I think so"


def handed_to_checks(cells):
    """Run a notebook's cells in order -> {question id: what is handed to its check}."""
    space, answers = {"__name__": "exercise"}, {}
    for cell in cells:
        source, about = "".join(cell["source"]), cell["metadata"].get("fi_teach", {})
        if about.get("part") == "check":
            call = ast.parse(source).body[0].value
            answers[about["question"]] = eval(compile(ast.Expression(call.args[0]), "<check>", "eval"), space)
        elif cell["cell_type"] == "code":
            exec(source, space)
        elif about.get("part") == "answer":
            answers[about["question"]] = source
    return answers


def right_in_another_hand(check, by_hand=()):
    """Right answers by hand; a letter is also right as a capital, in one text with its reason -> list."""
    letter = getattr(check, "right", None)
    return [*by_hand, *([f"{letter.upper()}) {WHY}"] if isinstance(letter, str) else [])]


def mistaken_answers(check, by_hand=()):
    """Wrong answers by hand, and one for each mistake of a check from its own output -> [(name, answer)].

    Numbers are rounded as one writes them; where a mistake concerns some of several values the others are right.
    """
    if hasattr(check, "targets"):
        right, *wrong = check.targets
        return [*by_hand, *((target.name, _written(check.entries, target.values, right.values)) for target in wrong)]
    return [*by_hand, *((mistake.name, mistake.output if callable(mistake.output) else (mistake.output, WHY))
                        for mistake in getattr(check, "mistakes", ()))]


def _written(entries, values, right):
    """The values as one writes them, from the right ones where a mistake has none -> number, or dict."""
    full = [float(f"{r if value is None else value:.4g}") for value, r in zip(values, right, strict=True)]
    return dict(zip(entries, full, strict=True)) if entries else full[0]


def checks_of(name, module, implementations):
    """Run the text of a set's module, where the package lacks it, below its implementations -> {id: check}."""
    package = "fi_course.questions"
    sent = {f"{package}.implementations_to_test": "", f"{package}.implementations_to_test.ch{name}": implementations,
            f"{package}.ch{name}": module}
    for dotted, source in sent.items():
        sys.modules[dotted] = found = ModuleType(dotted)
        found.__file__ = dotted
        exec(compile(source, dotted, "exec"), vars(found))
    return {question.id: question.check for question in found.QUESTIONS}


def prove(name, solutions, exercises, answers, module, implementations):
    """Judge every answer of a set's proof -> {"judged": how many, "gaps": [what was said otherwise]}.

    solutions, exercises : cells of the set's notebooks; answers : the text of its file in answers/; module,
    implementations : the texts of the modules of its questions
    """
    proof, judged, gaps = {"__name__": "answers"}, 0, []
    exec(compile(answers, "<answers>", "exec"), proof)
    solved, stubs = handed_to_checks(solutions), handed_to_checks(exercises)
    for id, check in checks_of(name, module, implementations).items():
        accepted = "by hand" if QUESTIONS[id].kind == "explain" else "right"
        rights = [solved[id], *right_in_another_hand(check, proof["RIGHT"].get(id, []))]
        wrong = mistaken_answers(check, proof["WRONG"].get(id, []))
        expected = [("not started", None, stubs[id])]
        expected += [(accepted, "", answer) for answer in rights]
        expected += [("wrong", mistake, answer) for mistake, answer in wrong]
        for status, mistake, answer in expected:
            with blocked(QUESTIONS[id].blocked):
                found = judge(QUESTIONS[id], answer)
            judged += 1
            if found.status != status or mistake not in (None, found.mistake):
                gaps.append(f"{id}: {found.status} {found.mistake!r}, not {status} {mistake!r}: {str(answer)[:80]}")
    return {"judged": judged, "gaps": gaps}


def prove_all(sets):
    """The proofs of several sets, [name, solutions, ...] each -> {name: proof}."""
    return {one[0]: prove(*one) for one in sets}


if __name__ == "__main__":
    print(json.dumps(prove_all(json.loads(Path("/tmp/sets.json").read_text(encoding="utf-8")))))
