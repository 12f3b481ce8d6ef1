"""The entry point. What can be answered without the rest of the program is answered here."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; always ends the process with an exit code of `docs/reference/exit-codes.md`."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from rescene_cli import __version__

        sys.stdout.write(f"rescene {__version__}\n")
        raise SystemExit(0)
    from rescene_cli.cli.edge import run

    raise SystemExit(run(sys.argv[1:]))
