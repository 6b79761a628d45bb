"""Models in memory: how they are sent to the engine, and what is left of them."""

import os
import sys
import tempfile
import threading
from pathlib import Path

import numpy
import pytest

import bubblescope as bs
from bubblescope.api.sent_model import sent_model
from core.errors import PlanError

torch = pytest.importorskip("torch")
BLOCKS = [torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3)]
SAMPLE = (torch.ones(12, 6), torch.zeros(12, 3))
ABANDONED = ".bubblescope-0123456789abcdef.part"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, with one that a killed process has left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / ABANDONED).mkdir()
    return tmp_path


def test_blocks_in_memory_are_trained_as_they_are_and_leave_nothing(folder: Path) -> None:
    weight = BLOCKS[0].weight.detach().clone()
    run = bs.run(
        "mp",
        model=BLOCKS,
        sample=SAMPLE,
        loss=torch.nn.functional.l1_loss,
        devices="2xvirtual:cpu",
        steps=1,
        warmup=0,
        gradients=str(folder / "g.npz"),
        verify=True,
        calibrate=False,
        progress=False,
    )
    assert run.trace.header.specification.batch == 12  # the sample's rows
    with numpy.load(folder / "g.npz") as step:
        assert (step["before/0.weight"] == weight.numpy()).all()
    assert torch.equal(BLOCKS[0].weight, weight)  # a copy was trained
    os.unlink(folder / "g.npz")
    assert os.listdir(folder) == []


def test_the_file_is_private(folder: Path) -> None:
    with sent_model({"model": BLOCKS}, SAMPLE) as options:
        file = Path(str(options["model"]))
        assert (file.name, options["batch"]) == ("blocks.py", 12)
        assert file.is_relative_to(folder) and file.parent.stat().st_mode & 0o777 == 0o700
        assert not (folder / ABANDONED).exists()


def test_names_and_files_are_passed_on() -> None:
    for options in ({"model": "mlp"}, {"model": Path("own.py")}, {}):
        with sent_model(options) as sent:
            assert sent == options


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"model": BLOCKS}, "needs data: give sample=(input, target)"),
        ({"model": BLOCKS, "sample": SAMPLE[0]}, "needs data: give sample=(input, target)"),
        ({"model": BLOCKS, "sample": (SAMPLE[0], SAMPLE[1][:3])}, "(12, 6) and target"),
        ({"sample": SAMPLE}, "are for a model in memory: give model=MODULE"),
    ],
)
def test_missing_or_wrong_data_is_one_line(call, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(bs.BubblescopeError) as raised:
        bs.run(**call)
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_an_error_in_the_model_names_its_class_and_not_the_file() -> None:
    with (
        pytest.raises(bs.BubblescopeError, match=r"^model Sequential: build"),
        sent_model({"model": torch.nn.Sequential()}, SAMPLE) as options,
    ):
        raise PlanError(f"--model {options['model']!r}: build() returned no block")


def test_a_model_that_cannot_be_sent_is_one_line(folder: Path) -> None:
    block = torch.nn.Linear(6, 3)
    block.lock = threading.Lock()
    with pytest.raises(bs.BubblescopeError, match="cannot be sent to the engine: TypeError"):
        bs.run(model=block, sample=SAMPLE)
    assert os.listdir(folder) == []


def test_without_cloudpickle_a_class_of_the_notebook_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    own = type("Own", (torch.nn.Linear,), {"__module__": "__main__"})
    for model in (own(6, 3), [torch.nn.Sequential(own(6, 3))]):
        with pytest.raises(bs.BubblescopeError, match="Own is defined in this notebook"):
            bs.run(model=model, sample=SAMPLE)


def test_a_class_of_the_notebook_is_sent_by_cloudpickle() -> None:
    pytest.importorskip("cloudpickle")
    own = type("Own", (torch.nn.Linear,), {"__module__": "__main__"})
    with sent_model({"model": [own(6, 3)]}, SAMPLE) as options:
        data = Path(str(options["model"])).with_name("model.pt")
        sent = torch.load(data, weights_only=False)
        # Plain pickle would not find the class in __main__.
        assert type(sent["model"][0]).__name__ == "Own"
