"""Two networks and two optimizers; the first batch part trains the discriminator."""

import torch
from harness import WIDTH, batches, finish, host, net, recording, stamped, start, told
from torch import nn

start()
generator, critic = net(out=WIDTH), nn.Sequential(net(3, out=64, is_probed=False), nn.Linear(64, 1))
one = stamped(torch.optim.Adam)(generator.parameters(), lr=1e-3)
other = stamped(torch.optim.Adam, ends_steps=False)(critic.parameters(), lr=1e-3)
judge = nn.functional.binary_cross_entropy_with_logits
with recording(generator, one):
    for real, _ in batches():
        yes, no = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        made = generator(torch.randn(len(real), WIDTH))
        other.zero_grad()
        loss = judge(critic(real), yes) + judge(critic(made.detach()), no)
        loss.backward()
        other.step()
        one.zero_grad()
        mine = judge(critic(made), yes)
        mine.backward()
        one.step()
        told(loss + mine)
        host()
finish(generator.state_dict(), critic.state_dict(), one.state_dict(), other.state_dict())
