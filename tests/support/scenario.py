"""Scenarios: a folder that says what stands there, what the model does, and how it must end.

tests/scenarios/NNN_name/
    before/        the project; `[[before]]` adds what git can't carry
    script.jsonl   the model's replies (docs/reference/models.md)
    after/         the project at the end; without it, `before` again. `[[after]]` lays paths over it
    expect.toml    the rest; all fields are optional

task, options     the command line: the task's words, and what follows it
output            stream-json (default), json or text
stdin, closed     what is piped in; `closed = true` starts it without a standard input
answers           the answers of a person at a terminal, in order; then output is text
env, config       environment variables; the person's own configuration file, as text
served            `provider/name`: a model server on loopback plays the script, so that requests can be looked at
exit              the exit code, 0 by default
stdout, stderr    texts that stand in them; `silent` texts that stand in neither
envelope          fields of the result by dotted name
events            event fields, a table an event, that come in this order (others may come between)
results           one table for each tool result, in order: name, status, has, lacks
requests          tables: number, has, lacks; only with `served`
ignore            folders of the project that are not compared, such as .git
"""

from __future__ import annotations

import json
import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tests.support import binary, trees
from tests.support.model_server import ModelServer
from tests.support.trees import Node, Tree

_FIELDS = {
    "task", "options", "output", "stdin", "closed", "answers", "env", "config", "served", "exit", "stdout", "stderr",
    "silent", "envelope", "events", "results", "requests", "before", "after", "needs", "ignore",
}  # fmt: skip
_SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "events.schema.json"


