"""Real processes: kills, readers beside writers, every power cut, and file systems that do not help.

    ./dev processes [--kills N] [--looks N] [--storms N] [--states N] [--seed S]
    python3 Tests/Processes --bookdb PATH [--kills N] [--looks N] [--storms N] [--states N] [--seed S] [--only PART]

Ends with 0 when every claim holds, with 1 when one does not.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from claims import Claims
from command import Command
from expected import Failed
from kills import Kills
from readers import Readers
from replay import Replay
from storms import Storms
from unfriendly import Unfriendly

PARTS = ("kills", "readers", "storms", "replay", "unfriendly")


def main():
    parser = argparse.ArgumentParser(prog="./dev processes", description=__doc__.split("\n")[0])
    parser.add_argument("--bookdb", required=True, help="the built command")
    parser.add_argument("--kills", type=int, default=300, help="how many processes to kill")
    parser.add_argument("--looks", type=int, default=1500, help="how often to look at a library beside its writer")
    parser.add_argument("--storms", type=int, default=100, help="how many of the processes that share a library to kill")
    parser.add_argument("--states", type=int, default=6000, help="how many distinct crash states to look at")
    parser.add_argument("--seed", default=os.environ.get("BOOKDB_SEED") or str(random.randrange(10**9)))
    parser.add_argument("--only", choices=PARTS, action="append", help="one part; may be given again")
    parser.add_argument("--short", action="store_true", help="fewer limits and places in the last part")
    parser.add_argument("--keep", action="store_true", help="keep the folder of work")
    options = parser.parse_args()
    parts = options.only or PARTS
    claims = Claims()
    print(f"BOOKDB_SEED={options.seed}")
    disk = Path(tempfile.mkdtemp(prefix="bookdb-processes-"))
    memory = Path(tempfile.mkdtemp(prefix="bookdb-processes-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None))
    try:
        command = Command(shutil.copy(options.bookdb, disk / "bookdb"))
        for part in parts:
            try:
                run(part, options, claims, command, disk, memory)
            except Failed as failure:
                claims.find(str(failure))
        return claims.end()
    finally:
        if claims.findings or options.keep:
            print(f"kept: {disk} and {memory}")
        else:
            shutil.rmtree(disk)
            shutil.rmtree(memory)


def run(part, options, claims, command, disk, memory):
    if part == "kills":
        claims.part(f"Kills: imports and compactions ended with SIGKILL ({options.kills})")
        Kills(command, claims, [disk / "kills", memory / "kills"], options.seed, real_data()).run(options.kills)
    elif part == "readers":
        claims.part(f"Readers: processes that look at a library beside its writer ({options.looks})")
        Readers(command, claims, memory / "readers", options.seed).run(options.looks)
    elif part == "storms":
        claims.part(f"Storms: processes that share a library, ended with SIGKILL beside others ({options.storms})")
        Storms(command, claims, disk / "storms", options.seed).run(options.storms)
    elif part == "replay":
        claims.part(f"Power cuts: recorded runs and the disks they can leave ({options.states})")
        if not shutil.which("strace"):
            return claims.skip("power cuts", "strace is not installed")
        (memory / "replay").mkdir()
        Replay(command, claims, memory / "replay", options.seed).run(options.states)
    else:
        # The last part, because it takes the process to another mount namespace.
        claims.part("Unfriendly file systems")
        Unfriendly(command, claims, disk / "unfriendly", options.seed, options.short).run()
        claims.say(f"{claims.checks} checks")


def real_data():
    """Real exports lie beside the repository, not in it: they are other people's data."""
    data = Path(__file__).resolve().parents[3] / "shared" / "data"
    return data if data.is_dir() else None


if __name__ == "__main__":
    sys.exit(main())
