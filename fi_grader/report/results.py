"""Store results as they come: one JSON line a submission, on disk before the next begins."""

import hashlib
import json
import os
import secrets
from contextlib import closing, contextmanager
from pathlib import Path


def key_of(submission, assignment, seed):
    """Hash a submission with its student, its assignment and the seed: a result's key -> str."""
    parts = (os.fsencode(submission.student), submission.exercise.encode(),
             submission.content or submission.problem.encode(),
             assignment.hash.encode(), str(seed).encode())
    return hashlib.sha256(b"".join(len(p).to_bytes(8, "big") + p for p in parts)).hexdigest()


@contextmanager
def opened(report):
    """Open a report's folder for one grader alone, created if missing -> Records.

    Raises ValueError if another one is writing into it.
    """
    report = Path(report)
    with explained(report):
        report.mkdir(parents=True, exist_ok=True)
        lock = open(report / ".lock", "w")  # noqa: SIM115 - closed below, when grading is over
    with lock:
        with explained(report):
            try:
                _lock(lock)
            except (BlockingIOError, PermissionError):
                raise ValueError(f"another grader is writing into {report}: "
                                 "wait for it, or choose another folder.") from None
        with closing(Records(report)) as records:
            yield records


def _lock(file):
    """Lock a file while it is open. Raises BlockingIOError, or on Windows PermissionError."""
    try:
        import fcntl
    except ImportError:
        import msvcrt
        return msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def explained(path):
    """Turn an OSError into a ValueError that says what to do."""
    try:
        yield
    except OSError as error:
        raise ValueError(f"cannot write {path}: {error.strerror}. What was graded before is kept: "
                         "mend that (another folder, more "
                         "space) and start the same command again.") from None


def seed_of(report, wanted=None):
    """Return the report's secret seed: the one wanted, the one in its file, or a fresh one -> int.

    Raises ValueError if the report was begun with another seed.
    """
    path = report / "seed"
    kept = (whole_number(path.read_text(errors="replace"), path)
            if path.is_file() and path.stat().st_size else None)
    if kept is None:
        kept = secrets.randbelow(2**31) if wanted is None else wanted
        write(path, f"{kept}\n", sure=True)
        path.chmod(0o600)
    if wanted not in (None, kept):
        raise ValueError(f"{report} was begun with another seed, so its grades would not compare: "
                         f"choose another folder for seed {wanted}.")
    return kept


def whole_number(text, where):
    """Parse a seed from a file or the environment -> int. Raises ValueError if it is none."""
    if not text.strip().isdecimal():
        raise ValueError(f"{where} holds {text.strip()[:40]!r}, "
                         "and a seed is a whole number from 0 on: correct it, or take it away.")
    return int(text)


class Records:
    """The results in a report's folder, by (student, exercise): the last of each.

    They are read when asked for, so that no class fills the memory.

    places : {(student, exercise): (where its line begins, its key)}
    found : {(student, exercise): how it was handed in}
    """

    def __init__(self, report):
        self.folder, self.path = report, report / "results.jsonl"
        self._open()

    def _open(self):
        """Find each result; what a killed run left half written at the end is cut off."""
        self.places, self.found, self.n_lines, end = {}, {}, 0, 0
        with explained(self.path):
            self.file = open(self.path, "a+b", buffering=0)  # noqa: SIM115 - closed by close()
            with open(self.path, "rb") as lines:
                for line in lines:
                    if not line.endswith(b"\n"):
                        os.truncate(self.path, end)
                        break
                    self._index(line, end)
                    end += len(line)

    def _index(self, line, start):
        self.n_lines += 1
        try:
            record = json.loads(line)
            place = record["student"], record["exercise"]
            self.places[place] = start, record["key"]
            self.found[place] = record["found"]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ValueError(f"{self.path}, line {self.n_lines}: this is no result, so the file "
                             "was changed by something else. Delete that line, and the submission "
                             "it was about is graded again.") from None

    def __len__(self):
        return len(self.places)

    def __iter__(self):
        return iter(sorted(self.places))

    def __getitem__(self, place):
        return json.loads(self._line(place))

    def _line(self, place):
        with open(self.path, "rb") as file:
            file.seek(self.places[place][0])
            return file.readline()

    def has(self, place, key):
        """Return whether the result of this student and exercise has this key."""
        return place in self.places and self.places[place][1] == key

    def add(self, record):
        """Write a record and wait until it is on disk. Raises ValueError if that fails."""
        with explained(self.path):
            start = os.fstat(self.file.fileno()).st_size
            line = rest = json.dumps(record, sort_keys=True).encode() + b"\n"
            while rest:
                rest = rest[self.file.write(rest):]
            os.fsync(self.file.fileno())
        self._index(line, start)

    def sort(self):
        """Write the results of `places` in order: the same results give the same bytes."""
        starts = [self.places[place][0] for place in self]
        if starts != sorted(starts) or self.n_lines > len(self):
            write(self.path, map(self._line, self), sure=True)
            self.close()  # the file of that name is another one now
            self._open()

    def close(self):
        self.file.close()


def write(path, content, sure=False):
    """Write text, bytes or an iterator of bytes as a whole; an identical file is left alone.

    sure : wait until the disk has it, for what the next run could not make again
    """
    content = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    with explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes) and path.exists() and path.read_bytes() == content:
            return
        fresh = path.with_name(f".{path.name[:200]}.new")
        with open(fresh, "wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            file.flush()
            if sure:
                os.fsync(file.fileno())
        os.replace(fresh, path)
