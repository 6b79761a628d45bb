"""A GPT: tied embeddings, bfloat16 autocast, micro-batches, clipping, gradients set to None."""

import torch
from harness import finish, host, probe, recording, stamped, start, tokens, told
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WORDS, LENGTH, WIDTH, HEADS, LAYERS, MICROBATCHES = 100, 32, 96, 4, 4, 2


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        rows, length, _ = x.shape
        parts = self.qkv(x).view(rows, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(*parts, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(rows, length, WIDTH))


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.ln_2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "words": nn.Embedding(WORDS, WIDTH), "places": nn.Embedding(LENGTH, WIDTH),
            "h": nn.ModuleList(Layer() for _ in range(LAYERS)), "ln": nn.LayerNorm(WIDTH),
        })  # fmt: skip
        self.head = nn.Linear(WIDTH, WORDS, bias=False)
        self.transformer.words.weight = self.head.weight

    def forward(self, text, target):
        parts = self.transformer
        x = parts["words"](text) + parts["places"](torch.arange(text.shape[1]))
        for layer in parts["h"]:
            x = layer(x)
        found = self.head(parts["ln"](x))
        return found, nn.functional.cross_entropy(found.flatten(0, 1), target.flatten())


start()
model = probe(GPT(), "transformer.h.1")
wrapped = DistributedDataParallel(model)
decayed = [p for p in model.parameters() if p.dim() >= 2]
others = [p for p in model.parameters() if p.dim() < 2]
groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
optimizer = stamped(torch.optim.AdamW)(groups, lr=1e-3, betas=(0.9, 0.95))
with recording(wrapped, optimizer):
    for number, (text, target) in enumerate(tokens(16)):
        is_last = number % MICROBATCHES == MICROBATCHES - 1
        wrapped.require_backward_grad_sync = is_last
        with torch.autocast("cpu", torch.bfloat16):
            _, loss = wrapped(text, target)
        (loss / MICROBATCHES).backward()
        told(loss)
        if is_last:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            host()
finish(model, model.state_dict(), optimizer.state_dict())
