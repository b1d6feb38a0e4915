"""A check in a notebook never lies: it knows how the answer's cell ended, and what the saved file holds."""

import json
import os

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient

IMPORT = ("import", "from fi_course.questions import Q")
CHECK = ("trees-recall_mean-check", 'Q("trees.recall_mean").check(average)')


class Lab:
    """A kernel, asked as JupyterLab asks it: each cell by its id, for a notebook that lies in a file."""

    def __init__(self, folder):
        self.file = folder / "01_trees.ipynb"
        self.save()
        self.manager, self.client = start_new_kernel(env={**os.environ, "JPY_SESSION_NAME": str(self.file)})
        self.run(*IMPORT)

    def save(self, *sources):
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), self.file)

    def run(self, id, source):
        """Run a cell -> its outputs."""
        content = {"code": source, "silent": False, "store_history": True, "user_expressions": {},
                   "allow_stdin": False, "stop_on_error": False}
        message = self.client.session.msg("execute_request", content, metadata={"cellId": id})
        self.client.shell_channel.send(message)
        outputs = []
        while True:
            reply = self.client.get_iopub_msg(timeout=60)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                if reply["content"].get("execution_state") == "idle":
                    return outputs
                if reply["msg_type"] in ("stream", "display_data", "execute_result", "error"):
                    outputs.append(reply)

    def answer(self, source):
        return self.run("trees-recall_mean-answer", source)

    def check(self):
        """What the check says: one card, no traceback -> its text."""
        (card,) = self.run(*CHECK)
        assert card["msg_type"] in ("display_data", "execute_result")
        assert "text/html" in card["content"]["data"]
        return card["content"]["data"]["text/plain"]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    lab.client.stop_channels()
    lab.manager.shutdown_kernel(now=True)


@pytest.fixture
def lab(kernel):
    """The kernel, without what an earlier test has answered."""
    kernel.run("forget", "from fi_course.questions import cell_runs\ncell_runs.RUNS.clear()\n"
                         "globals().pop('average', None)")
    return kernel


@pytest.mark.parametrize(("broken", "words"), [
    ("average = (", "Your cell stopped with SyntaxError: incomplete input (line 1)"),
    ("average = 1 / 0", "Your cell stopped with ZeroDivisionError: division by zero"),
    ("1 / 0\naverage = 60", "Your cell stopped with ZeroDivisionError"),
    ("%nothing\naverage = (", "Your cell stopped with SyntaxError")])
@pytest.mark.parametrize("before", [True, False], ids=["answered before", "first run"])
def test_below_a_cell_that_stopped_nothing_is_right(lab, before, broken, words):
    if before:
        lab.answer("average = 60")
        assert lab.check().startswith("Right.")
    lab.answer(broken)
    said = lab.check()
    assert said.startswith("Not yet (trees.recall_mean)\n" + words) and "It gave no answer" in said
    lab.answer("average = 60")
    assert lab.check().startswith("Right.")


def test_an_answer_that_was_given_before_the_cell_stopped_counts_as_in_the_grader(lab):
    lab.answer("average = (\n    60)\n1 / 0")
    assert lab.check().startswith("Right.")


def test_what_other_cells_do_says_nothing_of_the_answer(lab):
    lab.answer("average = 60")
    lab.run("mine", "other = (")
    lab.run("mine", "1 / 0")
    assert lab.check().startswith("Right.")


def test_a_check_before_its_answer_was_run_is_not_started(lab):
    assert lab.check() == ("Not started (trees.recall_mean)\n"
                           "`average` is not there yet: run the cell of your answer, then this check.")


def test_a_name_that_is_missing_elsewhere_is_pythons_own_error(lab):
    (error,) = lab.run("mine", "print(nowhere)")
    assert error["content"]["ename"] == "NameError" and "told" not in "".join(error["content"]["traceback"])


def test_a_right_answer_that_the_file_does_not_hold_asks_to_save(lab):
    lab.save("average = 55")
    lab.answer("average = 60")
    assert "then save (Ctrl+S)" in lab.check()
    lab.save("average = 60\n")
    assert "save" not in lab.check()
    lab.file.write_text("no notebook", encoding="utf-8")
    assert "save" not in lab.check()


def test_an_endless_loop_ends_with_the_questions_time(lab):
    """A loop of the function, whatever it catches; the kernel goes on."""
    lab.run("shorter", "Q('trees.decrease').question.__dict__['seconds'] = 0.5")
    lab.run("loop", "def decrease(left, right):\n    while True:\n        try:\n            pass\n"
                    "        except Exception:\n            pass")
    (card,) = lab.run("trees-decrease-check", 'Q("trees.decrease").check(decrease)')
    assert "took longer than 0.5 s" in card["content"]["data"]["text/plain"]
    lab.answer("average = 60")
    assert lab.check().startswith("Right.")


def executed(*sources):
    """The cells run by what only executes notebooks -> the outputs of the last."""
    cells = [nbformat.v4.new_code_cell(source) for source in (IMPORT[1], *sources)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=60, allow_errors=True).execute()
    return json.loads(nbformat.writes(notebook))["cells"][-1]["outputs"]


@pytest.mark.parametrize(("answer", "words"), [
    ("average = 55", "Not yet: mean of two means (trees.recall_mean)"), ("average = ...", "Not started"),
    ("average = 60\naverage = 1 / 0", "Not yet (trees.recall_mean)\nYour cell stopped with ZeroDivisionError")])
def test_without_a_front_end_a_check_raises_and_shows_one_message(answer, words):
    """nbgrader and nbval count on the error; its text takes the place of a traceback."""
    (error,) = executed("average = 60", answer, CHECK[1])
    assert error["output_type"] == "error" and len(error["traceback"]) == 1
    assert error["traceback"][0].startswith(words)


# The last cell of a set

def test_the_last_cell_says_so_where_no_file_is_known():
    (card,) = executed("from fi_course.submit import hand_in\nhand_in()")
    assert "fi_teach submit" in "".join(card["data"]["text/plain"])
