"""A zip file with the same content has the same bytes, whenever it is made."""

import zipfile


def write_zip(path, contents, programs=()):
    """Write {name in the archive: bytes} as a zip file, names sorted, every date the same; `programs` may be run."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(contents):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name in programs else 0o644) << 16
            archive.writestr(entry, contents[name])
