"""Commands as an instructor types them, and what they print: transcripts/*.txt, each case in a folder of its own.

A case lists what lies in the folder: a file a line, what it holds after two spaces (the finished set `trees`, the set
`golf` as handed out, else these words), indented below it, or a link to it after `->`; `zip > member` lies in a zip
file, `folder/` is empty, `@ 2030` dates a file. Then come commands, and after each what it prints, `...` for anything.
"""

import os
import re
import shlex
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from fi_teach.__main__ import main
from notebooks import ROOT, filled, lay, to_bytes, zipped

CONTENTS = {"trees": to_bytes(filled()), "golf": (ROOT / "exercises" / "02_golf.ipynb").read_bytes()}
LINK = 0o120777 << 16
"""What a zip file says of an entry that is a link."""
CASES = {f"{path.stem}: {case.partition(chr(10))[0]}": case.partition("\n")[2]
         for path in sorted(Path(__file__).with_name("transcripts").glob("*.txt"))
         for case in re.split(r"^# case: ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]}


def lay_out(folder, text):
    """Write the files that a case lists."""
    packed = {}
    for entry, below in re.findall(r"^(\S.*)\n((?:    .*\n)*)", text, re.MULTILINE):
        entry, _, year = entry.partition(" @ ")
        place, _, target = entry.partition(" -> ")
        place, _, words = place.partition("  ")
        *outer, name = place.split(" > ")
        content = CONTENTS.get(words.strip(), words.strip().encode()) or re.sub("^    ", "", below, flags=re.M).encode()
        when, inside = datetime(int(year or 2026), 10, 11, 12), packed
        for archive in outer:
            inside = inside.setdefault(archive, {})
        if outer:
            inside[name] = (target.encode(), when, LINK) if target else (content, when)
        elif target:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).symlink_to(folder / target)
        else:
            lay(folder, {name: content})
            os.utime(folder / name, (when.timestamp(), when.timestamp()))
    lay(folder, {name: pack(files) for name, files in packed.items()})


def pack(files):
    """A tree of zip files as one -> bytes."""
    return zipped({name: pack(held) if isinstance(held, dict) else held for name, held in files.items()})


@pytest.mark.parametrize("case", CASES)
def test_commands_print_what_the_transcript_shows(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "exercises").symlink_to(ROOT / "exercises")
    files, *commands = re.split(r"^\$ ", CASES[case], flags=re.MULTILINE)
    lay_out(tmp_path, files)
    assert commands
    for command in commands:
        typed, _, expected = command.partition("\n")
        if typed.startswith("fi-teach "):
            status, said = main(shlex.split(typed)[1:]), "".join(capsys.readouterr())
        else:
            status, said = 0, subprocess.run(typed, shell=True, capture_output=True, encoding="utf-8").stdout
        said = said.replace(f"{tmp_path}/", "").strip()
        pattern = ".*".join(map(re.escape, expected.strip().split("...")))
        assert re.fullmatch(pattern, said, re.DOTALL), said
        assert bool(status) == said.startswith("fi-teach ")
