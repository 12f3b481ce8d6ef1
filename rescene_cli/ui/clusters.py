"""Emoji made of several code points, edited and drawn as the one character they look like.

prompt_toolkit counts code points, terminals disagree about such sequences. In the editor each is replaced by a
stand-in of two cells; when it is drawn, the cursor is saved before it and put exactly two cells on after it.
"""

from __future__ import annotations

from rescene_cli.ui.cells import graphemes, width

_FIRST = 0x3F000  # unassigned in Unicode, and wide by its block: plane 3 is reserved for ideographs
_MOST = 2_000

_stand_ins: dict[str, str] = {}
_clusters: dict[str, str] = {}


def is_cluster(grapheme: str) -> bool:
    """Whether this is several code points on two cells (a base with combining marks on one is no problem)."""
    return len(grapheme) > 1 and width(grapheme) == 2


def stand_in(cluster: str) -> str:
    """The single character that stands for `cluster` while it is edited."""
    found = _stand_ins.get(cluster)
    if found is None:
        if len(_stand_ins) >= _MOST:
            return cluster[0]
        found = _stand_ins[cluster] = chr(_FIRST + len(_stand_ins))
        _clusters[found] = cluster
    return found


def drawn(data: str) -> str:
    """`data` as it goes to the terminal: stand-ins as what they stand for, with the cursor where it should be."""
    if data.isascii() or not _clusters:
        return data
    return "".join(f"\x1b7{_clusters[sign]}\x1b8\x1b[2C" if sign in _clusters else sign for sign in data)


def replaced(text: str) -> str:
    """`text` with a stand-in for each cluster."""
    if text.isascii():
        return text
    return "".join(stand_in(part) if is_cluster(part) else part for part in graphemes(text))


def boundaries(text: str) -> list[int]:
    """The positions in `text` between which its characters lie, from 0 to its length."""
    if text.isascii():
        return list(range(len(text) + 1))
    places = [0]
    for part in graphemes(text):
        places.append(places[-1] + len(part))
    return places


def before(line: str, position: int) -> int:
    """How many code points the character in front of `position` has."""
    return position - max((place for place in boundaries(line[:position]) if place < position), default=0)


def after(line: str, position: int) -> int:
    """How many code points the character at `position` has."""
    return next((len(part) for part in graphemes(line[position:])), 0)
