"""Trains with Lightning's Trainer, without and with the callback, and with slow places."""

import lightning
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from parts import OUT, ROWS, STEPS, Rows, Slow, report, sleep_in
from torch.utils.data import DataLoader, default_collate
from train_lightning_module import Module

import bubblescope as bs


class Two(Module):
    """Trains the body and the head by optimizers of their own."""

    def __init__(self):
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch, number):
        loss = super().training_step(batch, number)
        for optimizer in self.optimizers():
            optimizer.zero_grad()
        self.manual_backward(loss)
        for optimizer in self.optimizers():
            optimizer.step()

    def configure_optimizers(self):
        head = torch.optim.SGD(self.head.parameters(), lr=0.1)
        return torch.optim.AdamW(self.body.parameters(), lr=1e-3), head


def collate(rows):
    sleep_in("loader")
    return default_collate(rows)


def train(name, place="", kind=Module, **options):
    Slow.place = place
    module = kind()
    callbacks = [ModelCheckpoint(OUT / "checkpoints", every_n_train_steps=2)]
    is_recorded = not name.startswith("plain")
    if is_recorded:
        callbacks.append(bs.integrations.LightningCallback(out=OUT / name))
    trainer = lightning.Trainer(
        accelerator="cpu",
        max_epochs=1,
        logger=False,
        default_root_dir=OUT / "checkpoints",
        enable_progress_bar=False,
        enable_model_summary=False,
        val_check_interval=1,
        callbacks=callbacks,
        **options,
    )
    data = DataLoader(Rows(STEPS * ROWS), ROWS, collate_fn=collate)
    trainer.fit(module, data, DataLoader(Rows(1)))
    if is_recorded:  # nothing is left in the trainer
        assert "save_checkpoint" not in vars(trainer)
        assert "training_step" not in vars(trainer.strategy)
    return module.losses


losses = {name: train(name) for name in ("plain", "recorded")}
for place in ("loader", "forward", "backward", "evaluation", "checkpoint", "script"):
    losses[place] = train(place, place)
mixed = {"accumulate_grad_batches": 2, "precision": "bf16-mixed", "gradient_clip_val": 0.5}
for name in ("plain-mixed", "mixed"):
    losses[name] = train(name, **mixed)
for name in ("plain-two", "two"):
    losses[name] = train(name, kind=Two)
report(losses)
