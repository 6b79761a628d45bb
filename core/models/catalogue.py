"""The built-in models: their settings and, without torch, their descriptions.

`core.engine.models.modules` builds the same blocks as torch modules; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.models.description import DTYPE_BYTES, Block, ModelDescription

VOCABULARY = 256  # the small GPT reads bytes
RESNET50_LAYERS = ((64, 3), (128, 4), (256, 6), (512, 3))  # (channels, bottlenecks), He et al. 2015
RESNET50_EXPANSION = 4
RESNET50_CLASSES = 1000


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model, and the settings that its kind takes; None is the model's default."""

    name: str = "mlp"
    width: int | None = None
    depth: int | None = None
    heads: int | None = None
    sequence: int | None = None
    image_size: int | None = None
    dtype: str = "float32"

    def filled(self) -> ModelSettings:
        """The same with the defaults of a built-in model written out."""
        kind = MODELS.get(self.name)
        defaults = {} if kind is None else kind.settings
        filled = self
        for name, value in defaults.items():
            if getattr(self, name) is None:
                filled = replace(filled, **{name: value})  # type: ignore[arg-type]
        return filled

    def __getitem__(self, name: str) -> int:
        """A setting that the model takes. Raises KeyError if it is not filled."""
        value = getattr(self, name)
        if value is None:
            raise KeyError(name)
        return int(value)


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A built-in model as the window and the command line list it.

    `settings` maps the settings that it takes to their defaults.
    """

    name: str
    title: str
    line: str
    settings: dict[str, int]
    describe: Callable[[ModelSettings], ModelDescription]
    batch: int


def linear(name: str, inputs: int, outputs: int) -> tuple[tuple[str, int], ...]:
    """Parameters of nn.Linear(inputs, outputs)."""
    return ((f"{name}.weight", inputs * outputs), (f"{name}.bias", outputs))


def norm(name: str, width: int) -> tuple[tuple[str, int], ...]:
    """Parameters of nn.LayerNorm(width) or nn.BatchNorm2d(width)."""
    return ((f"{name}.weight", width), (f"{name}.bias", width))


def _tutorial(settings: ModelSettings) -> ModelDescription:
    element = DTYPE_BYTES[settings.dtype]
    blocks = (Block("linear", (("weight", 10), ("bias", 2)), 2),)
    return ModelDescription("tutorial", blocks, 5 * element, element)


def _toymodel(settings: ModelSettings) -> ModelDescription:
    element = DTYPE_BYTES[settings.dtype]
    blocks = (
        Block("net1+relu", linear("0", 10, 10), 10),
        Block("net2", (("weight", 50), ("bias", 5)), 5),
    )
    return ModelDescription("toymodel", blocks, 10 * element, element)


def _mlp(settings: ModelSettings) -> ModelDescription:
    element, width = DTYPE_BYTES[settings.dtype], settings["width"]
    blocks = tuple(
        Block(f"linear{i}", linear("0", width, width), width) for i in range(settings["depth"])
    )
    return ModelDescription("mlp", blocks, width * element, element)


def _gpt(settings: ModelSettings) -> ModelDescription:
    element, width, sequence = DTYPE_BYTES[settings.dtype], settings["width"], settings["sequence"]
    embedding = (("token.weight", VOCABULARY * width), ("position.weight", sequence * width))
    transformer = (
        *norm("norm1", width),
        *linear("qkv", width, 3 * width),
        *linear("projection", width, width),
        *norm("norm2", width),
        *linear("expand", width, 4 * width),
        *linear("contract", 4 * width, width),
    )
    head = (*norm("0", width), *linear("1", width, VOCABULARY))
    blocks = (
        Block("embedding", embedding, sequence * width),
        *(Block(f"block{i}", transformer, sequence * width) for i in range(settings["depth"])),
        Block("head", head, sequence * VOCABULARY),
    )
    return ModelDescription("gpt", blocks, sequence * 8, element)  # tokens are int64


def _convolution(name: str, inputs: int, outputs: int, kernel: int) -> tuple[tuple[str, int], ...]:
    return ((f"{name}.weight", inputs * outputs * kernel * kernel),)


def _resnet50(settings: ModelSettings) -> ModelDescription:
    element = DTYPE_BYTES[settings.dtype]
    size = -(-settings["image_size"] // 4)  # a convolution and a pooling of stride 2
    stem = (*_convolution("0", 3, 64, 7), *norm("1", 64))
    blocks = [Block("stem", stem, 64 * size * size)]
    inputs = 64
    for layer, (channels, count) in enumerate(RESNET50_LAYERS):
        outputs = channels * RESNET50_EXPANSION
        for index in range(count):
            if layer > 0 and index == 0:
                size = -(-size // 2)
            parameters = (
                *_convolution("conv1", inputs, channels, 1),
                *norm("norm1", channels),
                *_convolution("conv2", channels, channels, 3),
                *norm("norm2", channels),
                *_convolution("conv3", channels, outputs, 1),
                *norm("norm3", outputs),
            )
            if index == 0:
                parameters += (
                    *_convolution("skip.0", inputs, outputs, 1),
                    *norm("skip.1", outputs),
                )
            blocks.append(Block(f"layer{layer + 1}.{index}", parameters, outputs * size * size))
            inputs = outputs
    blocks.append(Block("head", linear("2", inputs, RESNET50_CLASSES), RESNET50_CLASSES))
    image = 3 * settings["image_size"] ** 2 * element
    return ModelDescription("resnet50", tuple(blocks), image, element, depends_on_split=True)


MODELS: dict[str, ModelKind] = {
    kind.name: kind
    for kind in (
        ModelKind(
            "mlp", "MLP", "Linear layers of one width.", {"width": 1024, "depth": 8}, _mlp, 64
        ),
        ModelKind("tutorial", "Tutorial", "The tutorials' Linear(5, 2).", {}, _tutorial, 30),
        ModelKind(
            "toymodel", "ToyModel", "The tutorials' 10-10-5 in two blocks.", {}, _toymodel, 20
        ),
        ModelKind(
            "gpt",
            "GPT",
            "A small GPT over bytes.",
            {"width": 256, "depth": 4, "heads": 4, "sequence": 64},
            _gpt,
            16,
        ),
        ModelKind(
            "resnet50",
            "ResNet-50",
            "ResNet-50 on square images.",
            {"image_size": 64},
            _resnet50,
            16,
        ),
    )
}
