"""Finds the blocks of a model: the modules whose forward and backward passes are recorded."""

from __future__ import annotations

from collections.abc import Iterator

from torch import Tensor, nn

CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict)
MOST_BLOCKS = 512
FEW_BLOCKS = 8
"""If a model has fewer blocks than this, blocks that repeat layers are replaced by these layers."""
WRAPPERS = ("module", "_orig_mod", "_fsdp_wrapped_module")
"""Attributes in which DistributedDataParallel, torch.compile and others keep the model."""


class WholeBlock(nn.Module):
    """Layers that are recorded as one block, however few blocks the model has."""

    def __init__(self, layers: nn.Module) -> None:
        super().__init__()
        self.layers = layers

    def forward(self, x: Tensor) -> Tensor:
        """Compute the output of the layers."""
        output: Tensor = self.layers(x)
        return output


def unwrapped(model: nn.Module, into_compiled: bool = True) -> nn.Module:
    """Return the model without its wrappers.

    Unless `into_compiled`, a compiled module is returned as it is, wrapper included.
    """
    if not into_compiled and is_compiled(model):
        return model
    inner = inner_module(model)
    if inner is None:
        return model
    return unwrapped(inner, into_compiled)


def inner_module(model: nn.Module) -> nn.Module | None:
    """Return the module inside a wrapper; None if the module is not a wrapper."""
    for name in WRAPPERS:
        inner = model._modules.get(name)
        if inner is not None and len(model._modules) == 1:
            return inner
    return None


def is_compiled(module: nn.Module) -> bool:
    """Return True if torch.compile runs the whole module, so that calls inside are not seen."""
    return module._compiled_call_impl is not None or "_orig_mod" in module._modules


def find_blocks(model: nn.Module) -> list[tuple[str, nn.Module]]:
    """Return the blocks of a model in order, each with its name in the model.

    The blocks are the model's children; containers are replaced by their children. While there are
    fewer than FEW_BLOCKS, the largest block that keeps half of its parameters in a container, such
    as the body of a transformer, is replaced by its own children. A compiled module is one block.
    """
    root = unwrapped(model, into_compiled=False)
    if is_compiled(root):
        return [("model", root)]
    blocks = list(_children(root, ""))
    while len(blocks) < FEW_BLOCKS:
        sizes = {}
        for place, (_, block) in enumerate(blocks):
            if _repeats_layers(block):
                sizes[place] = _parameter_count(block)
        if not sizes:
            break
        largest = max(sizes, key=sizes.__getitem__)
        name, block = blocks[largest]
        blocks[largest : largest + 1] = _children(block, f"{name}.")
    return blocks[:MOST_BLOCKS] or [("model", root)]


def _children(module: nn.Module, prefix: str) -> Iterator[tuple[str, nn.Module]]:
    """Yield the module's children; containers are replaced by their children."""
    children = list(module.named_children())
    for name, child in children:
        path = f"{prefix}{name}"
        has_children = next(child.children(), None) is not None and not is_compiled(child)
        if has_children and (isinstance(child, CONTAINERS) or len(children) == 1):
            yield from _children(child, f"{path}.")
        else:
            yield path, child


def _repeats_layers(block: nn.Module) -> bool:
    """Return True if a container inside has at least two layers and half of the parameters."""
    if is_compiled(block) or isinstance(block, WholeBlock):
        return False
    half = _parameter_count(block) / 2
    if not half:
        return False
    for inner in block.modules():
        is_repeated = isinstance(inner, CONTAINERS) and len(inner._modules) > 1
        if is_repeated and _parameter_count(inner) >= half:
            return True
    return False


def _parameter_count(module: nn.Module) -> int:
    """Return the number of elements in a module's parameters whose shapes are known."""
    count = 0
    for parameter in module.parameters():
        if not isinstance(parameter, nn.UninitializedParameter):
            count += parameter.numel()
    return count
