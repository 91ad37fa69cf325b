"""Token ids of a text, cut into sequences and masked; a batch depends on its seed and number alone."""

import numpy as np
import torch

from .bpe import BOS_ID, EOS_ID, SPECIAL

IGNORED = -100  # the label of positions that do not count


def documents_of(path):
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


def ids_of_documents(documents, tokenizer):
    """All ids one after another, each document ended by </s>."""
    ids = []
    for document in documents:
        ids += tokenizer.encode(document)
        ids.append(EOS_ID)
    if tokenizer.size > 1 << 16:
        raise ValueError("vocabularies of more than 65536 tokens are not supported")
    return np.array(ids, dtype=np.uint16)


class MaskedBatches:
    """Batches of sequences <s> ... </s>, shuffled anew in every epoch, with BERT's masking: of a share of the positions 80
    in 100 become <mask>, 10 in 100 a random token, and 10 in 100 stay."""

    def __init__(self, ids, tokenizer, *, batch, length, seed, masked_share=0.15):
        self.batch, self.length, self.seed, self.masked_share = batch, length, seed, masked_share
        self.mask_id, self.vocab_size = tokenizer.mask_id, tokenizer.size
        body = length - 2
        count = len(ids) // body
        if count < batch:
            raise ValueError(f"{len(ids)} tokens are too few for a batch of {batch} sequences of {length}")
        self.bodies = ids[: count * body].reshape(count, body)

    def batches_per_epoch(self):
        return len(self.bodies) // self.batch

    def token_counts(self):
        return torch.bincount(torch.from_numpy(self.bodies.astype(np.int64)).flatten(), minlength=self.vocab_size)

    def get(self, number):
        """Batch `number` -> ids, labels."""
        epoch, place = divmod(number, self.batches_per_epoch())
        order = np.random.default_rng((self.seed, 0, epoch)).permutation(len(self.bodies))
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
