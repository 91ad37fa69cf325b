"""Trains LookupFFN layers and encoders in PyTorch and writes the files that liblookupffn runs. See docs/training.md."""

from .config import EncoderConfig
from .encoder import Encoder
from .encoder import replace_paper_ffns as replace_ffns
from .layer import LookupFFN

__all__ = ["Encoder", "EncoderConfig", "LookupFFN", "replace_ffns"]
