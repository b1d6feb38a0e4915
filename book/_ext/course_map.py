"""What a reader can answer, page by page, as a script that every page loads:
progress is counted against it.

It is a script and not JSON, because a page that is opened from disk may load the one
and not the other.
"""

import json
from pathlib import Path

from predictions import card_names

from fi_course.questions import QUESTIONS
from fi_course.questions.specification import of

FILE = "course.js"


def questions_of(page):
    """The questions that an exercise page judges itself -> {id: points}."""
    folder, _, name = page.partition("/")
    mine = [
        question
        for question in QUESTIONS.values()
        if folder == "exercises" and question.notebook == name
    ]
    return {
        question.id: question.points
        for question in mine
        if of(question)["asks"] in ("choice", "number")
    }


def course(env):
    """The pages on which something can be answered, in the book's order -> list of dicts."""
    pages = [
        {
            "page": page,
            "title": env.titles[page].astext(),
            "cards": card_names(env).get(page, []),
            "questions": questions_of(page),
        }
        for page in env.collect_relations()
    ]
    return [page for page in pages if page["cards"] or page["questions"]]


def write(app, error):
    if error is None and app.builder.format == "html":
        listed = json.dumps(course(app.env), ensure_ascii=False, separators=(",", ":"))
        Path(app.outdir, "_static", FILE).write_text(f"fi.course = {listed};\n", encoding="utf-8")


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
