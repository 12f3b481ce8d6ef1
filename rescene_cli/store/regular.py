"""Reading files whose content nobody has vouched for: a pipe hangs nothing, a device fills no memory."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_regular(path: Path, most: int) -> bytes:
    """The content of the regular file at `path`, links followed, of at most `most` bytes.

    Raises OSError: also at once for a pipe, a device or a folder (EINVAL), and for a longer file (EFBIG).
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            data = stream.read(most + 1) or b""
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"Larger than {most:,} bytes", str(path))
    return data
