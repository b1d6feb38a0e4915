"""A tab of Chromium, Firefox or WebKit, as far as Python in a page needs one: goto and evaluate.

Chromium is driven by Playwright, as in all tests. Firefox and WebKit are the system's own
(Debian: firefox-esr, webkit2gtk-driver and xvfb), which Playwright does not drive: Firefox listens
for Marionette, WebKit has a WebDriver, and both speak WebDriver's commands.
"""

import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from browser import browser

PATIENCE = 600_000  # milliseconds that one script may take
CALL = """const [given, done] = arguments;
Promise.resolve(({script})(given)).then(
  (value) => done([value]), (error) => done({{ error: String(error) }}));"""


class Tab:
    """A tab that takes WebDriver's commands.

    command : (name as Marionette has it, path as WebDriver has it, parameters) -> its value
    """

    def __init__(self, command):
        self.command = command
        command("WebDriver:SetTimeouts", "timeouts", {"script": PATIENCE})

    def goto(self, url):
        self.command("WebDriver:Navigate", "url", {"url": url})

    def evaluate(self, script, given=None):
        """Call a JavaScript function -> what it returns, waited for."""
        answer = self.command("WebDriver:ExecuteAsyncScript", "execute/async",
                              {"script": CALL.format(script=script), "args": [given]})
        if isinstance(answer, dict):
            raise RuntimeError(answer["error"])
        return answer[0]


def program(*names):
    """The path of an installed program. Raises SystemExit with what to install."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise SystemExit(f"This engine needs {names[0]}, which is not installed: "
                         f"apt-get install firefox-esr webkit2gtk-driver xvfb")
    return found


@contextmanager
def running(port, *command):
    """A program that listens at a port, ended afterwards."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("localhost", port)) == 0:
                    break
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


@contextmanager
def chromium():
    with browser() as chrome:
        yield chrome.new_page()


@contextmanager
def firefox():
    port, path = free_port(), program("firefox-esr", "firefox")
    with tempfile.TemporaryDirectory() as profile:
        Path(profile, "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        with (running(port, path, "--headless", "--marionette", "--profile", profile),
              socket.create_connection(("localhost", port)) as door, door.makefile("rb") as heard):

            def receive():
                length = b""
                while (one := heard.read(1)) != b":":
                    length += one
                return json.loads(heard.read(int(length)))

            def command(name, _, parameters):
                message = json.dumps([0, 1, name, parameters])
                door.sendall(f"{len(message)}:{message}".encode())
                _, _, error, result = receive()
                if error:
                    raise RuntimeError(error["message"])
                return result.get("value", result)

            receive()  # its greeting
            command("WebDriver:NewSession", "", {})
            yield Tab(command)


@contextmanager
def webkit():
    port, path = free_port(), program("WebKitWebDriver")
    with running(port, program("xvfb-run"), "--auto-servernum", path, f"--port={port}"):
        root = f"http://localhost:{port}/session"

        def post(url, parameters, method="POST"):
            request = urllib.request.Request(url, json.dumps(parameters).encode(), method=method)
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["value"]

        session = f"{root}/{post(root, {'capabilities': {}})['sessionId']}"
        yield Tab(lambda _, path, parameters: post(f"{session}/{path}", parameters))
        post(session, {}, "DELETE")


ENGINES = {"chromium": chromium, "firefox": firefox, "webkit": webkit}
