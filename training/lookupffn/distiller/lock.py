# SPDX-License-Identifier: Apache-2.0
"""One run at a time in a folder: two would overwrite each other's states and caches."""

from __future__ import annotations

from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # a system without them, where nothing guards the folder
    fcntl = None  # type: ignore[assignment]


def lock(folder: Path) -> IO[str]:
    """Locks the folder until the returned file is closed or this process ends in any way."""
    folder.mkdir(parents=True, exist_ok=True)
    file = open(folder / "lock", "a", encoding="utf-8")
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise ValueError(f"another run is at work in {folder}; wait for its end, stop it, or give another --work") from None
        except OSError:
            pass  # a file system without locks
    return file
