"""What a disk may hold after a power cut, told from the file operations of real processes.

An operation is certain once its file (or, for a name, its directory) was flushed without an error. Until then it is
pending, and a power cut keeps any subset of the pending ones; the last may be torn. A flush that failed makes nothing
certain, and what it was for never becomes certain by a later one: the kernel calls those pages clean.
"""

import hashlib
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path


@dataclass(frozen=True)
class Write:
    file: int
    offset: int
    data: bytes = field(repr=False)

    def __str__(self):
        return f"write of {len(self.data)} bytes at {self.offset} of file {self.file}"


@dataclass(frozen=True)
class Resize:
    file: int
    size: int
    only_grows: bool = False  # reserving does not shrink


@dataclass(frozen=True)
class Create:
    directory: int
    name: str
    file: int


@dataclass(frozen=True)
class Rename:
    directory: int
    name: str
    file: int
    to: str


@dataclass(frozen=True)
class Remove:
    directory: int
    name: str


@dataclass(frozen=True)
class MakeDirectory:
    directory: int  # one that is removed and made again is another one


@dataclass(frozen=True)
class RemoveDirectory:
    directory: int


OF_FILE = (Write, Resize)
OF_DIRECTORY = (Create, Rename, Remove)
OF_PARENT = (MakeDirectory, RemoveDirectory)


@dataclass(frozen=True)
class Flush:
    """Of a file, of the library's directory (both by number), or of the directory it lies in."""

    kind: str  # "file", "directory" or "parent"
    number: int
    failed: bool = False

    def covers(self, operation):
        match self.kind:
            case "file":
                return isinstance(operation, OF_FILE) and operation.file == self.number
            case "directory":
                return isinstance(operation, OF_DIRECTORY) and operation.directory == self.number
        return isinstance(operation, OF_PARENT)


def _is_overtaken(operation, later):
    """Whether a later operation decides what the name leads to that an earlier one gives or takes."""
    if isinstance(operation, OF_PARENT) or isinstance(later, OF_PARENT):
        return isinstance(operation, OF_PARENT) and isinstance(later, OF_PARENT)
    if not (isinstance(operation, OF_DIRECTORY) and isinstance(later, OF_DIRECTORY)):
        return False
    names = [getattr(each, "to", each.name) for each in (operation, later)]
    return operation.directory == later.directory and names[0] == names[1]


class Files:
    """Files by number, the names in directories by number, and which directory is the library's, if one is."""

    def __init__(self, contents=None, directories=None, current=None):
        self.contents = contents or {}
        self.directories = directories or {}
        self.current = current

    def copy(self):
        names = {number: dict(names) for number, names in self.directories.items()}
        return Files(dict(self.contents), names, self.current)

    @property
    def names(self):
        return self.directories.get(self.current, {})

    def apply(self, operation):
        match operation:
            case Write(file, offset, data):
                old = self.contents.get(file, b"")
                if len(old) < offset:
                    old += bytes(offset - len(old))
                self.contents[file] = old[:offset] + data + old[offset + len(data) :]
            case Resize(file, size, only_grows):
                old = self.contents.get(file, b"")
                if len(old) < size:
                    self.contents[file] = old + bytes(size - len(old))
                elif not only_grows:
                    self.contents[file] = old[:size]
            case Create(directory, name, file):
                self.directories.setdefault(directory, {})[name] = file
            case Rename(directory, name, file, to):
                names = self.directories.setdefault(directory, {})
                names.pop(name, None)
                names[to] = file
            case Remove(directory, name):
                self.directories.setdefault(directory, {}).pop(name, None)
            case MakeDirectory(directory):
                self.current = directory
            case RemoveDirectory(directory):
                if self.current == directory:
                    self.current = None

    def image(self):
        if self.current is None:
            return Image(None)
        return Image({name: self.contents.get(file, b"") for name, file in self.names.items()})


class Image:
    """A directory and its files as bytes; `files` is None where not even the directory is."""

    def __init__(self, files):
        self.files = files

    @staticmethod
    def read(path):
        path = Path(path)
        if not path.is_dir():
            return Image(None)
        return Image({each.name: each.read_bytes() for each in path.iterdir()})

    def write(self, path):
        path = Path(path)
        if self.files is None:
            return
        path.mkdir()
        for name, data in self.files.items():
            with open(path / name, "wb", buffering=0) as file:
                file.write(data.rstrip(b"\0"))
                file.truncate(len(data))

    @property
    def key(self):
        """Tells images apart. The text of `lock` says nothing about the library."""
        if self.files is None:
            return b""
        digest = hashlib.sha1(usedforsecurity=False)
        for name, data in sorted(self.files.items()):
            digest.update(f"{name} {len(data)} ".encode())
            digest.update(b"" if name == "lock" else data.rstrip(b"\0"))
        return digest.digest()

    def __str__(self):
        if self.files is None:
            return "no directory"
        return ", ".join(f"{name} ({len(data)} bytes)" for name, data in sorted(self.files.items())) or "no files"


