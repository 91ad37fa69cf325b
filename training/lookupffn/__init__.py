"""Trains LookupFFN layers and encoders in PyTorch and writes the files that liblookupffn runs. See docs/training.md."""

from . import openblas

openblas.prepare()  # before torch and numpy load it

from .config import EncoderConfig  # noqa: E402
from .encoder import Encoder  # noqa: E402
from .family_model import FamilyModel, load_folder, save_folder  # noqa: E402
from .layer import LookupFFN  # noqa: E402
from .sentence import SentenceEncoder, load_sentence_encoder  # noqa: E402
from .swap import replace_ffns  # noqa: E402
from .text_tokenizer import TextTokenizer  # noqa: E402

__all__ = ["Encoder", "EncoderConfig", "FamilyModel", "LookupFFN", "SentenceEncoder", "TextTokenizer", "load_folder",
           "load_sentence_encoder", "replace_ffns", "save_folder"]
