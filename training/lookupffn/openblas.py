"""OpenBLAS, which PyTorch and numpy multiply with on Debian, takes newer AMD processors for older ones without AVX-512."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import MutableMapping

_NEEDED = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}


def choose_kernels(cpuinfo: str, environment: MutableMapping[str, str]) -> None:
    """Names the kernels with AVX-512 where the processor can run them, unless someone has named others. It counts only
    before OpenBLAS is loaded."""
    flags = re.search(r"^flags\s*:(.*)$", cpuinfo, re.M)
    if "AuthenticAMD" in cpuinfo and flags and _NEEDED <= set(flags[1].split()):
        environment.setdefault("OPENBLAS_CORETYPE", "SkylakeX")


def prepare() -> None:
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        choose_kernels(listing.read_text(encoding="utf-8", errors="replace"), os.environ)
