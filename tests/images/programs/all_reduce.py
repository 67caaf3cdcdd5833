"""Adds up the ranks' numbers, counted from one, over gloo."""
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
number = torch.tensor([dist.get_rank() + 1])
dist.all_reduce(number)
if dist.get_rank() == 0:
    print(f"{dist.get_world_size()} ranks, sum {number.item()}")
dist.destroy_process_group()
