"""The entry point. What can be answered without the rest of the program is answered here."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; always ends the process with an exit code of `docs/reference/exit-codes.md`."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from rescene_cli import __version__

        try:
            os.write(1, f"rescene {__version__}\n".encode())
        except OSError:  # closed, full, or nobody reads it
            raise SystemExit(1) from None
        raise SystemExit(0)
    from rescene_cli.cli.edge import run

    raise SystemExit(run(sys.argv[1:]))
