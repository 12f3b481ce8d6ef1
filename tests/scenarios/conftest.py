"""The projects of scenarios hold tests of their own, which are not ours to run."""

collect_ignore_glob = ["[0-9]*"]
