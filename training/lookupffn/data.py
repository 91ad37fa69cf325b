# SPDX-License-Identifier: Apache-2.0
"""Token ids of a text, cut into sequences and masked; a batch depends on its seed and number alone."""

from __future__ import annotations

from pathlib import Path
from typing import Iterable, Iterator, Union

import numpy as np
import torch

from .bpe import BOS_ID, EOS_ID, SPECIAL, Tokenizer
from .encoder import IGNORED



def documents_of(path: Union[str, Path]) -> Iterator[str]:
    """The documents of a text file, which blank lines separate."""
    document = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.strip():
                document.append(line.strip())
            elif document:
                yield " ".join(document)
                document = []
    if document:
        yield " ".join(document)


def ids_of_documents(documents: Iterable[str], tokenizer: Tokenizer) -> np.ndarray:
    """All ids one after another, each document ended by </s>."""
    ids = []
    for document in documents:
        ids += tokenizer.encode(document)
        ids.append(EOS_ID)
    return np.array(ids, dtype=np.int32)


class MaskedBatches:
    """Batches of sequences <s> ... </s>, reshuffled in every epoch, with BERT's masking: of a share of the positions 80
    in 100 become <mask>, 10 in 100 a random token, and 10 in 100 stay."""

    def __init__(self, ids: np.ndarray, tokenizer: Tokenizer, *, batch: int, length: int, seed: int,
                 masked_share: float = 0.15) -> None:
        self.batch, self.length, self.seed, self.masked_share = batch, length, seed, masked_share
        self.mask_id, self.vocab_size = tokenizer.mask_id, tokenizer.size
        if batch < 1 or length < 3 or not 0 <= masked_share <= 1:
            raise ValueError(f"batch is {batch}, length {length}, masked_share {masked_share}; expected 1 or more, 3 or "
                             "more, and 0 to 1")
        body = length - 2
        count = len(ids) // body
        if count < batch:
            raise ValueError(f"{len(ids)} tokens are too few for a batch of {batch} sequences of {length}")
        if int(ids.max()) >= self.vocab_size:
            raise ValueError(f"there is an id {int(ids.max())}, but the tokenizer has {self.vocab_size} tokens; prepare the "
                             "text with this tokenizer")
        self.bodies = ids[: count * body].reshape(count, body)
        self._epoch, self._order = -1, np.empty(0, dtype=np.int64)

    def batches_per_epoch(self) -> int:
        return len(self.bodies) // self.batch

    def token_counts(self) -> torch.Tensor:
        return torch.bincount(torch.from_numpy(self.bodies.astype(np.int64)).flatten(), minlength=self.vocab_size)

    def _order_of(self, epoch: int) -> np.ndarray:
        """The order of an epoch's sequences; the last order is kept, because the next batch is usually of the same epoch."""
        if epoch != self._epoch:
            self._order = np.random.default_rng((self.seed, 0, epoch)).permutation(len(self.bodies))
            self._epoch = epoch
        return self._order

    def get(self, number: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Batch `number` -> ids, labels."""
        epoch, place = divmod(number, self.batches_per_epoch())
        order = self._order_of(epoch)
        chosen = self.bodies[order[place * self.batch : (place + 1) * self.batch]].astype(np.int64)
        ids = np.pad(chosen, ((0, 0), (1, 1)))
        ids[:, 0], ids[:, -1] = BOS_ID, EOS_ID
        random = np.random.default_rng((self.seed, 1, number))
        masked = (random.random(ids.shape) < self.masked_share) & (ids >= len(SPECIAL))
        labels = np.where(masked, ids, IGNORED)
        fate = random.random(ids.shape)
        others = random.integers(len(SPECIAL), self.vocab_size, ids.shape)
        ids = np.where(masked & (fate < 0.8), self.mask_id, ids)
        ids = np.where(masked & (fate >= 0.8) & (fate < 0.9), others, ids)
        return torch.from_numpy(ids), torch.from_numpy(labels)
