"""JupyterLab with nbgrader's Formgrader, as an instructor starts it in a report."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def jupyter(folder, home):
    """Start the server in a folder -> its address, for a `with` block."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--allow-root", "--no-browser", f"--port={port}",
               "--IdentityProvider.token=t",
               "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    server = subprocess.Popen(command, cwd=folder, env={**os.environ, "HOME": str(home), "PATH": path},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def fetched(address, patience=180):
    """What the server answers, as soon as it does -> str."""
    end = time.monotonic() + patience
    while True:
        try:
            with urllib.request.urlopen(f"{address}?token=t", timeout=30) as answer:
                return answer.read().decode()
        except OSError:  # it has not started yet
            assert time.monotonic() < end, "the server did not answer"
            time.sleep(0.5)
