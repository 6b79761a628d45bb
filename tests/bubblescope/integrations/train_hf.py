"""Trains with Hugging Face's Trainer, without and with the callback, and with slow places."""

import shutil

import torch
from parts import OUT, ROWS, STEPS, Rows, Slow, blocks, report, sleep_in
from torch import nn
from transformers import Trainer, TrainerCallback, TrainingArguments, set_seed

import bubblescope as bs


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(blocks())

    def forward(self, x, labels):
        for layer in self.layers:
            x = layer(x)
        return {"loss": nn.functional.cross_entropy(x, labels), "logits": x}

    def state_dict(self, *given, **options):
        sleep_in("checkpoint")
        return super().state_dict(*given, **options)


class Losses(TrainerCallback):
    def __init__(self):
        self.found = []

    def on_log(self, args, state, control, logs=None, **others):
        if "loss" in logs:
            self.found.append(logs["loss"])


def collate(rows):
    sleep_in("loader")
    return {"x": torch.stack([x for x, _ in rows]), "labels": torch.stack([y for _, y in rows])}


def metrics(prediction):
    sleep_in("evaluation")
    return {}


def train(name, place="", **options):
    Slow.place = place
    set_seed(1)
    callbacks = [Losses()]
    if name != "plain" and not name.startswith("plain-"):
        callbacks.append(bs.integrations.HFCallback(out=OUT / name))
    given = {
        "use_cpu": True,
        "max_steps": STEPS,
        "per_device_train_batch_size": ROWS,
        "logging_steps": 1,
        "eval_strategy": "steps",
        "eval_steps": 1,
        "save_strategy": "steps",
        "save_steps": 2,
        "report_to": [],
        "disable_tqdm": True,
    }
    given.update(options)
    trainer = Trainer(
        Net(),
        TrainingArguments(str(OUT / "checkpoints"), **given),
        data_collator=collate,
        train_dataset=Rows(8 * ROWS),
        eval_dataset=Rows(1),
        compute_metrics=metrics,
        callbacks=callbacks,
    )
    trainer.train()
    shutil.rmtree(OUT / "checkpoints", ignore_errors=True)
    return callbacks[0].found


losses = {name: train(name) for name in ("plain", "recorded")}
for place in ("loader", "forward", "backward", "evaluation", "checkpoint"):
    losses[place] = train(place, place)
mixed = {"gradient_accumulation_steps": 2, "bf16": True, "max_grad_norm": 0.5}
for name in ("plain-mixed", "mixed"):
    losses[name] = train(name, **mixed)
report(losses)
