"""The proof of a set without pytest, for a Python that has none: in a page.

It asks for nothing but the package, so its text can be sent there together with the set's notebooks, its answers and
the module of its questions, from which the mistaken answers come.
"""

import ast
import copy
import sys
from dataclasses import replace
from functools import cache
from types import ModuleType

from fi_course.questions import QUESTIONS, judge
from fi_course.questions.blocked_calls import blocked, functions_at
from fi_course.questions.functions import ARRAYS_ONLY, RETURNED, Outcome, output_of
from fi_course.questions.plain_values import normalise

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
    """Right answers by hand; a letter is also right as a capital, in one text with its reason, and numbers are right in
    one text, rounded and with their unit -> list."""
    letter = getattr(check, "right", None)
    written = [f"{letter.upper()}) {WHY}"] if isinstance(letter, str) else []
    if hasattr(check, "targets"):
        numbers = ", ".join(f"{value:.4g}" for value in check.targets[0].values)
        written = [" ".join([numbers, *check.units[:1]])]
    return [*by_hand, *written]


def mistaken_answers(question, right=None, by_hand=()):
    """Wrong answers by hand, and one for each mistake that the question's check knows -> [(name, answer)].

    A number or letter is the mistake's own output, in another unit where the question has one. A function is what the
    mistake computes, `right` for arrays alone, or a blocked call. A test is `right`, blind to one bug or too strict.
    """
    check = question.check
    if hasattr(check, "bugs"):
        return [*by_hand, *(_mistaken_tests(check, right) if right else ())]
    if hasattr(check, "targets"):
        first, *wrong = check.targets
        known = [(target.name, _written(check.entries, target.values, first.values)) for target in wrong]
        return [*by_hand, *known, *([("wrong unit", (first.values[0], "furlongs"))] if check.units else [])]
    known = [(one.name, one.output if callable(one.output) else (one.output, WHY))
             for one in getattr(check, "mistakes", ())]
    if getattr(check, "lists", False) and right:
        known.append((ARRAYS_ONLY, lambda *given: right(*given) if any(hasattr(x, "dtype") for x in given) else None))
    known += [("borrowed", lambda *given, name=name: functions_at(name)[0](*given)) for name in question.blocked]
    return [*by_hand, *known]


def _mistaken_tests(check, test):
    """The test that returns what it should assert, refuses one right implementation, or lets one bug pass."""
    probes = []
    test(lambda *given: probes.append(copy.deepcopy(given)) or check.right[0].output(*given))

    def outputs(implementation):
        found = (output_of(implementation, probe) for probe in probes)
        return [(type(one), repr(one if isinstance(one, Outcome) else normalise(one))) for one in found]

    @cache
    def known(one):
        return [*map(outputs, one.output if isinstance(one.output, tuple) else (one.output,))]

    def alike(f, one):
        return outputs(f) in known(one)

    def strict(f, one):
        test(f)
        assert not alike(f, one)

    def returned(f):
        try:
            test(f)
        except Exception:
            return False

    yield RETURNED, returned
    for one in check.right:
        yield one.name, lambda f, one=one: strict(f, one)
    for one in check.bugs:
        yield one.name, lambda f, one=one: None if alike(f, one) else test(f)


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
        wrong = mistaken_answers(replace(QUESTIONS[id], check=check), rights[0], proof.get("WRONG", {}).get(id, []))
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
