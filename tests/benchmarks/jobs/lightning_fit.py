"""Lightning's Trainer with its strategy `ddp`, which starts rank 1 itself."""

import lightning
import torch
from harness import batches, finish, host, net, probe, recording, stamped, told
from torch.nn.functional import mse_loss


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = net(is_probed=False)
        probe(self, "net.blocks.1")

    def training_step(self, batch, number):
        x, target = batch
        loss = mse_loss(self.net(x), target)
        told(loss)
        return loss

    def on_train_batch_end(self, outputs, batch, number):
        host()

    def configure_optimizers(self):
        return stamped(torch.optim.AdamW)(self.parameters(), lr=1e-3)


lightning.seed_everything(1, verbose=False)
module = Module()
trainer = lightning.Trainer(
    accelerator="cpu", devices=2, strategy="ddp", max_epochs=1, logger=False,
    enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
)  # fmt: skip
with recording(module):
    trainer.fit(module, batches(16))
finish(module.state_dict(), trainer.optimizers[0].state_dict())