class Medium:
    """What is certain, and what is pending on top of it."""

    def __init__(self, image=None):
        self.certain = Files()
        self.pending = []  # (operation, its end in the record) in order
        self.view = Files()  # what a process sees: everything
        self.next_number = 1  # of files and directories
        if image is not None and image.files is not None:
            self.certain.current = 0
            self.certain.directories[0] = {}
            for name, data in sorted(image.files.items()):
                self.certain.contents[self.next_number] = data
                self.certain.names[name] = self.next_number
                self.next_number += 1
            self.view = self.certain.copy()

    def copy(self):
        other = Medium()
        other.certain, other.view = self.certain.copy(), self.view.copy()
        other.pending, other.next_number = list(self.pending), self.next_number
        return other

    def add(self, operation, end):
        self.view.apply(operation)
        self.pending.append((operation, end))

    def flush(self, flush, began):
        """What ended before the flush began is certain now; when it failed, what it was for may be lost for good."""
        rest = []
        for operation, end in self.pending:
            if flush.covers(operation) and end < began and not flush.failed:
                self.certain.apply(operation)
                # What a failed flush gave up of the same name came before it, or never.
                rest = [each for each in rest if each[1] != float("inf") or not _is_overtaken(each[0], operation)]
            else:
                # After a failure a later flush of the file says nothing about this operation any more.
                lost = flush.failed and flush.covers(operation)
                rest.append((operation, float("inf") if lost else end))
        self.pending = rest

    def forget_ends(self):
        """Between two processes: all of the pending operations have ended, but for those a failed flush gave up."""
        self.pending = [(each, end if end == float("inf") else -1) for each, end in self.pending]

    def image(self, survivors, torn=None):
        """What the power cut leaves of it.

        survivors: of the pending operations, whether each reached the medium.
        torn: the number of a surviving write, and what reached the medium in its stead.
        """
        files = self.certain.copy()
        for number, (operation, _) in enumerate(self.pending):
            if survivors[number]:
                for each in torn[1] if torn and torn[0] == number else (operation,):
                    files.apply(each)
        return files.image()

    # The crash states of one moment

    def states(self, rng, samples):
        """The legal states: those that lose whole operations, and those in which a write is torn as well.

        Two lists of (how it came about, a call that makes the image). All subsets of up to 6 pending operations.
        """
        whole, torn = [], []
        count = len(self.pending)
        for survivors in self._subsets(count, rng, samples):
            told = self._told(survivors)
            whole.append((told, partial(self.image, survivors)))
            writes = [n for n in range(count) if survivors[n] and isinstance(self.pending[n][0], Write)]
            if not writes:
                continue
            # The last one is torn in every way; any other one, by chance.
            for number in {writes[-1], rng.choice(writes)}:
                for how, pieces in tears(self.pending[number][0], rng, samples):
                    words = f"{told}; of the {self.pending[number][0]} {how}"
                    torn.append((words, partial(self.image, survivors, (number, pieces))))
        return whole, torn

    def _subsets(self, count, rng, samples):
        if count <= 6:
            for bits in range(1 << count):
                yield [bool(bits >> n & 1) for n in range(count)]
            return
        for kept in range(count + 1):
            yield [n < kept for n in range(count)]
        for odd in range(count):
            yield [n != odd for n in range(count)]
            yield [n == odd for n in range(count)]
        for _ in range(samples):
            share = rng.random()
            yield [rng.random() < share for _ in range(count)]

    def _told(self, survivors):
        lost = [str(each) for (each, _), kept in zip(self.pending, survivors) if not kept]
        return f"of {len(survivors)} pending operations lost: {', '.join(lost) or 'none'}"


SECTOR, PAGE = 512, 4096


def tears(write, rng, samples):
    """How a write may be cut short: what of it is kept, by places, and as operations."""
    length = len(write.data)

    def part(start, end):
        return Write(write.file, write.offset + start, write.data[start:end])

    grown = Resize(write.file, write.offset + length, only_grows=True)
    yield "only the size", (grown,)
    cuts = {1, 8, SECTOR, PAGE, length - 1, length - 8}
    # Where blocks of the medium end, whatever the write's own beginning.
    for size in (SECTOR, PAGE):
        cuts.add(size - write.offset % size)
        cuts.add(rng.randrange(0, length + size, size) - write.offset % size)
    for cut in sorted(cut for cut in cuts if 0 < cut < length):
        yield f"the first {cut} bytes", (part(0, cut),)
        yield f"the first {cut} bytes, and the size", (grown, part(0, cut))
        yield f"all but the first {cut} bytes", (part(cut, length),)
    for size in (SECTOR, PAGE):
        edges = [0, *range(size - write.offset % size, length, size), length]
        blocks = list(zip(edges, edges[1:]))
        if len(blocks) > 1:
            for _ in range(samples):
                kept = [block for block in blocks if rng.random() < 0.5]
                yield f"{len(kept)} of {len(blocks)} blocks of {size} bytes", (grown, *(part(*each) for each in kept))
