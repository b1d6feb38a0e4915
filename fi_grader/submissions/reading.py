"""Read submitted files, also from zip files and zip files in them, within limits.

Whatever somebody has made up, the work on one student is bounded: files, bytes, and parts of a
notebook are counted before they are taken in. Links are never followed.
"""

import io
import json
import mmap
import os
import re
import stat
import zipfile
from functools import lru_cache
from itertools import islice

from fi_grader.notebooks.exercise import cell_from

LARGEST_FILE = 64_000_000
MOST_FILES = 2000
"""Files and folders that are looked at for one student, those in zip files counted."""
LARGEST_ARCHIVE = 4_000_000_000
MOST_MEMBERS = 50_000
"""Files in a zip file that a platform made of a whole class."""
MOST_PARTS = 2_000_000
"""Numbers, words, lists and dictionaries that a notebook may have, its stored outputs counted."""
MOST_CELLS = 20_000
INSIDE = "\0"
"""Between the names of a zip file and of what lies in it, where zip files lie in zip files."""


def content_of(file):
    """Read the bytes of a File. Raises ValueError if they cannot be read."""
    try:
        return content_at(file.path, file.member)
    except ValueError:
        raise
    except Exception as error:  # a made-up zip file can go wrong in any way
        raise ValueError(
            f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None


def content_at(path, member=""):
    """Read the bytes of a file, or of a member of a zip file. Raises whatever goes wrong."""
    if not member:
        with _opened(path) as file:
            _check_size(os.fstat(file.fileno()).st_size)
            return file.read(LARGEST_FILE)
    outer, _, name = member.rpartition(INSIDE)
    archive = _archive(path, outer, os.lstat(path).st_mtime_ns)
    return _unpacked(archive, archive.getinfo(name))


def members_of(path, member="", most=MOST_FILES):
    """List what lies in a zip file, or in one inside another -> list of ZipInfo.

    Raises ValueError if there are more than `most`, and whatever goes wrong.
    """
    infos = _archive(path, member, os.lstat(path).st_mtime_ns).infolist()
    if len(infos) > most:
        raise ValueError(f"it holds more than {most:,} files")
    return infos


@lru_cache(maxsize=1)
def _archive(path, member, changed):
    """Open a zip file, or one inside another -> ZipFile.

    The last one stays open, since its files are read one after the other.

    Raises ValueError if its contents would take long to list.
    """
    if member:
        content = content_at(path, member)
        count, file = content.count(b"PK\x01\x02"), io.BytesIO(content)
    else:
        file = _opened(path)
        size = os.fstat(file.fileno()).st_size
        if size > LARGEST_ARCHIVE:
            raise ValueError(f"it has {size // 10**9} GB, "
                             f"more than the {LARGEST_ARCHIVE // 10**9} that are read")
        count = _entries_in(file) if size else 0
    if count > MOST_MEMBERS:
        raise ValueError(f"it holds more than {MOST_MEMBERS:,} files")
    return zipfile.ZipFile(file)


def _entries_in(file):
    """Count the entries of a zip file's directory, up to one too many -> int."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return sum(1 for _ in islice(re.finditer(b"PK\x01\x02", content), MOST_MEMBERS + 1))


def _opened(path):
    """Open an ordinary file that is no link -> file. Raises ValueError if it is none."""
    flags = (getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    file = open(os.open(path, os.O_RDONLY | sum(flags)), "rb")  # noqa: SIM115 - callers close it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError("it is no ordinary file.")
    return file


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


def notebook_of(content):
    """Parse a notebook -> (list of Cell, metadata, list of flags).

    Raises ValueError if this is no notebook, saying what it is instead, or one beyond all measure.
    """
    text, flags = _text(content)
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
    cells = (raw["cells"] if "cells" in raw
             else [c for sheet in raw["worksheets"] for c in _cells_of(sheet)])
    if len(cells) > MOST_CELLS:
        raise ValueError(f"the notebook has {len(cells):,} cells, "
                         f"more than the {MOST_CELLS:,} that are read: delete the empty ones.")
    whole = [c for c in cells if isinstance(c, dict)]
    metadata = raw.get("metadata") if isinstance(raw.get("metadata"), dict) else {}
    flags += ["cells unreadable"] * (len(whole) < len(cells))
    return list(map(cell_from, whole)), metadata, flags


def _cells_of(sheet):
    """Return the cells of an old notebook's sheet; one unreadable cell if it has none."""
    cells = sheet.get("cells", []) if isinstance(sheet, dict) else None
    return cells if isinstance(cells, list) else [None]


def _text(content):
    is_utf16 = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding in ("utf-8-sig", "utf-16") if is_utf16 else ("utf-8-sig",):
        try:
            return content.decode(encoding), [] if encoding == "utf-8-sig" else ["not UTF-8"]
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1"), ["not UTF-8"]


def _check_parts(content):
    """Refuse JSON that would take long to parse.

    Every part follows a bracket or a comma outside of a string.
    """
    bare = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    quotes = bare.count(b'"')
    outside = b"".join(bare.split(b'"')[::2]) if quotes <= 4 * MOST_PARTS else b""
    if quotes > 4 * MOST_PARTS or sum(map(outside.count, (b",", b"[", b"{"))) > MOST_PARTS:
        raise ValueError(f"the file has more than {MOST_PARTS:,} parts: "
                         "clear its outputs and hand it in again.")
