"""The proof of a set without pytest, for a Python that has none: in a page, or behind WebAssembly's walls.

It asks for nothing but the package, so its text can be sent there together with the set's notebooks and answers.
"""

import ast
import json
from pathlib import Path

from fi_course.questions import QUESTIONS, judge
from fi_course.questions.blocked_calls import blocked


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


def expectations(name, solutions, exercises, proof):
    """(question id, status, mistake's name or None, answer) of all that the proof of a set knows."""
    solved, stubs = handed_to_checks(solutions), handed_to_checks(exercises)
    for id, question in QUESTIONS.items():
        if question.notebook == name:
            by_hand = question.kind in ("explain", "open")
            right = [solved[id], *proof["RIGHT"].get(id, [])]
            yield from ((id, "by hand" if by_hand else "right", None, answer) for answer in right)
            yield id, "not started", None, stubs[id]
            yield from ((id, "wrong", mistake, answer) for mistake, answer in proof["WRONG"].get(id, []))


def prove(name, solutions, exercises, answers):
    """Judge every answer of a set's proof -> {"judged": how many, "gaps": [what was said otherwise]}.

    solutions, exercises : cells of the set's notebooks; answers : the text of its file in answers/
    """
    proof, judged, gaps = {"__name__": "answers"}, 0, []
    exec(compile(answers, "<answers>", "exec"), proof)
    for id, status, mistake, answer in expectations(name, solutions, exercises, proof):
        with blocked(QUESTIONS[id].blocked):
            found = judge(QUESTIONS[id], answer)
        judged += 1
        if found.status != status or (mistake is not None and found.mistake != mistake):
            gaps.append(f"{id}: {found.status} {found.mistake!r}, not {status} {mistake!r}: {str(answer)[:80]}")
    return {"judged": judged, "gaps": gaps}


def prove_all(sets):
    """The proofs of several sets, [name, solutions, exercises, answers] each -> {name: proof}."""
    return {one[0]: prove(*one) for one in sets}


if __name__ == "__main__":
    print(json.dumps(prove_all(json.loads(Path("/tmp/sets.json").read_text(encoding="utf-8")))))
