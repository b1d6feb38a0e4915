"""List and read what folders and zip files hold, also zip files in one another, within limits.

Whatever somebody has made up, the work on one student is bounded: files, bytes, and parts of a
notebook are counted before they are taken in. Links are never followed, and a file that is not
looked at carries the reason.
"""

import io
import json
import mmap
import os
import re
import stat
import zipfile
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path

from fi_grader.notebooks.exercise import cell_from
from fi_grader.submissions.platforms import is_junk

DEEPEST = 12
DEEPEST_ZIP = 3
MOST_ZIPS = 50
MOST_BYTES = 200_000_000  # bytes of one student that are searched for cells; beyond, names decide
LARGEST_FILE = 64_000_000
MOST_FILES = 2000  # files and folders of one student, those in zip files counted
LARGEST_ARCHIVE = 4_000_000_000
MOST_MEMBERS = 50_000  # files in a zip file that a platform made of a whole class
MOST_PARTS = 2_000_000  # numbers, words, lists and dictionaries of a notebook with its outputs
MOST_CELLS = 20_000
INSIDE = "\0"  # between the names of a zip file and of what lies in it
JUNK = "left by a program"
LINK = "a link; links are not followed, hand in the file itself"


@dataclass(frozen=True)
class File:
    """A file or folder: where it lies, its names from the student's on, why it is skipped.

    time : when it was changed; `is_told` if Moodle's zip file says when it was handed in (Canvas's
        says when the zip file was made)
    """

    path: str
    member: str = ""
    parts: tuple = ()
    time: float = 0.0
    is_told: bool = False
    why: str = ""

    @property
    def file(self):
        return f"{self.path}:{self.member.replace(INSIDE, ':')}" if self.member else self.path

    @property
    def is_folder(self):
        return not self.why and not self.member and os.path.isdir(self.path)

    @property
    def stem(self):
        """Return the name without its extensions: "01_trees (1)" of "01_trees (1).ipynb.txt"."""
        return re.split(r"\.ipynb", self.parts[-1], flags=re.IGNORECASE)[0]


def leaves(file, budget, depth=0):
    """List the files that a file or folder is or holds, while the budget lasts -> iterator."""
    if budget.files < 0:
        return
    budget.files -= 1
    inside = ()
    if budget.files < 0:
        why = f"more than {MOST_FILES:,} files: the rest was not looked at"
    elif file.why or any(map(is_junk, file.parts[1:])):
        why = file.why or JUNK
    elif file.is_folder:
        why = f"more than {DEEPEST} folders deep" if len(file.parts) > DEEPEST else None
        inside = () if why else below(file)
    elif not file.member and not os.path.isfile(file.path):
        why = "no ordinary file"
    elif not (file.member or file.path).lower().endswith(".zip"):
        why = ""
    elif depth == DEEPEST_ZIP:
        why = f"more than {DEEPEST_ZIP} zip files in one another"
    elif not budget.zips:
        why = f"more than {MOST_ZIPS} zip files of one student"
    else:
        budget.zips -= 1
        why, inside, depth = None, members(file), depth + 1
    if why is not None:
        yield replace(file, why=why)
    for inner in inside:
        yield from leaves(inner, budget, depth)


def below(folder):
    """List what lies in a folder -> list of File; the folder itself if it cannot be opened."""
    most = MOST_FILES + 1 if folder.parts else MOST_MEMBERS
    is_junction = getattr(os.path, "isjunction", os.path.islink)
    try:
        with os.scandir(folder.path) as entries:
            names = sorted(entry.name for entry in islice(entries, most))
        return [File(path, "", (*folder.parts, name), os.lstat(path).st_mtime,
                     why=LINK if os.path.islink(path) or is_junction(path) else "")
                for name in names for path in [os.path.join(folder.path, name)]]
    except OSError as error:
        return [replace(folder, parts=folder.parts or (folder.path,),
                        why=f"cannot be looked into ({error.strerror})")]


def members(file, most=MOST_FILES, is_told=False):
    """List the files in a zip file -> list of File; the zip file itself if it cannot be read."""
    found = []
    try:
        infos = _archive(file.path, file.member, os.lstat(file.path).st_mtime_ns).infolist()
        if len(infos) > most:
            raise ValueError(f"it holds more than {most:,} files")
        for info in (info for info in infos if not info.is_dir()):
            time = file.time
            if not file.is_told:
                with suppress(ValueError, OverflowError):
                    time = datetime(*info.date_time).timestamp() if info.date_time[0] >= 1990 else 0
            names = (part for part in info.filename.split("/") if part)
            found.append(File(
                file.path, file.member + INSIDE * bool(file.member) + info.filename,
                (*file.parts, *names), time, is_told or file.is_told,
                "a link in a zip file" if stat.S_ISLNK(info.external_attr >> 16) else ""))
        return found
    except Exception as error:  # a zip file that somebody made up can go wrong in any way
        return [replace(file, parts=file.parts or (Path(file.path).name,),
                        why=f"a zip file that cannot be read ({error})")]


