"""A callback for the Trainer of Lightning."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bubblescope.integrations.training import TrainingRecording

# Lightning is published as two packages. A Trainer of the older one accepts only its own callbacks.
if "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules:
    from pytorch_lightning import Callback  # type: ignore[import-not-found]
else:
    from lightning.pytorch import Callback  # type: ignore[import-not-found]


class LightningCallback(Callback):  # type: ignore[misc]
    """Records the training steps of a Trainer, each rank into its own file in the folder `out`.

        trainer = Trainer(..., callbacks=[LightningCallback(out="runs/")])

    Validations and checkpoints are not recorded. `training_step` is recorded as one forward pass of
    the LightningModule, even if it only calls parts of the module. Calling `fit` again replaces the
    recordings.
    """

    def __init__(self, out: str | Path = "runs/") -> None:
        self._recording = TrainingRecording(out)
        self._undo: list[Callable[[], None]] = []

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin to record."""
        # The strategy's model is the module with its wrapper, such as DistributedDataParallel.
        self._recording.begin(trainer.strategy.model or pl_module)
        # Lightning has no events around a checkpoint, nor around `training_step` alone.
        self._wrap(trainer, "save_checkpoint", self._saving)
        self._wrap(trainer.strategy, "training_step", self._passing)

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        """Pause during a validation."""
        self._recording.pause()

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Continue after a validation."""
        self._recording.resume()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """End the recording."""
        self._end(None)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """End the recording as failed."""
        self._end(exception)

    def _saving(self, save: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that saves a checkpoint outside of the steps."""

        def saving(*arguments: Any, **options: Any) -> Any:
            session = self._recording.session
            if session is None or self._recording.is_paused:  # as after a validation
                return save(*arguments, **options)
            with session.paused():
                return save(*arguments, **options)

        return saving

    def _passing(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that runs `training_step` as a forward pass of the whole model."""

        def passing(*arguments: Any, **options: Any) -> Any:
            session = self._recording.session
            if session is None:
                return step(*arguments, **options)
            with session.forward_pass():
                return step(*arguments, **options)

        return passing

    def _wrap(
        self, owner: Any, name: str, wrapped: Callable[[Callable[..., Any]], Callable[..., Any]]
    ) -> None:
        """Replace a method of one object until the recording ends."""
        setattr(owner, name, wrapped(getattr(owner, name)))
        self._undo.append(lambda: delattr(owner, name))

    def _end(self, error: BaseException | None) -> None:
        while self._undo:
            self._undo.pop()()
        self._recording.end(error)
