"""Trains LookupFFN layers and encoders in PyTorch and writes the files that liblookupffn runs. See docs/training.md."""

from .encoder import Encoder, EncoderConfig, replace_ffns
from .layer import LookupFFN

__all__ = ["Encoder", "EncoderConfig", "LookupFFN", "replace_ffns"]
