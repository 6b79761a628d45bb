"""Hugging Face's Trainer on a small GPT-2."""

import tempfile

import torch
from harness import collate, finish, host, probe, recording, stamped, told
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)  # fmt: skip


class Callbacks(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **options):
        if "loss" in (logs or {}):
            told(torch.tensor(logs["loss"]))

    def on_step_end(self, args, state, control, **options):
        host()


set_seed(1)
config = GPT2Config(vocab_size=100, n_positions=32, n_embd=96, n_layer=4, n_head=4)
model = probe(GPT2LMHeadModel(config), "transformer.h.1")
optimizer = stamped(torch.optim.AdamW)(model.parameters(), lr=1e-3)
generator = torch.Generator().manual_seed(7)
text = torch.randint(100, (64, 32), generator=generator)
data = [{"input_ids": row, "labels": row} for row in text]
with tempfile.TemporaryDirectory() as folder:
    given = TrainingArguments(
        folder, use_cpu=True, max_steps=8, per_device_train_batch_size=4, logging_steps=1,
        report_to=[], disable_tqdm=True, save_strategy="no", dataloader_num_workers=0,
    )  # fmt: skip
    trainer = Trainer(
        model, given, data_collator=collate, train_dataset=data, callbacks=[Callbacks()],
        optimizers=(optimizer, None),
    )  # fmt: skip
    with recording(model):
        trainer.train()
finish(model.state_dict(), optimizer.state_dict())
