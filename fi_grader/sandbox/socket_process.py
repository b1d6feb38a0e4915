"""Start a Python program connected by a socket: inherited, or over the loopback address."""

import os
import secrets
import socket
import subprocess
import sys

INHERITED = hasattr(os, "fork")
"""Windows forks nothing and hands no socket over at birth: there the program rings at a door that
opens to its own token only."""
TOKEN = "FI_TEACH_TOKEN"
PATIENCE = 120


def start(module, *words, python=None, environment=None, **options):
    """Run `python -m module CHANNEL words...` -> (socket, Popen).

    The program gets its end by `connect(CHANNEL)`.

    python : another command than this interpreter, such as one inside a sandbox
    """
    environment = dict(os.environ if environment is None else environment)
    command = [*(python or [sys.executable]), "-m", module]
    if INHERITED:
        ours, theirs = socket.socketpair()
        with theirs:
            return ours, subprocess.Popen([*command, f"fd:{theirs.fileno()}", *words],
                                          pass_fds=[theirs.fileno()], env=environment, **options)
    token = environment[TOKEN] = secrets.token_hex(32)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        process = subprocess.Popen([*command, f"port:{listener.getsockname()[1]}", *words],
                                   env=environment, **options)
        return _accept(listener, token.encode(), process), process


def _accept(listener, token, process):
    """Accept the first connection that sends the token -> socket. Raises OSError if none does."""
    while True:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            process.kill()
            process.wait()
            raise OSError("the program that was started did not answer.") from None
        connection.settimeout(PATIENCE)
        if secrets.compare_digest(_received(connection, len(token)), token):
            return connection
        connection.close()


def _received(connection, size):
    received = b""
    try:
        while len(received) < size and (part := connection.recv(size - len(received))):
            received += part
    except OSError:
        return b""
    return received


def connect(channel):
    """In the program: open the socket that its first argument names."""
    way, number = channel.split(":")
    if way == "fd":
        return socket.socket(fileno=int(number))
    channel_socket = socket.create_connection(("127.0.0.1", int(number)), PATIENCE)
    channel_socket.sendall(os.environ.pop(TOKEN).encode())
    channel_socket.settimeout(None)
    return channel_socket
