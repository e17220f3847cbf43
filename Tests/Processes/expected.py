"""What a library must hold after each batch of an import: told by imports that nobody disturbs."""

import functools
import shutil
from pathlib import Path

from books import BATCH
from command import Content


class Failed(Exception):
    """Something that holds without any kill or crash did not hold."""


def content(command, library):
    """What a library holds; nothing when it is not there."""
    if not Path(library).exists():
        return Content(b"")
    run = command("export", library, "--format", "jsonl")
    if run.status != 0:
        raise Failed(f"export ends with {run}")
    return _normal(run.output)


# The states of one library's history export the same bytes over and over.
_normal = functools.lru_cache(256)(Content)


class Expected:
    """The contents a library goes through while these files are imported one after the other, batch by batch.

    Version 0 is nothing; there is one more for each batch, also for one that changes nothing.
    """

    def __init__(self, command, files, folder):
        self.files = files
        self.versions = [Content(b"")]
        self.first = []  # by file: the version before its first batch
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        base = None
        for file in files:
            self.first.append(len(self.versions) - 1)
            for batch in range(1, file.batches + 1):
                library = self._import(command, base, file, min(batch * BATCH, len(file)))
                self.versions.append(content(command, library))
                if batch < file.batches:
                    shutil.rmtree(library)
            base = self.folder / f"base-{len(self.first)}"
            library.rename(base)
        self.by_text = {}
        for number, version in enumerate(self.versions):
            self.by_text.setdefault(version.text, []).append(number)
        self._compare_with_rows()

    def _import(self, command, base, file, rows):
        library = self.folder / "L.bookdb"
        if base:
            shutil.copytree(base, library)
        run = command("import", library, file.write(self.folder / "prefix.csv", rows), "--json")
        if run.status != 0:
            raise Failed(f"importing {rows} rows of {file.name} ends with {run}")
        return library

    def _compare_with_rows(self):
        """The generator knows which rows it has made: an account that owes nothing to the program."""
        known = set()
        for file, first in zip(self.files, self.first):
            if file.identifiers is None:
                return
            for batch in range(1, file.batches + 1):
                rows = file.identifiers[(batch - 1) * BATCH : batch * BATCH]
                known |= {each for each in rows if each}
                found = self.versions[first + batch].sources
                if found != known:
                    raise Failed(f"{file.name}, batch {batch}: {sorted(found ^ known)[:5]} are there or missing wrongly")

    def version(self, file, rows):
        """The version that so many rows of a file lead to."""
        return self.first[file] + -(-rows // BATCH)

    def last(self, file):
        return self.first[file] + self.files[file].batches

    def number(self, content, least=0):
        """Which version this is: the lowest from `least` on, else the highest; None when it is none."""
        numbers = self.by_text.get(content.text)
        if not numbers:
            return None
        return next((number for number in numbers if number >= least), numbers[-1])
