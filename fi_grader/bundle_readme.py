"""The texts that accompany the bundles for students and instructors."""

README_STUDENT = r"""# Which Features Matter? Your copy

`notebooks/` holds the chapters, `exercises/` what you hand in. An answer gets an answer at once:
right, not started, or *which* mistake. Nothing leaves your machine.

## Zero steps

If the exercise pages of your course's book have a button *Run Python in this page*, you need a browser
and nothing else. Press it, answer on the page, and hand in what *Download my notebook* gives you. Your
answers stay in that browser: on another machine *Load a notebook* brings them back. All below is for
working in JupyterLab; the notebook is the same, so you may change over at any time.

## What JupyterLab needs

You need **Python 3.11, 3.12, 3.13 or 3.14 (64 bits)**, 1 GB of disk, and no administrator.

## Five steps on Windows

1. **Unpack** the zip file into a short folder of your own, such as `C:\features`: right-click, *Extract All*.
   *You see* the folder `student` with this file in it.
   *If not:* looking into a zip file is not unpacking it; inside OneDrive, or in a long path, the next steps fail.
2. **Open a terminal there:** in Explorer click the address bar, type `cmd`, press Enter. Then ask for Python:

       py --version

   *You see* `Python 3.13.1`, or another of the versions above.
   *If not:* install 3.13 from python.org (or the Microsoft Store), close the terminal, open it again. If only a
   newer or older one answers, say `py -3.13` for `py` in step 3.
3. **Make an environment** and fill it, in about two minutes, one line after the other:

       py -m venv .venv
       .venv\Scripts\python -m pip install -c requirements.lock ".[lab]" ./fi_course

   *You see* `Successfully installed` and a long list.
   *If not:* "not supported", "requires a different Python" or a compiler's complaint mean another Python than
   those above: delete `.venv`, go back to step 2. "No such file": the terminal is in another folder; `dir` must
   list `pyproject.toml`. A network error: try again; what was loaded is kept.
4. **Let it look itself over:**

       .venv\Scripts\python -m fi_teach doctor

   *You see* `All is well` in the last line.
   *If not:* each line that says MISSING says below it how to mend that; type it after `.venv\Scripts\python -m`.
5. **Work:**

       .venv\Scripts\python -m jupyterlab

   *You see* the browser open, with `exercises` and `notebooks` on the left: begin with `exercises/01_trees.ipynb`.
   *If not:* open the address that stands in the terminal, `http://localhost:8888/lab?token=...`. Leave the
   terminal open while you work. Tomorrow, steps 2 (the terminal) and 5 are enough.

## On macOS and Linux

The same five steps, with `python3` for `py` and `.venv/bin/python` for `.venv\Scripts\python`.

## With uv

It brings its own Python, so step 2 is not needed; step 3 becomes

    uv venv --python 3.13
    uv pip install -c requirements.lock ".[lab]" ./fi_course

## Handing in

    .venv\Scripts\python -m fi_teach submit exercises/01_trees.ipynb --out your-name.zip

It says what is still unanswered, and writes the file to hand in. The notebook alone will do, too.
"""  # noqa: E501 - a text that is handed out as it stands

START_INSTRUCTOR = """# For instructors

`solutions/` is the source, with answers and hidden tests inside. `source/` and `nbgrader_config.py` make this folder an
nbgrader course: `nbgrader generate_assignment 01_trees` works here. `tests/course/questions/` proves every check.
`course.toml.example` and `roster.csv.example` are to be copied and filled in, if the course has deadlines or a roster.
Changed a set? `python book/tools/exercises.py`, then `python book/tools/exercises.py --expected expected`
and `python -m pytest --nbval solutions expected`.
Give students `student.zip`, never this one.
"""  # noqa: E501 - a text that is handed out as it stands

COURSE_FILE = """# Copy this file to course.toml, and say what your course has decided. Every line may be left out.

title = "Which Features Matter?, autumn 2026"
roster = "roster.csv"            # id, name, and if wanted email, group, assistant, moodle, canvas
# seed = 20261005                # the secret that inputs are drawn from: a number of your own
drop_lowest = 1                  # so many sets, the worst of each student, do not count

[late]
free_days = 3                    # of each student, over the whole course
cost = 0.1                       # of a set's points, for each day beyond
last_day = 7                     # what comes later than this counts nothing
grace_minutes = 15

# One table a set, written when the set is handed out: sets that stand here count.
[sets.01_trees]
week = 1
weight = 1
deadline = 2026-10-12T23:59:00+02:00
canvas = "Set 1"                 # what Canvas calls the assignment

[sets.02_golf]
week = 2
weight = 1
deadline = 2026-10-19T23:59:00+02:00
"""  # noqa: E501 - a text that is handed out as it stands
ROSTER = """id,name,email,group,assistant
s101,Anna Müller,anna@uni.example,Monday,Ben
s102,Борис Иванов,boris@uni.example,Monday,Ben
s103,山田 太郎,taro@uni.example,Friday,Clara
"""
