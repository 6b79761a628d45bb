"""Trains with Lightning's strategy `ddp` under torchrun; rank 1 is slow in a forward pass."""

import os

import lightning
from parts import OUT, ROWS, STEPS, Rows, Slow, report
from torch.utils.data import DataLoader
from train_lightning_module import Module

import bubblescope as bs

Slow.place = "forward" if os.environ["RANK"] == "1" else ""
module = Module()
trainer = lightning.Trainer(
    accelerator="cpu",
    devices=2,
    strategy="ddp",
    max_epochs=1,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    callbacks=[bs.integrations.LightningCallback(out=OUT / "ranks")],
)
trainer.fit(module, DataLoader(Rows(2 * STEPS * ROWS), ROWS))
if os.environ["RANK"] == "0":
    report({"ranks": module.losses})
