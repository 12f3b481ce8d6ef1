"""What a child process is told of the world."""

from __future__ import annotations

from collections.abc import Collection, Mapping

_WITHHELD = frozenset({"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "RESCENE_VAULT_KEY"})

# Only what keeps a command from waiting for somebody who is not there; documented in docs/reference/names.md.
_UNATTENDED = {
    "PAGER": "cat",  # a pager that does not look at where it writes to would wait for a key
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",  # a remote that wants a password fails at once
    "GIT_EDITOR": "true",  # `git commit` without -m fails; `rebase --continue` and `merge` keep the message
    "GIT_SEQUENCE_EDITOR": "true",
}


def child_environment(environ: Mapping[str, str], withhold: Collection[str] = ()) -> dict[str, str]:
    """`environ` for a child: without provider keys, the vault key and the names in `withhold`, and unattended.

    The names left out are those of OpenAI, Anthropic and the vault; the keys of other providers are for the
    caller to name. TERM becomes `dumb` where it is not set.
    """
    kept = {name: value for name, value in environ.items() if name not in _WITHHELD and name not in withhold}
    kept.setdefault("TERM", "dumb")
    return kept | _UNATTENDED
