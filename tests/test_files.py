"""A file is written whole or not at all."""

from pathlib import Path
from typing import BinaryIO

import pytest

from klaverjas_env.files import write_text, write_whole


def test_a_failure_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    path = tmp_path / "f"
    write_text(path, "old")

    def fail(file: BinaryIO) -> None:
        file.write(b"half of the new")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(path, fail)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
