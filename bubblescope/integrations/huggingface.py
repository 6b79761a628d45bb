"""A callback for the Trainer of Hugging Face's transformers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from transformers import (  # type: ignore[import-not-found]
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from bubblescope.integrations.training import TrainingRecording


class HFCallback(TrainerCallback):  # type: ignore[misc]
    """Records the training steps of a Trainer, each rank into its own file in the folder `out`.

        trainer = Trainer(..., callbacks=[HFCallback(out="runs/")])

    The Trainer's evaluations and checkpoints are not recorded. The loss that it logs is recorded
    with its step. Calling `train` again replaces the recordings.
    """

    def __init__(self, out: str | Path = "runs/") -> None:
        self._recording = TrainingRecording(out)

    def on_train_begin(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        model: Any = None,
        **others: Any,
    ) -> None:
        """Begin recording."""
        self._recording.begin(model)

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **others: Any
    ) -> None:
        """Pause if an evaluation or a checkpoint follows."""
        # The Trainer has an event after an evaluation, but none before it.
        if control.should_evaluate or control.should_save:
            self._recording.pause()

    on_epoch_end = on_step_end

    def on_prediction_step(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **others: Any
    ) -> None:
        """Pause during an evaluation that another callback requested."""
        self._recording.pause()

    def on_evaluate(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **others: Any
    ) -> None:
        """Continue, unless a checkpoint follows."""
        if not control.should_save:
            self._recording.resume()

    def on_save(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **others: Any
    ) -> None:
        """Continue after a checkpoint."""
        self._recording.resume()

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **others: Any
    ) -> None:
        """Continue if the Trainer did not report the end of a pause."""
        self._recording.resume()

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> None:
        """Record the loss, on the first rank only."""
        loss = (logs or {}).get("loss")
        if state.is_world_process_zero and isinstance(loss, float | int):
            self._recording.tell("loss", float(loss))

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **others: Any
    ) -> None:
        """End the recording."""
        self._recording.end()
