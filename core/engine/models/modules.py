"""The built-in models as torch modules, with the blocks that core.models.catalogue describes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.models.catalogue import (
    RESNET50_CLASSES,
    RESNET50_EXPANSION,
    RESNET50_LAYERS,
    VOCABULARY,
    ModelSettings,
)

Batch = tuple[Tensor, Tensor]
LossFunction = Callable[[Tensor, Tensor], Tensor]


class Embedding(nn.Module):
    """Token and position embeddings: int64 (rows, sequence) to float (rows, sequence, width)."""

    def __init__(self, width: int, sequence: int) -> None:
        super().__init__()
        self.token = nn.Embedding(VOCABULARY, width)
        self.position = nn.Embedding(sequence, width)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the sum of token and position embeddings."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        embedded: Tensor = self.token(tokens) + self.position(places)
        return embedded


class TransformerBlock(nn.Module):
    """A pre-norm transformer block with causal attention: (rows, sequence, width) to the same."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.expand = nn.Linear(width, 4 * width)
        self.contract = nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Apply attention and a feed-forward layer, each with a residual connection."""
        attended = attention(self.qkv(self.norm1(x)), self.heads)
        x = x + self.projection(attended)
        hidden = functional.gelu(self.expand(self.norm2(x)))
        output: Tensor = x + self.contract(hidden)
        return output


def attention(qkv: Tensor, heads: int) -> Tensor:
    """Causal attention: (rows, sequence, 3 x width), queries first, to (rows, sequence, width)."""
    by_head = qkv.unflatten(-1, (3, heads, -1))
    # Three tensors of (rows, heads, sequence, width / heads).
    query, key, value = by_head.permute(2, 0, 3, 1, 4)
    attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    return attended.transpose(1, 2).flatten(2)


class Bottleneck(nn.Module):
    """ResNet's 1x1, 3x3, 1x1 residual block (He et al. 2015), stride on the 3x3 as in v1.5."""

    def __init__(self, inputs: int, channels: int, stride: int, project: bool) -> None:
        super().__init__()
        outputs = channels * RESNET50_EXPANSION
        self.conv1 = nn.Conv2d(inputs, channels, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, stride, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.conv3 = nn.Conv2d(channels, outputs, 1, bias=False)
        self.norm3 = nn.BatchNorm2d(outputs)
        self.skip: nn.Module = nn.Identity()
        if project:
            convolution = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.skip = nn.Sequential(convolution, nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Return the residual plus x, or plus the projection of x."""
        y = functional.relu(self.norm1(self.conv1(x)))
        y = functional.relu(self.norm2(self.conv2(y)))
        y = self.norm3(self.conv3(y))
        return functional.relu(y + self.skip(x))


def build_blocks(settings: ModelSettings) -> list[nn.Module]:
    """Return the blocks of a built-in model, initialised with torch's current random state."""
    return _BUILDERS[settings.name](settings)


def built_in_loss(name: str) -> LossFunction:
    """Return the loss of a built-in model, a mean over rows: squared error or cross entropy."""
    return classification if name in ("gpt", "resnet50") else functional.mse_loss


def classification(output: Tensor, target: Tensor) -> Tensor:
    """Cross entropy, mean over rows and positions: (rows, ..., classes) against (rows, ...)."""
    return functional.cross_entropy(output.flatten(0, -2), target.flatten())


def built_in_batch(settings: ModelSettings, rows: int, generator: torch.Generator) -> Batch:
    """Return a random batch of `rows` rows: input and target."""
    if settings.name == "gpt":
        shape = (rows, settings["sequence"] + 1)
        text = torch.randint(VOCABULARY, shape, generator=generator)
        tokens = text[:, :-1].contiguous()
        next_tokens = text[:, 1:].contiguous()
        return tokens, next_tokens
    if settings.name == "resnet50":
        size = settings["image_size"]
        images = torch.randn(rows, 3, size, size, generator=generator)
        classes = torch.randint(RESNET50_CLASSES, (rows,), generator=generator)
        return images, classes
    sizes = {"tutorial": (5, 2), "toymodel": (10, 5)}
    if settings.name in sizes:
        inputs, outputs = sizes[settings.name]
    else:
        inputs = settings["width"]
        outputs = inputs
    data = torch.randn(rows, inputs, generator=generator)
    target = torch.randn(rows, outputs, generator=generator)
    return data, target


def _tutorial(settings: ModelSettings) -> list[nn.Module]:
    return [nn.Linear(5, 2)]


def _toymodel(settings: ModelSettings) -> list[nn.Module]:
    hidden = nn.Sequential(nn.Linear(10, 10), nn.ReLU())
    return [hidden, nn.Linear(10, 5)]


def _mlp(settings: ModelSettings) -> list[nn.Module]:
    width = settings["width"]
    # A smooth activation: with ReLU, different rounding of different splits switches units at zero,
    # and their gradients change completely without an error of the engine.
    blocks: list[nn.Module] = []
    for _ in range(settings["depth"]):
        blocks.append(nn.Sequential(nn.Linear(width, width), nn.Tanh()))
    return blocks


def _gpt(settings: ModelSettings) -> list[nn.Module]:
    width = settings["width"]
    blocks = [TransformerBlock(width, settings["heads"]) for _ in range(settings["depth"])]
    head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, VOCABULARY))
    return [Embedding(width, settings["sequence"]), *blocks, head]


def _resnet50(settings: ModelSettings) -> list[nn.Module]:
    blocks: list[nn.Module] = [
        nn.Sequential(
            nn.Conv2d(3, 64, 7, 2, padding=3, bias=False),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.MaxPool2d(3, 2, padding=1),
        )
    ]
    inputs = 64
    for layer, (channels, count) in enumerate(RESNET50_LAYERS):
        for index in range(count):
            stride = 2 if layer > 0 and index == 0 else 1
            blocks.append(Bottleneck(inputs, channels, stride, project=index == 0))
            inputs = channels * RESNET50_EXPANSION
    classes = nn.Linear(inputs, RESNET50_CLASSES)
    head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), classes)
    return [*blocks, head]


_BUILDERS: dict[str, Callable[[ModelSettings], list[nn.Module]]] = {
    "tutorial": _tutorial,
    "toymodel": _toymodel,
    "mlp": _mlp,
    "gpt": _gpt,
    "resnet50": _resnet50,
}
