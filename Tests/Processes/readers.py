"""Processes that read a library while another one writes, loads and compacts it."""

import random
import shutil
import threading
from pathlib import Path

import books
from command import Content
from expected import Expected, Failed
from locks import require_rest

LOOKS = (("ls", "--limit", "3"), ("search", "e"), ("inspect", "--json"), ("verify",), ("export", "--format", "jsonl"))
ABSENT = 66  # the library is not there yet


class Readers:
    """Each look must end well, find nothing wrong, and show a state that the library has had, never one before the last."""

    READERS = 3

    def __init__(self, command, claims, folder, seed):
        self.command, self.claims, self.folder, self.seed = command, claims, Path(folder), seed
        self.folder.mkdir(parents=True)
        self.looks = {}  # by command
        self.lock = threading.Lock()

    def run(self, count):
        rng = random.Random(f"readers {self.seed}")
        file = books.invented(f"{self.seed}-readers", 600)
        path = file.write(self.folder / "books.csv")
        expected = Expected(self.command, [file], self.folder / "expected")
        rounds = 0
        while sum(self.looks.values()) < count and len(self.claims.findings) < 10:
            rounds += 1
            self._beside_a_load(self.folder / f"load-{rounds}", rng.choice([500, 3000, 8000]))
            self._beside_commits(self.folder / f"commits-{rounds}", path, expected)
        told = ", ".join(f"{number} {name}" for name, number in sorted(self.looks.items()))
        self.claims.hold(f"{sum(self.looks.values())} looks beside loads, commits and compactions found a sound library, "
                         f"whole and no older than before ({told}; {rounds} rounds)",
                         not self.claims.failed("beside"), "see above")

    def _beside_a_load(self, library, works):
        """`seed` makes a library and loads all of it at once: it holds nothing, or everything."""
        def judge(count, before):
            if count not in (0, works) or count < before:
                return f"{count} works are there, {before} were, and {works} are loaded at once"
            return None

        self._beside([("seed", library, "--works", works)], library, judge, lambda content: content.works)
        shutil.rmtree(library)

    def _beside_commits(self, library, path, expected):
        def judge(number, before):
            if number is None:
                return "it shows what the library never held"
            return f"it shows version {number} after {before}" if number < before else None

        writers = [("import", library, path), ("compact", library), ("import", library, path), ("compact", library)]
        self._beside(writers, library, judge, expected.number)
        shutil.rmtree(library)

    def _beside(self, writers, library, judge, measure):
        """Runs the writers one after the other, and readers beside them."""
        done = threading.Event()
        readers = [
            threading.Thread(target=self._read, args=(library, number, done, judge, measure))
            for number in range(self.READERS)
        ]
        for reader in readers:
            reader.start()
        try:
            for arguments in writers:
                run = self.command(*arguments)
                if run.status != 0:
                    raise Failed(f"{arguments[0]} beside readers ends with {run}")
                require_rest(library, f"when {arguments[0]} has ended beside readers")
        finally:
            done.set()
            for reader in readers:
                reader.join()

    def _read(self, library, number, done, judge, measure):
        before = 0
        place = number
        while not done.is_set():
            name, *options = LOOKS[place % len(LOOKS)]
            place += 1
            run = self.command(name, library, *options)
            if run.status == ABSENT and before == 0:
                continue
            with self.lock:
                self.looks[name] = self.looks.get(name, 0) + 1
            self.claims.check(run.status == 0, f"{name} beside a writer ends with 0", str(run))
            if run.status == 0 and name == "export":
                measured = measure(Content(run.output))
                objection = judge(measured, before)
                self.claims.check(objection is None, "export beside a writer", objection)
                before = max(before, measured or 0)
