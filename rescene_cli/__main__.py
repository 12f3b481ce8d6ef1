"""`python -m rescene_cli` is the same program as `rescene`."""

from rescene_cli.cli.app import main

main()
