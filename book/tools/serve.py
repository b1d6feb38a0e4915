"""Serve the built book on this machine, and say where and how to stop.

    python book/tools/serve.py [PORT]
"""

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PAGES = Path(__file__).resolve().parents[2] / "_build/html"


class Quiet(SimpleHTTPRequestHandler):
    """Requests are not printed, so that the address stays on the screen."""

    def log_message(self, *args):
        pass


def server_of(folder, port=0, handler=Quiet):
    """A server of the folder's files on localhost, not yet running;
    port 0 takes any that is free."""
    return ThreadingHTTPServer(("localhost", port), partial(handler, directory=str(folder)))


def serve(port):
    """Answer on localhost until Ctrl+C."""
    try:
        server = server_of(PAGES, port)
    except OSError:
        sys.exit(f"Port {port} is taken, perhaps by another copy of the book. Choose another: "
                 f"make book PORT={port + 1}")
    print(f"\nThe book is at  http://localhost:{server.server_port}/\nStop with Ctrl+C.",
          flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print("\nStopped.")


if __name__ == "__main__":
    serve(int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
