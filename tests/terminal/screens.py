"""The screenshots of docs/terminal.md, taken from the real program: `python -m tests.terminal.screens` renews them."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from tests.terminal.screen import ROOT, SIZES, talk

PAGE = ROOT / "docs" / "terminal.md"


def shot(size: tuple[int, int], home: Path) -> str:
    """A finished turn, and a question in the next one."""
    root = home / "shop"
    root.mkdir(exist_ok=True)
    with talk(size, cwd=root, HOME=str(home)) as screen:
        screen.turn("work")
        screen.send("approval with grant")
        screen.wait("[a] yes")
        screen.wait_idle()
        text = screen.text
    return text.rstrip()


def page(text: str, home: Path) -> str:
    """The page with its screenshots as they are now."""
    for size in SIZES:
        name = f"{size[0]} x {size[1]}"
        block = f"<!-- screen {name} -->\n```text\n{shot(size, home)}\n```\n<!-- end -->"
        text = re.sub(rf"<!-- screen {name} -->.*?<!-- end -->", lambda _, block=block: block, text, flags=re.S)
    return text


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        PAGE.write_text(page(PAGE.read_text("utf-8"), Path(home)), "utf-8")


if __name__ == "__main__":
    main()