def content_of(file):
    """Read the bytes of a File. Raises ValueError if they cannot be read."""
    try:
        return content_at(file.path, file.member)
    except ValueError:
        raise
    except Exception as error:  # a made-up zip file can go wrong in any way
        raise ValueError(
            f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None


def content_at(path, member):
    """Read the bytes of a file, or of a member of a zip file. Raises whatever goes wrong."""
    if not member:
        with _opened(path) as file:
            _check_size(os.fstat(file.fileno()).st_size)
            return file.read(LARGEST_FILE)
    outer, _, name = member.rpartition(INSIDE)
    archive = _archive(path, outer, os.lstat(path).st_mtime_ns)
    return _unpacked(archive, archive.getinfo(name))


def _unpacked(archive, info):
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("the zip file is packed in an unusual way: make an ordinary one.")
    _check_size(info.file_size)
    with archive.open(info) as file:
        return file.read(info.file_size + 1)  # even a false size bounds what is unpacked


def _check_size(size):
    if size > LARGEST_FILE:
        raise ValueError(f"the file has {size // 10**6} MB, "
                         f"more than the {LARGEST_FILE // 10**6} that are read: clear its outputs "
                         "and hand it in again.")


@lru_cache(maxsize=1)
def _archive(path, member, changed):
    """Open a zip file, or one inside another -> ZipFile; the last one stays open for its files."""
    if member:
        content = content_at(path, member)
        file = io.BytesIO(content)
    else:
        file = _opened(path)
        size = os.fstat(file.fileno()).st_size
        if size > LARGEST_ARCHIVE:
            raise ValueError(f"it has {size // 10**9} GB, "
                             f"more than the {LARGEST_ARCHIVE // 10**9} that are read")
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    entries = islice(re.finditer(b"PK\x01\x02", content), MOST_MEMBERS + 1)
    if sum(1 for _ in entries) > MOST_MEMBERS:
        raise ValueError(f"it holds more than {MOST_MEMBERS:,} files")
    return zipfile.ZipFile(file)


def _opened(path):
    """Open an ordinary file that is no link -> file. Raises ValueError if it is none."""
    flags = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    file = open(os.open(path, os.O_RDONLY | sum(flags)), "rb")  # noqa: SIM115 - callers close it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError("it is no ordinary file.")
    return file


# Notebooks

def notebook_of(content):
    """Parse a notebook -> (list of Cell, metadata, list of flags). Raises ValueError for others."""
    text, flags = decoded(content)
    _check_parts(text.encode("utf-8", "surrogatepass") if flags else content)
    try:
        raw = json.loads(text)
    except RecursionError:
        raise ValueError("the file is nested too deeply to be a notebook.") from None
    except ValueError:
        raise ValueError("the file is empty." if not text.strip()
                         else "the file is no notebook: its JSON is broken or cut off.") from None
    if not isinstance(raw, dict) or not isinstance(raw.get("cells", raw.get("worksheets")), list):
        raise ValueError("the file is JSON, but no notebook: it has no cells.")
    # a format before the fourth has sheets of cells
    parts = [raw] if "cells" in raw else [s if isinstance(s, dict) else {"cells": 0}
                                          for s in raw["worksheets"]]
    found = [part.get("cells", []) for part in parts]
    cells = [c for one in found for c in (one if isinstance(one, list) else [None])]
    if len(cells) > MOST_CELLS:
        raise ValueError(f"the notebook has {len(cells):,} cells, "
                         f"more than the {MOST_CELLS:,} that are read: delete the empty ones.")
    whole = [c for c in cells if isinstance(c, dict)]
    metadata = raw.get("metadata") if isinstance(raw.get("metadata"), dict) else {}
    flags += ["cells unreadable"] * (len(whole) < len(cells))
    return list(map(cell_from, whole)), metadata, flags


def decoded(content):
    """Decode a file, whatever an editor has made of it -> (text, list of flags)."""
    is_utf16 = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding in ("utf-8-sig", *["utf-16"] * is_utf16):
        with suppress(UnicodeDecodeError):
            return content.decode(encoding), ["not UTF-8"] * (encoding != "utf-8-sig")
    return content.decode("latin-1"), ["not UTF-8"]


def _check_parts(content):
    """Refuse JSON of too many parts: each follows a bracket or a comma outside of a string."""
    bare = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    quotes = bare.count(b'"')
    outside = b"".join(bare.split(b'"')[::2]) if quotes <= 4 * MOST_PARTS else b""
    if quotes > 4 * MOST_PARTS or sum(map(outside.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise ValueError(f"the file has more than {MOST_PARTS:,} parts: "
                         "clear its outputs and hand it in again.")
