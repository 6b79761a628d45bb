"""The user's folders, whatever the environment says of them."""

from pathlib import Path

import pytest

from core.paths import cache_folder, data_folder, home_folder
from core.recording.index import index_files

FOLDERS = {"XDG_DATA_HOME": data_folder, "XDG_CACHE_HOME": cache_folder}


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("text", ["", "relative/folder", "."])
def test_a_folder_that_is_no_whole_path_is_ignored(monkeypatch, tmp_path, name, text):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv(name, text)
    assert FOLDERS[name]().is_relative_to(tmp_path)
    assert index_files("run.arrow")[1].is_absolute()


def test_a_user_without_a_home_has_the_root_folder(monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", home)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert home_folder() == Path("/") and cache_folder() == Path("/.cache")
