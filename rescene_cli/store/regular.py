"""Reading files whose content nobody has vouched for: a pipe hangs nothing, a device fills no memory."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

_PIECE = 1 << 20  # bytes


def read_regular(path: Path, most: int, *, follow: bool = True) -> bytes:
    """The content of the regular file at `path`, of at most `most` bytes; a link there is followed if `follow`.

    Raises OSError: also at once for a pipe, a device or a folder (EINVAL), and for a longer file (EFBIG).
    """
    if path.stat(follow_symlinks=follow).st_size > most:
        raise _too_large(path, most)
    data = read_start(path, min(most + 1, sys.maxsize), follow=follow)
    if len(data) > most:
        raise _too_large(path, most)
    return data


def _too_large(path: Path, most: int) -> OSError:
    return OSError(errno.EFBIG, f"Larger than {most:,} bytes", str(path))


def read_start(path: Path, most: int, *, follow: bool = True) -> bytes:
    """The first `most` bytes of the regular file at `path`, or all there are. Raises OSError as `read_regular`."""
    parts: list[bytes] = []
    for piece in pieces(path, follow=follow):
        parts.append(piece[:most])
        most -= len(parts[-1])
        if not most:
            break
    return b"".join(parts)


def pieces(path: Path, *, follow: bool = True) -> Iterator[bytes]:
    """The content of the regular file at `path`, piece by piece. Raises OSError as `read_regular`."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", str(path))
        while piece := os.read(descriptor, _PIECE):
            yield piece
    finally:
        os.close(descriptor)
