"""The command `fi-teach`, also `python -m fi_teach`: one name for the commands of every package.

A package adds its commands by an entry point of the group "fi_teach.commands": a function that is
called with the parser's subcommands. So this file imports none of them.
"""

import argparse
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec

import fi_teach


def main(arguments: list[str] | None = None) -> int:
    """Run one command -> exit code: 0 well, 1 something to mend, 2 wrong use (said on stderr)."""
    top = parser()
    try:
        options = top.parse_args(arguments)
    except SystemExit as ended:
        if ended.code and top.epilog:
            print(top.epilog, file=sys.stderr)
        raise
    try:
        return options.run(options)
    except ValueError as error:
        print(f"fi-teach {options.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"fi-teach {options.command}: stopped.", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """The parser with the commands of all packages that are installed."""
    top = argparse.ArgumentParser(
        prog="fi-teach", description="Which Features Matter? Audit a model, or run the course.")
    top.add_argument("--version", action="version", version=f"fi-teach {fi_teach.__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for entry in sorted(entry_points(group="fi_teach.commands"), key=lambda entry: entry.name):
        package = entry.module.partition(".")[0]
        if find_spec(package) is None:
            top.epilog = f"This copy has no {package}: it comes with the instructor's bundle."
            continue
        entry.load()(commands)
    return top


if __name__ == "__main__":
    sys.exit(main())
