"""The built-in models: their settings, and their descriptions, which do not need torch.

`core.engine.models.modules` builds the same blocks as torch modules; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from core.message import Text, message
from core.models.description import DTYPE_BYTES, Block, ModelDescription, Segment
from core.option import Option, OptionGroup

VOCABULARY = 256  # the small GPT reads bytes
RESNET50_LAYERS = ((64, 3), (128, 4), (256, 6), (512, 3))  # (channels, bottlenecks), He et al. 2015
RESNET50_EXPANSION = 4
RESNET50_CLASSES = 1000
# Filled at the end of the file: the settings' choices refer to it, and the kinds to the settings.
MODELS: dict[str, ModelKind] = {}
"""The built-in models by name."""


def _size(name: str, help: str, most: int) -> int | None:
    """Return a dataclass field for a number that only some kinds of models take."""
    option: Option[int | None] = Option(
        name, int, help, "the model's own", most=most, group=OptionGroup.MODEL
    )
    return option.field()


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """The name of a model and its settings; None stands for the model's default."""

    name: str = Option(
        "model",
        str,
        "The model to train: a built-in one, or your own Python file.",
        unit="name",
        default="mlp",
        choices=MODELS,
        suffix=".py",
        group=OptionGroup.MODEL,
    ).field()
    width: int | None = _size("width", "Features in every layer.", 1_000_000)
    depth: int | None = _size(
        "depth", "Number of layers; each is a block, and stages consist of blocks.", 10_000
    )
    heads: int | None = _size(
        "heads", "Number of attention heads, which must divide the width.", 10_000
    )
    sequence: int | None = _size("sequence", "Bytes of text in every row.", 1_000_000)
    image_size: int | None = _size(
        "image_size", "Width and height of every image in pixels.", 100_000
    )
    dtype: str = Option(
        "dtype",
        str,
        "The number format of parameters and activations.",
        unit="name",
        default="float32",
        label="Type",
        choices=DTYPE_BYTES,
        group=OptionGroup.MODEL,
        rare=True,
    ).field()

    def filled(self) -> ModelSettings:
        """Return a copy in which a built-in model's defaults replace None."""
        kind = MODELS.get(self.name)
        defaults = {} if kind is None else kind.settings
        filled = self
        for name, value in defaults.items():
            if getattr(self, name) is None:
                filled = replace(filled, **{name: value})  # type: ignore[arg-type]
        return filled

    def __getitem__(self, name: str) -> int:
        """Return a setting of the model. Raises KeyError if it is None."""
        value = getattr(self, name)
        if value is None:
            raise KeyError(name)
        return int(value)


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A built-in model as the window and the command line list it.

    `settings` maps the settings that it takes to their defaults. `problem` returns an error text
    for values that do not fit together, and "" if they do.
    """

    name: str
    title: str
    line: str
    settings: dict[str, int]
    describe: Callable[[ModelSettings], ModelDescription]
    batch: int
    problem: Callable[[ModelSettings], Text] = lambda settings: ""


def linear_parameters(name: str, inputs: int, outputs: int) -> tuple[tuple[str, int], ...]:
    """Return the parameters of nn.Linear(inputs, outputs)."""
    return ((f"{name}.weight", inputs * outputs), (f"{name}.bias", outputs))


def norm_parameters(name: str, width: int) -> tuple[tuple[str, int], ...]:
    """Return the parameters of nn.LayerNorm(width) or nn.BatchNorm2d(width)."""
    return ((f"{name}.weight", width), (f"{name}.bias", width))


def _tutorial(settings: ModelSettings) -> ModelDescription:
    element = DTYPE_BYTES[settings.dtype]
    # This block is a single linear layer. In a block of a layer and its activation, the layer is
    # the first module of an nn.Sequential: its parameters are named "0.weight" and "0.bias".
    blocks = (Block("linear", (("weight", 10), ("bias", 2)), 2),)
    return ModelDescription(
        name="tutorial",
        blocks=blocks,
        input_bytes=5 * element,
        element_bytes=element,
    )


def _toymodel(settings: ModelSettings) -> ModelDescription:
    element = DTYPE_BYTES[settings.dtype]
    blocks = (
        Block("net1+relu", linear_parameters("0", 10, 10), 10),
        Block("net2", (("weight", 50), ("bias", 5)), 5),
    )
    return ModelDescription(
        name="toymodel",
        blocks=blocks,
        input_bytes=10 * element,
        element_bytes=element,
    )


def _mlp(settings: ModelSettings) -> ModelDescription:
    element = DTYPE_BYTES[settings.dtype]
    width = settings["width"]
    blocks = []
    for i in range(settings["depth"]):
        parameters = linear_parameters("0", width, width)
        blocks.append(Block(f"linear{i}", parameters, width))
    return ModelDescription(
        name="mlp",
        blocks=tuple(blocks),
        input_bytes=width * element,
        element_bytes=element,
        segments=_layer_segments(len(blocks)),
        divisors=(("--width", width),),
    )


def _layer_segments(layers: int) -> tuple[Segment, ...]:
    """Return segments of two linear layers each, and a last one for the end of the model."""
    # As in Megatron-LM: the first layer is divided by outputs and the second by inputs, so that one
    # exchange suffices for both.
    pairs: list[Segment] = []
    for first in range(0, layers - 1, 2):
        divided = _linear_names(f"{first}.0") + _linear_names(f"{first + 1}.0")
        pairs.append(Segment(first, first + 2, divided))
    # A single layer cannot be divided.
    if not pairs:
        return ()
    # The last segment divides nothing.
    rest: tuple[str, ...] = ()
    if layers % 2:
        rest = _linear_names(f"{layers - 1}.0")
    return (*pairs, Segment(layers - 1, layers, repeated=rest))


def _linear_names(name: str) -> tuple[str, ...]:
    """Return the names of the parameters of nn.Linear or nn.LayerNorm."""
    return f"{name}.weight", f"{name}.bias"


def _gpt(settings: ModelSettings) -> ModelDescription:
    element = DTYPE_BYTES[settings.dtype]
    width = settings["width"]
    sequence = settings["sequence"]
    embedding = (
        ("token.weight", VOCABULARY * width),
        ("position.weight", sequence * width),
    )
    transformer = (
        *norm_parameters("norm1", width),
        *linear_parameters("qkv", width, 3 * width),
        *linear_parameters("projection", width, width),
        *norm_parameters("norm2", width),
        *linear_parameters("expand", width, 4 * width),
        *linear_parameters("contract", 4 * width, width),
    )
    head = (*norm_parameters("0", width), *linear_parameters("1", width, VOCABULARY))
    blocks = [Block("embedding", embedding, sequence * width)]
    for index in range(settings["depth"]):
        blocks.append(Block(f"block{index}", transformer, sequence * width))
    blocks.append(Block("head", head, sequence * VOCABULARY))
    return ModelDescription(
        name="gpt",
        blocks=tuple(blocks),
        input_bytes=sequence * 8,  # tokens are int64
        element_bytes=element,
        segments=_transformer_segments(settings["depth"]),
        divisors=(("--heads", settings["heads"]),),
    )


def _transformer_segments(depth: int) -> tuple[Segment, ...]:
    """Return segments for attention and feed-forward layers of each block, and for the head."""
    segments = list[Segment]()
    for block in range(1, depth + 1):
        # The embedding is in the first segment; every lane computes all of it.
        enter = () if segments else ("0.token.weight", "0.position.weight")
        for before, column, row in (
            ("norm1", "qkv", "projection"),
            ("norm2", "expand", "contract"),
        ):
            by_outputs = _linear_names(f"{block}.{column}")
            by_inputs = _linear_names(f"{block}.{row}")
            norm = _linear_names(f"{block}.{before}")
            first = 0 if enter else block
            segment = Segment(first, block + 1, by_outputs + by_inputs, repeated=enter + norm)
            segments.append(segment)
            enter = ()
    last = depth + 1
    head = _linear_names(f"{last}.0") + _linear_names(f"{last}.1")
    return (*segments, Segment(last, last + 1, repeated=head))


def _gpt_problem(settings: ModelSettings) -> Text:
    width = settings["width"]
    heads = settings["heads"]
    depth = settings["depth"]
    if width % heads:
        return message(
            "--heads {heads} do not divide --width {width}; use a divisor",
            heads=heads,
            width=width,
        )
    if depth < 2:
        return message(
            "--depth {depth}: the gpt takes 2 or more (at least 4 blocks in all)", depth=depth
        )
    return ""


def _resnet50_problem(settings: ModelSettings) -> Text:
    size = settings["image_size"]
    if size < 32:
        return message("--image-size {size}: resnet50 takes 32 or more pixels", size=size)
    return ""


def _convolution(name: str, inputs: int, outputs: int, kernel: int) -> tuple[tuple[str, int], ...]:
    count = inputs * outputs * kernel * kernel
    return ((f"{name}.weight", count),)


def _resnet50(settings: ModelSettings) -> ModelDescription:
    element = DTYPE_BYTES[settings.dtype]
    image_size = settings["image_size"]
    size = -(-image_size // 4)  # a convolution and a pooling of stride 2
    stem = (*_convolution("0", 3, 64, 7), *norm_parameters("1", 64))
    blocks = [Block("stem", stem, 64 * size * size)]
    inputs = 64
    for layer, (channels, count) in enumerate(RESNET50_LAYERS):
        outputs = channels * RESNET50_EXPANSION
        for index in range(count):
            if layer > 0 and index == 0:
                # Rounded up, as a 3x3 convolution of stride 2 with padding 1 does.
                size = -(-size // 2)
            parameters = (
                *_convolution("conv1", inputs, channels, 1),
                *norm_parameters("norm1", channels),
                *_convolution("conv2", channels, channels, 3),
                *norm_parameters("norm2", channels),
                *_convolution("conv3", channels, outputs, 1),
                *norm_parameters("norm3", outputs),
            )
            if index == 0:
                parameters += (
                    *_convolution("skip.0", inputs, outputs, 1),
                    *norm_parameters("skip.1", outputs),
                )
            name = f"layer{layer + 1}.{index}"
            activations = outputs * size * size
            blocks.append(Block(name, parameters, activations))
            inputs = outputs
    head = linear_parameters("2", inputs, RESNET50_CLASSES)
    blocks.append(Block("head", head, RESNET50_CLASSES))
    image = 3 * image_size**2 * element
    # depends_on_split, because batch normalisation uses the rows of a micro-batch.
    return ModelDescription(
        name="resnet50",
        blocks=tuple(blocks),
        input_bytes=image,
        element_bytes=element,
        depends_on_split=True,
    )


for _kind in (
    ModelKind(
        name="mlp",
        title="MLP",
        line="Linear layers of one width.",
        settings={"width": 1024, "depth": 8},
        describe=_mlp,
        batch=64,
    ),
    ModelKind(
        name="tutorial",
        title="Tutorial",
        line="The tutorials' Linear(5, 2).",
        settings={},
        describe=_tutorial,
        batch=30,
    ),
    ModelKind(
        name="toymodel",
        title="ToyModel",
        line="The tutorials' 10-10-5 in two blocks.",
        settings={},
        describe=_toymodel,
        batch=20,
    ),
    ModelKind(
        name="gpt",
        title="GPT",
        line="A small GPT over bytes.",
        settings={"width": 256, "depth": 4, "heads": 4, "sequence": 64},
        describe=_gpt,
        batch=16,
        problem=_gpt_problem,
    ),
    ModelKind(
        name="resnet50",
        title="ResNet-50",
        line="ResNet-50 on square images.",
        settings={"image_size": 64},
        describe=_resnet50,
        batch=16,
        problem=_resnet50_problem,
    ),
):
    MODELS[_kind.name] = _kind
