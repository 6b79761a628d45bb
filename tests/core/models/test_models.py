import pytest

from core.models.catalogue import MODELS, ModelSettings
from core.models.description import ModelDescription

torch = pytest.importorskip("torch")


@pytest.mark.parametrize(
    "settings",
    [
        *(ModelSettings(name) for name in sorted(MODELS)),
        ModelSettings("mlp", width=24, depth=3, dtype="float64"),
        ModelSettings("gpt", width=48, depth=2, heads=3, sequence=10, dtype="bfloat16"),
        ModelSettings("resnet50", image_size=49),
    ],
    ids=str,
)
def test_the_torch_free_description_is_that_of_the_real_module(settings):
    from core.engine.models.modules import build_blocks, built_in_batch

    settings = settings.filled()
    described = MODELS[settings.name].describe(settings)
    blocks = [block.to(getattr(torch, settings.dtype)).eval() for block in build_blocks(settings)]
    x, _ = built_in_batch(settings, 2, torch.Generator().manual_seed(0))
    x = x.to(getattr(torch, settings.dtype)) if x.is_floating_point() else x
    assert described.input_bytes == x[0].nbytes
    assert len(described.blocks) == len(blocks)
    with torch.no_grad():
        for index, block in enumerate(blocks):
            x = block(x)
            parameters = tuple((name, p.numel()) for name, p in block.named_parameters())
            assert described.blocks[index].parameters == parameters
            assert described.output_bytes(index) == x[0].nbytes
    norms = [m for b in blocks for m in b.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    assert described.depends_on_split == bool(norms)


def test_a_description_survives_its_way_through_json():
    described = MODELS["gpt"].describe(ModelSettings("gpt").filled())
    assert ModelDescription.from_dict(described.to_dict()) == described


def test_a_description_of_an_earlier_version_has_no_frozen_parameters():
    values = MODELS["mlp"].describe(ModelSettings("mlp", width=8, depth=2).filled()).to_dict()
    for block in values["blocks"]:
        del block["frozen"]
    described = ModelDescription.from_dict(values)
    assert described.gradient_bytes(0, 2) == described.parameter_bytes > 0


def test_no_built_in_model_has_dropout():
    from core.engine.models.modules import build_blocks

    for name in MODELS:
        for block in build_blocks(ModelSettings(name).filled()):
            assert not any("Dropout" in type(module).__name__ for module in block.modules())