class Scenario:
    """One folder. `carry_out` runs it and raises AssertionError where it ends otherwise than it must."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.expect: dict[str, Any] = tomllib.loads((folder / "expect.toml").read_text("utf-8"))
        unknown = set(self.expect) - _FIELDS
        assert not unknown, f"{folder.name}: unknown fields {unknown}"

    @property
    def missing(self) -> str:
        """A program that the scenario needs and that is not here, or ''."""
        return next((name for name in self.expect.get("needs", ()) if shutil.which(name) is None), "")

    def carry_out(self, world: Path) -> None:
        """Run it in `world`, an empty folder; the project is a folder in that."""
        project = world / "project"
        project.mkdir(mode=0o755)
        for name, node in _with_parents(self._tree("before")).items():
            trees.plant(world / name, node)
        before = trees.snapshot(world)
        with self._model() as (options, env, server):
            ended = self._run(project, options, env)
            self._check_end(ended)
            for wanted in self.expect.get("requests", ()):
                assert server is not None, "requests are seen only with `served`"
                _check_text(json.dumps(server.seen[wanted["number"] - 1].body), wanted)
        different = trees.difference(self._compared(trees.snapshot(world)), self._compared(self._wanted(before)))
        assert not different, different

    def _tree(self, which: str) -> Tree:
        """The folder `which` with the tables of that name laid over it, named from the world."""
        found: Tree = {}
        if (self.folder / which).is_dir():
            found = {f"project/{path}": _as_carried(node) for path, node in trees.snapshot(self.folder / which).items()}
        tables = [entry for entry in self.expect.get(which, ()) if not entry.get("gone")]
        return found | {_in_world(entry["path"]): trees.described(entry) for entry in tables}

    def _compared(self, tree: Tree) -> Tree:
        ignored = tuple(f"project/{name}" for name in self.expect.get("ignore", ()))
        return {name: node for name, node in tree.items() if not (ignored and name.startswith(ignored))}

    def _wanted(self, before: Tree) -> Tree:
        """What must stand in the world at the end."""
        whole = (self.folder / "after").is_dir()
        kept = {name: node for name, node in before.items() if not (whole and name.startswith("project/"))}
        kept = _with_parents(kept | self._tree("after"))
        gone = {_in_world(entry["path"]) for entry in self.expect.get("after", ()) if entry.get("gone")}
        return {name: node for name, node in kept.items() if name not in gone}

    @contextmanager
    def _model(self) -> Iterator[tuple[list[str], dict[str, str], ModelServer | None]]:
        """What plays the script: the options and the environment that lead there, and the server if it is one."""
        script = self.folder / "script.jsonl"
        if "served" not in self.expect:
            yield ["--model", f"scripted:{script}"], {}, None
            return
        turns = [json.loads(line) for line in script.read_text("utf-8").splitlines()]
        with ModelServer(turns) as server:
            keys = {"OPENAI_API_KEY": "sk-scenario", "ANTHROPIC_API_KEY": "sk-scenario"}
            places = {"OPENAI_BASE_URL": f"{server.url}/v1", "ANTHROPIC_BASE_URL": server.url}
            yield ["--model", self.expect["served"]], keys | places, server

    def _run(self, project: Path, options: Sequence[str], env: Mapping[str, str]) -> binary.Ended:
        expect = self.expect
        config = Path(os.environ["XDG_CONFIG_HOME"]) / "rescene" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(expect.get("config", ""))
        command = ["run", *([task] if (task := expect.get("task", "Do it.")) else []), *options]
        command += expect.get("options", ())
        env = {**env, **expect.get("env", {})}
        if "answers" in expect:
            return binary.run_in_terminal(*command, cwd=project, env=env, answers=expect["answers"])
        stdin = binary.CLOSED if expect.get("closed") else str(expect.get("stdin", "")).encode()
        return binary.run(*command, "--output", self._output, cwd=project, env=env, stdin=stdin)

    @property
    def _output(self) -> str:
        return "text" if "answers" in self.expect else str(self.expect.get("output", "stream-json"))

    def _check_end(self, ended: binary.Ended) -> None:
        expect = self.expect
        assert ended.exit == expect.get("exit", 0), f"exit {ended.exit}\n{ended.stdout[-3000:]}\n{ended.stderr[-2000:]}"
        for name, text in (("stdout", ended.stdout), ("stderr", ended.stderr)):
            for wanted in expect.get(name, ()):
                assert wanted in text, f"{wanted!r} is not in {name}: {text[-2000:]}"
            for unwanted in expect.get("silent", ()):
                assert unwanted not in text, f"{unwanted!r} is in {name}: {text[-2000:]}"
        assert "Traceback" not in ended.stderr, ended.stderr
        if self._output != "text":
            _check_fields(ended.envelope, expect.get("envelope", {}))
        if self._output == "stream-json":
            self._check_events(ended.lines)

    def _check_events(self, lines: Sequence[Mapping[str, Any]]) -> None:
        for line in lines:
            _schema(line["type"]).validate(line)
        rest = iter(lines)
        for wanted in self.expect.get("events", ()):
            assert any(_fits(line, wanted) for line in rest), f"no event {wanted} (in this order) among {_brief(lines)}"
        wanted_results = self.expect.get("results")
        if wanted_results is not None:
            results = [line for line in lines if line["type"] == "tool_finished"]
            assert len(results) == len(wanted_results), _brief(results)
            for result, wanted in zip(results, wanted_results, strict=True):
                said = {key: value for key, value in wanted.items() if key not in {"has", "lacks"}}
                assert _fits(result, said), f"wanted {said}, found {_brief([result])}: {result['text'][:500]}"
                _check_text(result["text"], wanted)


def _in_world(path: str) -> str:
    """A path of the project as the world names it; '../x' lies beside the project."""
    return os.path.normpath(f"project/{path}")


def _with_parents(tree: Tree) -> Tree:
    folders = {parent.as_posix() for name in tree for parent in Path(name).parents} - {"."}
    return {name: Node("directory", 0o755) for name in sorted(folders)} | tree


def _as_carried(node: Node) -> Node:
    """As git carries it: of the permission bits only the executable one."""
    if node.kind == "file":
        return node._replace(mode=0o755 if node.mode & 0o100 else 0o644)
    return node if node.kind == "link" else node._replace(mode=0o755)


def _check_fields(found: Any, wanted: Mapping[str, Any]) -> None:
    for name, value in wanted.items():
        part = found
        for step in name.split("."):
            part = part[int(step)] if isinstance(part, list) else part[step]
        assert part == value, f"{name} is {part!r}, wanted {value!r}"


def _check_text(text: str, wanted: Mapping[str, Any]) -> None:
    for piece in wanted.get("has", ()):
        assert piece in text, f"{piece!r} is not in {text[:1000]!r} ... {text[-1000:]!r}"
    for piece in wanted.get("lacks", ()):
        assert piece not in text, f"{piece!r} is in {text[:1000]!r} ... {text[-1000:]!r}"


def _fits(found: Any, wanted: Any) -> bool:
    """Whether `found` is `wanted`, where tables may have more fields than wanted."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(_fits(found.get(key), value) for key, value in wanted.items())
    return bool(found == wanted)


def _brief(lines: Sequence[Mapping[str, Any]]) -> str:
    shown = ("type", "name", "status", "title", "note", "message", "text")
    return "\n".join(" ".join(f"{key}={str(line[key])[:200]!r}" for key in shown if key in line) for line in lines)


@cache
def _schema(kind: str) -> Any:
    """The schema of one kind of event: to try them all for each line takes ten times as long as the run."""
    from jsonschema import Draft202012Validator

    definitions = json.loads(_SCHEMA.read_text("utf-8"))["$defs"]
    return Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": definitions})
