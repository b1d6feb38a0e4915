"""A real Chromium that cannot reach any network, and pages that show widgets the way a built book does."""

import json
from pathlib import Path

import pytest
from ipywidgets.embed import dependency_state, embed_data

import fi_course.explorables

HOST = Path(fi_course.explorables.__file__).with_name("host.js").read_text()
ADDRESS = "http://book.test/"
PAGE = """<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8"><title>Chapter</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>html[data-theme=dark] {{ background: #111; color: #eee }}</style>
<body><main><h1>Chapter</h1>{views}</main><script type="application/vnd.jupyter.widget-state+json">{state}</script>
<script>{host}</script>"""


@pytest.fixture
def open_page(browser):
    """open_page(html, width=...) -> a page with every address but its own blocked; page.outside lists who was asked."""
    contexts = []

    def open_one(html, *, width=800):
        context = browser.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.outside, page.errors = [], []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.route("**/*", lambda route: answer(route, page, html))
        page.goto(ADDRESS)
        return page

    yield open_one
    for context in contexts:
        context.close()


def answer(route, page, html):
    if route.request.url == ADDRESS:
        route.fulfill(body=html, content_type="text/html")
    else:
        page.outside.append(route.request.url)
        route.abort()


@pytest.fixture(scope="session")
def page_of():
    return build_page


def build_page(*views, theme="light", models=None):
    """A page as the book builds it: all states in one script, and a script a view where its cell was.

    models: whose states are saved, if not everyone's.
    """
    shown = list(models or views)
    data = embed_data(views=shown, state=dependency_state(shown, drop_defaults=False))
    view = '<script type="application/vnd.jupyter.widget-view+json">{}</script>'
    scripts = [view.format(json.dumps({"model_id": widget.model_id})) for widget in views]
    state = json.dumps(data["manager_state"]).replace("</", "<\\/")
    return PAGE.format(theme=theme, views="\n".join(scripts), state=state, host=HOST)


@pytest.fixture
def show(open_page):
    """show(widget, widget, ..., width=, theme=) -> the page, once all of them are drawn."""

    def show_them(*widgets, width=800, theme="light"):
        page = open_page(build_page(*widgets, theme=theme), width=width)
        page.locator(".explorable svg[role=img]").nth(len(widgets) - 1).wait_for()
        return page

    return show_them
