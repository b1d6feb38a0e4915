"""Write zip files whose bytes depend on their content only, not on the time."""

import os
import zipfile
from pathlib import Path


def write_zip(path, contents, programs=()):
    """Write {name in the archive: bytes} as a zip file, whole or not at all.

    Names are sorted, every date is the same; `programs` may be run.
    """
    path = Path(path)
    fresh = path.with_name(f".{path.name}.new")
    with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(contents):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name in programs else 0o644) << 16
            archive.writestr(entry, contents[name])
    os.replace(fresh, path)
