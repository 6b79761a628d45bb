"""A vision transformer of timm with its optimizer, loss and averaged weights, in DDP."""

import timm
import timm.loss
import timm.optim
import timm.utils
import torch
from harness import RANK, finish, host, loader, probe, recording, start, told
from torch.nn.parallel import DistributedDataParallel

start()
model = timm.create_model(
    "vit_tiny_patch16_224", img_size=32, patch_size=8, embed_dim=96, depth=6, num_heads=3,
    num_classes=10,
)  # fmt: skip
probe(model, "blocks.1")
generator = torch.Generator().manual_seed(100 + RANK)
images = torch.randn(64, 3, 32, 32, generator=generator)
data = loader(images, torch.randint(10, (64,), generator=generator), rows=8)
optimizer = timm.optim.create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
average = timm.utils.ModelEmaV3(model, decay=0.9)
wrapped = DistributedDataParallel(model)
measure = timm.loss.LabelSmoothingCrossEntropy(0.1)
with recording(wrapped, optimizer):
    for x, target in data:
        optimizer.zero_grad()
        loss = measure(wrapped(x), target)
        loss.backward()
        timm.utils.dispatch_clip_grad(model.parameters(), 1.0)
        optimizer.step()
        average.update(model)
        told(loss)
        host()
finish(model.state_dict(), average.state_dict(), optimizer.state_dict())
