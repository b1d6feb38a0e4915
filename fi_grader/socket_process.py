"""Start a Python program with a socket to it, on every system: handed over as it is born, or met on this machine's own address."""

import os
import secrets
import socket
import subprocess
import sys

INHERITED = hasattr(os, "fork")
"""Windows forks nothing and hands no socket over at birth: there the program rings at a door that opens to its own word only."""
WORD = "FI_TEACH_WORD"
PATIENCE = 120


def start(module, *words, python=None, environment=None, **options):
    """Run `python -m module CHANNEL words...` -> (socket, Popen); the program gets the other end by `met(CHANNEL)`.

    python : another command than this interpreter, such as one inside a sandbox
    """
    environment = dict(os.environ if environment is None else environment)
    command = [*(python or [sys.executable]), "-m", module]
    if INHERITED:
        ours, theirs = socket.socketpair()
        with theirs:
            return ours, subprocess.Popen([*command, f"fd:{theirs.fileno()}", *words], pass_fds=[theirs.fileno()], env=environment, **options)
    word = environment[WORD] = secrets.token_hex(32)
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.settimeout(PATIENCE)
        process = subprocess.Popen([*command, f"port:{door.getsockname()[1]}", *words], env=environment, **options)
        return _let_in(door, word.encode(), process), process


def _let_in(door, word, process):
    """The first who knows the word -> socket. Raises OSError if nobody does."""
    while True:
        try:
            visitor, _ = door.accept()
        except TimeoutError:
            process.kill()
            process.wait()
            raise OSError("the program that was started did not answer.") from None
        visitor.settimeout(PATIENCE)
        if secrets.compare_digest(_said(visitor, len(word)), word):
            return visitor
        visitor.close()


def _said(visitor, size):
    heard = b""
    try:
        while len(heard) < size and (part := visitor.recv(size - len(heard))):
            heard += part
    except OSError:
        return b""
    return heard


def met(channel):
    """In the program: the socket that its first word names."""
    way, number = channel.split(":")
    if way == "fd":
        return socket.socket(fileno=int(number))
    joined = socket.create_connection(("127.0.0.1", int(number)), PATIENCE)
    joined.sendall(os.environ.pop(WORD).encode())
    joined.settimeout(None)
    return joined
