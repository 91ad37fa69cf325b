# SPDX-License-Identifier: Apache-2.0
"""Trains LookupFFN layers and encoders in PyTorch and writes the files that liblookupffn runs. See docs/training.md."""

from .config import EncoderConfig
from .encoder import Encoder
from .family_model import FamilyModel, load_folder, save_folder
from .layer import LookupFFN
from .sentence import SentenceEncoder, load_sentence_encoder
from .swap import replace_ffns
from .text_tokenizer import TextTokenizer

__all__ = ["Encoder", "EncoderConfig", "FamilyModel", "LookupFFN", "SentenceEncoder", "TextTokenizer", "load_folder",
           "load_sentence_encoder", "replace_ffns", "save_folder"]
