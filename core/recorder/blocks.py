"""The blocks of a model: the modules whose passes are recorded one by one."""

from __future__ import annotations

from collections.abc import Iterator

from torch import nn

CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict)
MOST_BLOCKS = 512
FEW_BLOCKS = 8
"""With fewer blocks than this, a block that repeats layers inside is opened."""
WRAPPERS = ("module", "_orig_mod", "_fsdp_wrapped_module")
"""The attributes in which DistributedDataParallel, torch.compile and others keep the model."""


def unwrapped(model: nn.Module, into_compiled: bool = True) -> nn.Module:
    """Return the model without its wrappers, or the first module of them that was compiled."""
    if not into_compiled and is_compiled(model):
        return model
    inner = wrapped(model)
    return model if inner is None else unwrapped(inner, into_compiled)


def wrapped(model: nn.Module) -> nn.Module | None:
    """Return the module that a wrapper holds; None if the module is no wrapper."""
    for name in WRAPPERS:
        inner = model._modules.get(name)
        if inner is not None and len(model._modules) == 1:
            return inner
    return None


def is_compiled(module: nn.Module) -> bool:
    """Return True if torch.compile runs the module as a whole, so that nothing inside is seen."""
    return module._compiled_call_impl is not None or "_orig_mod" in module._modules


def blocks_of(model: nn.Module) -> list[tuple[str, nn.Module]]:
    """Return the blocks of a model in order, each with its name in the model.

    Blocks are the model's children, and the children of containers among them. While these are
    fewer than FEW_BLOCKS, the largest block that keeps half of its parameters in a container, as
    the body of a transformer does, is replaced by its own children. A compiled module is one block.
    """
    root = unwrapped(model, into_compiled=False)
    if is_compiled(root):
        return [("model", root)]
    blocks = list(_children(root, ""))
    while len(blocks) < FEW_BLOCKS:
        openable = [place for place, (_, block) in enumerate(blocks) if _repeats_layers(block)]
        if not openable:
            break
        place = max(openable, key=lambda place: _size(blocks[place][1]))
        name, block = blocks[place]
        blocks[place : place + 1] = _children(block, f"{name}.")
    return blocks[:MOST_BLOCKS] or [("model", root)]


def _children(module: nn.Module, prefix: str) -> Iterator[tuple[str, nn.Module]]:
    """Yield the module's children, with those of containers in place of these."""
    children = list(module.named_children())
    for name, child in children:
        path = f"{prefix}{name}"
        has_inside = any(True for _ in child.children()) and not is_compiled(child)
        if has_inside and (isinstance(child, CONTAINERS) or len(children) == 1):
            yield from _children(child, f"{path}.")
        else:
            yield path, child


def _repeats_layers(block: nn.Module) -> bool:
    """Return True if a container inside holds two layers or more and half of the parameters."""
    if is_compiled(block):
        return False
    half = _size(block) / 2
    return any(
        isinstance(inner, CONTAINERS) and len(inner._modules) > 1 and _size(inner) >= half > 0
        for inner in block.modules()
    )


def _size(module: nn.Module) -> int:
    """Return the number of parameters of a module, as far as they are known."""
    parameters = [p for p in module.parameters() if not isinstance(p, nn.UninitializedParameter)]
    return sum(parameter.numel() for parameter in parameters)
