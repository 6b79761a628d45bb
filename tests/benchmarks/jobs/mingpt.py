"""A trainer class with callbacks around its loop, one process, a loader that is restarted."""

import torch
from harness import finish, host, probe, recording, stamped, start, tokens, told
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 96)
        layer = nn.TransformerEncoderLayer(96, 4, 384, 0.1, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
        self.head = nn.Linear(96, 100)

    def forward(self, text):
        mask = nn.Transformer.generate_square_subsequent_mask(text.shape[1])
        return self.head(self.blocks(self.words(text), mask, is_causal=True))

    def optimizer(self):
        return stamped(torch.optim.AdamW)(self.parameters(), lr=5e-4)


class Trainer:
    def __init__(self, model, data, steps):
        self.model, self.data, self.steps = model, data, steps
        self.optimizer = model.optimizer()
        self.callbacks = {"on_batch_end": [lambda trainer: told(trainer.loss)]}

    def run(self):
        self.model.train()
        batches = iter(self.data)
        for _ in range(self.steps):
            try:
                batch = next(batches)
            except StopIteration:
                batches = iter(self.data)
                batch = next(batches)
            text, target = batch
            found = self.model(text)
            self.loss = nn.functional.cross_entropy(found.flatten(0, 1), target.flatten())
            self.model.zero_grad(set_to_none=True)
            self.loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.optimizer.step()
            for callback in self.callbacks["on_batch_end"]:
                callback(self)
            host()


start()
model = probe(Model(), "blocks.layers.1")
trainer = Trainer(model, tokens(5), 10)
with recording(model, trainer.optimizer):
    trainer.run()
finish(model, model.state_dict(), trainer.optimizer.state_dict())
