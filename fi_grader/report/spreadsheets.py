"""Read tables from other programs (CSV, in many encodings), and write tables that are safe to open.

What is read may be UTF-8 with or without a mark, UTF-16 or Latin-1, its fields parted by commas,
semicolons or tabs. What is written holds no field that a spreadsheet takes for a formula.
"""

import csv
import io
from pathlib import Path

from fi_grader import escaping
from fi_grader.submissions.reading import decoded

LARGEST_TABLE = 50_000_000


def read_table(path):
    """Read a table with a header -> (list of columns, list of {column: text})."""
    rows = read_rows(path)
    if not rows:
        raise ValueError(f"{path} is empty: its first line must name the columns.")
    columns = [column.strip() for column in rows[0]]
    width = len(columns)
    return columns, [dict(zip(columns, (row + [""] * width)[:width], strict=True))
                     for row in rows[1:] if any(row)]


def read_rows(path):
    """Read the fields of a table -> list of lists. Raises ValueError if it cannot be read."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror}.") from None
    if len(content) > LARGEST_TABLE:
        raise ValueError(f"{path} has {len(content) // 10**6} MB, too many for a table of a class.")
    text, _ = decoded(content)
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise ValueError(f"{path} is no table: {error}. Save it as CSV once more.") from None


def check_columns(path, columns, needed):
    """Raise ValueError if a table lacks a column."""
    missing = [column for column in needed if column not in columns]
    if missing:
        raise ValueError(f"{path} has no column {', '.join(missing)}: "
                         f"it has {', '.join(columns[:12])}.")


def number_of(text, where):
    """Parse a number typed by a person, "1,5" too -> float. Raises ValueError if it is none."""
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e6:
        raise ValueError(f"{where}: {text.strip()[:40]!r} is no number.")
    return value


def csv_of(rows, mark=False):
    """Write rows as CSV -> text; `mark` puts a byte-order mark for spreadsheets before it."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(escaping.field, row) for row in rows)
    return "\ufeff" * mark + text.getvalue()


def plain_number(value):
    """Format points: 3 for 3.0, 2.5, "" for none."""
    if value is None or value == "":
        return ""
    return int(value) if float(value).is_integer() else round(float(value), 2)
