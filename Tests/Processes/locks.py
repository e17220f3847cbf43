"""Which locks of a library are held."""

import os
from pathlib import Path

from expected import Failed


def require_rest(library, when):
    """Of a library that nobody writes to no lock is held. False where nobody can tell."""
    held = held_locks(library)
    if held:
        raise Failed(f"{when}, these locks are held: {held}")
    return held is not None


def held_locks(library):
    """Names of the library's locks that somebody holds, as Linux lists them; None where nobody can tell."""
    try:
        listed = Path("/proc/locks").read_text()
    except OSError:
        return None
    names = [name for name in ("lock", "turn", "compacting") if (Path(library) / name).exists()]
    return [name for name in names if f":{os.stat(Path(library) / name).st_ino} " in listed]
