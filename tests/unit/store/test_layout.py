from __future__ import annotations

from pathlib import Path

from rescene_cli.store.layout import data_dir, private_directory, write_private


def test_the_data_folder(tmp_path: Path) -> None:
    assert data_dir({"RESCENE_DATA_DIR": str(tmp_path)}) == tmp_path
    assert data_dir({"RESCENE_DATA_DIR": "~/x"}) == Path.home() / "x"
    assert data_dir({}) == Path.home() / "rescene_data"


def test_folders_are_private_and_older_ones_stay_as_they_are(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    made = private_directory(tmp_path / "a" / "b")
    assert [folder.stat().st_mode & 0o777 for folder in (made, made.parent, tmp_path)] == [0o700, 0o700, 0o755]
    assert private_directory(made) == made


def test_files_are_private(tmp_path: Path) -> None:
    written = write_private(tmp_path / "x" / "log", b"text")
    assert written.read_bytes() == b"text"
    assert written.stat().st_mode & 0o777 == 0o600
    assert list(written.parent.iterdir()) == [written]
