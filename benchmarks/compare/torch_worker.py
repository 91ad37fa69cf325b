# SPDX-License-Identifier: Apache-2.0
"""Runs a vanilla FFN in PyTorch for the comparison, which keeps this process alive and sends it one line per measurement.

Weights, inputs and outputs lie in a file that both processes map. Commands on standard input, each answered by one line:
  version                    the version of PyTorch
  once N                     the first N tokens, once
  time N FIRST CALLS         CALLS batches of N tokens from batch number FIRST on; answers the seconds taken
"""
import sys
import time

import numpy
import torch
from torch.nn.functional import gelu, linear


def main():
    path = sys.argv[1]
    d, t, pool_tokens, max_batch, threads = (int(argument) for argument in sys.argv[2:])
    torch.set_num_threads(threads)
    shared = torch.from_numpy(numpy.memmap(path, dtype=numpy.float32, mode="r+"))
    sizes = [t * d, t, d * t, d, pool_tokens * d, max_batch * d]
    w1, b1, w2, b2, x, y = torch.split(shared, sizes)
    w1, w2, x, y = w1.view(t, d), w2.view(d, t), x.view(pool_tokens, d), y.view(max_batch, d)

    def ffn(batch):
        return linear(gelu(linear(batch, w1, b1)), w2, b2)

    def run(command, *numbers):
        if command == "version":
            return torch.__version__
        n, *rest = (int(number) for number in numbers)
        if command == "once":
            y[:n] = ffn(x[:n])
            return "done"
        first, calls = rest
        slots = pool_tokens // n
        batches = [x[i % slots * n : (i % slots + 1) * n] for i in range(first, first + calls)]
        start = time.perf_counter()
        for batch in batches:
            ffn(batch)
        return repr(time.perf_counter() - start)

    with torch.inference_mode():
        for line in sys.stdin:
            print(run(*line.split()), flush=True)


main()
