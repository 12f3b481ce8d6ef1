from __future__ import annotations

from pathlib import Path

import pytest

from rescene_cli.store.copy import fresh_copy


def test_a_copy_is_new_whole_and_without_compiled_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "source"
    (source / "pkg" / "__pycache__").mkdir(parents=True)
    (source / "pkg" / "a.py").write_text("a")
    (source / "pkg" / "__pycache__" / "a.pyc").write_text("c")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    first, second = fresh_copy(source, "demo-"), fresh_copy(source, "demo-")
    assert first != second
    assert sorted(path.relative_to(first).as_posix() for path in first.rglob("*")) == ["pkg", "pkg/a.py"]
    assert first.name.startswith("demo-")
