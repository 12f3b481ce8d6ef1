"""Where a path argument really points, and whether that lies inside the working directory."""

from __future__ import annotations

import os
from pathlib import Path

from rescene_cli.core.errors import ToolError

_LONGEST_NAME = 255  # bytes, on every file system in common use


class Boundary:
    """The directories that may be worked in: the root, those added to it, and what a person allowed since."""

    def __init__(self, root: Path, added: tuple[Path, ...] = ()) -> None:
        self.root = Path(os.path.realpath(root))
        self._folds = _ignores_case(self.root)
        self._allowed = [self._key(self.root)]
        self._permitted: set[Path] = set()
        for directory in added:
            self.allow(directory)

    def resolve(self, argument: str, *, follow: bool = True) -> Path:
        """The real path that `argument` names: `..`, `~`, `$VAR`, `file://` and links are worked out.

        A name that stands below the root as written wins over its expansion (`routes/$id.tsx`). Without
        `follow` a link at the very end is left alone. Raises ToolError for text that can't be a path.
        """
        if not _is_path(argument):
            message = "That is no path: it is empty, too long, or holds characters that no path can. Give another."
            raise ToolError(message)
        written = self.root / argument
        place = written if os.path.lexists(written) else self.root / _expand(argument)
        if follow or place.name in {"", ".."}:
            return Path(os.path.realpath(place))
        return Path(os.path.realpath(place.parent)) / place.name

    def inside(self, path: Path) -> bool:
        """Whether the real path lies in an allowed directory; each of these counts as inside itself."""
        parts = self._key(path)
        return any(parts[: len(allowed)] == allowed for allowed in self._allowed)

    def allow(self, directory: Path) -> None:
        """Count `directory` as inside from now on."""
        self._allowed.append(self._key(Path(os.path.realpath(directory))))

    def permit(self, path: Path) -> None:
        """Let the real path be written, since a person said yes to it; the next call is asked about all the same."""
        self._permitted.update((path, *(parent for parent in path.parents if not os.path.lexists(parent))))

    def may_write(self, path: Path) -> bool:
        """What the write seam enforces: inside, or permitted, or below what is permitted."""
        return self.inside(path) or not self._permitted.isdisjoint((path, *path.parents))

    def _key(self, path: Path) -> tuple[str, ...]:
        return tuple(part.casefold() for part in path.parts) if self._folds else path.parts


def _is_path(argument: str) -> bool:
    try:
        name = os.fsencode(argument)
    except UnicodeEncodeError:  # half of a surrogate pair, as a model may write it in JSON
        return False
    return bool(name) and b"\0" not in name and max(map(len, name.split(b"/"))) <= _LONGEST_NAME and len(name) < 4096


def _expand(argument: str) -> Path:
    if argument.startswith("file://"):
        from urllib.parse import unquote, urlsplit

        argument = unquote(urlsplit(argument).path) or "/"
    expanded = Path(os.path.expandvars(argument))
    try:
        return expanded.expanduser()
    except RuntimeError:  # `~name` of a user who does not exist
        return expanded


def _ignores_case(root: Path) -> bool:
    """Whether the file system of `root` takes `A` and `a` for the same name, found out by asking it."""
    for place in (root, *root.parents):
        swapped = place.with_name(place.name.swapcase()) if place.name else place
        if swapped.name != place.name:
            try:
                return swapped.samefile(place)
            except OSError:
                return False
    return False
