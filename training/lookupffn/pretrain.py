"""Masked-language-model pretraining: Adam, warm-up, linear decay; goes on where it was stopped."""

import dataclasses
import io
import json
import math
import os
from pathlib import Path

import torch

from . import safetensors
from .data import IGNORED
from .encoder import Encoder
from .initial import initialise
from .optimiser import make_optimizer, set_rate
from .progress import Progress


@dataclasses.dataclass
class Schedule:
    steps: int
    learning_rate: float = 1e-3
    warm_up: int = 100
    weight_decay: float = 0.01
    clip: float = 1.0
    seed: int = 0
    evaluate_every: int = 250
    save_every: int = 250

    def rate(self, step):
        """The learning rate of a step counted from 0."""
        if step < self.warm_up:
            return self.learning_rate * (step + 1) / self.warm_up
        return self.learning_rate * max(0.0, (self.steps - step) / max(1, self.steps - self.warm_up))


@torch.no_grad()
def log_perplexity(model, batches, count):
    """The mean cross-entropy, in nats, over all masked tokens of the first batches."""
    device = model.lm_head.bias.device
    was_training = model.training
    model.eval()
    total = tokens = 0.0
    for number in range(count):
        ids, labels = batches.get(number)
        wanted = int((labels != IGNORED).sum())
        total += float(model.masked_lm_loss(ids.to(device), labels.to(device))) * wanted
        tokens += wanted
    model.train(was_training)
    return total / tokens


def _write_checkpoint(path, state):
    buffer = io.BytesIO()
    torch.save(state, buffer)
    safetensors.write_atomically(path, buffer.getvalue())


def _keep_log_before(path, step):
    """Drops what was logged after the checkpoint that training goes on from."""
    if not path.exists():
        return
    lines = [line for line in path.read_text().splitlines() if line.endswith("}") and json.loads(line)["step"] <= step]
    safetensors.write_atomically(path, "".join(line + "\n" for line in lines).encode())


def train(folder, config, schedule, batches, valid_batches, *, device="cpu", evaluation_batches=16, stop_after=None):
    """Trains an encoder; `folder` receives checkpoint.pt and log.jsonl and is where a stopped run is taken up again.

    stop_after ends the run early, as a kill would.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(schedule.seed)
    model = Encoder(config)
    initialise(model, batches.token_counts())
    model.to(device)
    optimizer = make_optimizer(model, schedule.weight_decay)
    checkpoint, log = folder / "checkpoint.pt", folder / "log.jsonl"
    done = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=device)
        if state["config"] != config.to_dict():
            raise ValueError(f"{checkpoint} is of another model: {state['config']}")
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        done = state["step"]
    _keep_log_before(log, done)
    progress = Progress(done, schedule.steps)
    with open(log, "a", encoding="utf-8") as log_file:
        for step in range(done, schedule.steps):
            if step == stop_after:
                return model
            set_rate(optimizer, schedule.rate(step))
            ids, labels = batches.get(step)
            loss = model.masked_lm_loss(ids.to(device), labels.to(device))
            if not math.isfinite(loss.item()):
                raise ArithmeticError(f"the loss of step {step} is {loss.item()}; try a lower learning rate")
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), schedule.clip)
            optimizer.step()
            number = step + 1
            entry = {"step": number, "loss": round(loss.item(), 6)}
            last = number == schedule.steps
            if number % schedule.evaluate_every == 0 or last:
                entry["valid_log_perplexity"] = round(log_perplexity(model, valid_batches, evaluation_batches), 6)
            log_file.write(json.dumps(entry) + "\n")
            if number % schedule.save_every == 0 or last:
                log_file.flush()
                os.fsync(log_file.fileno())
                _write_checkpoint(checkpoint, {"config": config.to_dict(), "step": number, "model": model.state_dict(),
                                               "optimizer": optimizer.state_dict()})
            progress.show(number, f"log perplexity {loss.item():.3f}")
    return model
