"""Records the file operations of a `bookdb` run with strace, and the lines it prints among them."""

import itertools
import re
import subprocess
from dataclasses import dataclass

from command import Run
from expected import Failed
from medium import Create, Flush, Image, MakeDirectory, Remove, RemoveDirectory, Rename, Resize, Write

# Everything that changes files or makes them durable. What is here and not understood below stops the harness.
CALLS = (
    "open,openat,openat2,creat,close,dup,dup2,dup3,fcntl,write,writev,pwrite64,pwritev,pwritev2,fallocate,ftruncate,"
    "truncate,fsync,fdatasync,sync,syncfs,sync_file_range,msync,rename,renameat,renameat2,link,linkat,symlink,symlinkat,"
    "unlink,unlinkat,mkdir,mkdirat,rmdir,mmap,sendfile,copy_file_range,splice,chdir,fchdir"
)
MUTATING = "mkdir openat pwrite64 fallocate ftruncate fdatasync fsync rename unlink write close".split()
WHOLE_STRINGS = 1 << 26
UNFINISHED = float("inf")


@dataclass
class Call:
    name: str
    arguments: list
    result: int | None  # None: the process ended within it
    error: str
    start: int  # its places in the record
    end: float


@dataclass
class Acknowledgement:
    text: bytes


@dataclass
class Step:
    """A thing that happened, where it counts: an operation when it began, a flush when it had ended."""

    what: object
    began: int
    end: float


class Unknown(Failed):
    """The process did something that this harness cannot judge."""


def strace(log, *options):
    return ["strace", "-f", "-qq", "-xx", "-s", str(WHOLE_STRINGS), "-e", f"trace={CALLS}", *options, "-o", str(log)]


def record(command, arguments, library, medium, log, *options, **limits):
    """Runs `bookdb` under strace on a library whose files are `medium.view`.

    Gives the run, and its steps. The medium stays as it is; `replayed` moves it on.
    """
    line = strace(log, *options) + command.line(*arguments)
    finished = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, **limits)
    run = Run(finished.returncode, finished.stdout, finished.stderr.decode(errors="replace"))
    steps = _steps(calls(log), str(library), medium)
    return run, _certain_of_unfinished(steps, library, medium)


def replayed(medium, steps):
    """Moves the medium on, step by step, and gives each step when it has happened."""
    medium.forget_ends()
    for step in steps:
        if isinstance(step.what, Flush):
            medium.flush(step.what, step.began)
        elif not isinstance(step.what, Acknowledgement):
            medium.add(step.what, step.end)
            numbers = getattr(step.what, "file", 0), getattr(step.what, "directory", 0)
            medium.next_number = max(medium.next_number, *(number + 1 for number in numbers))
        yield step


def _certain_of_unfinished(steps, library, medium):
    """A process that is killed within a call may have done its work: what the directory holds tells."""
    there = Image.read(library)
    unfinished = [step for step in steps if step.end == UNFINISHED]
    for kept in itertools.product((True, False), repeat=len(unfinished)):
        left_out = {id(step) for step, keep in zip(unfinished, kept) if not keep}
        candidate = [step for step in steps if id(step) not in left_out]
        view = medium.view.copy()
        for step in candidate:
            if not isinstance(step.what, (Flush, Acknowledgement)):
                view.apply(step.what)
        if view.image().files == there.files:
            return candidate
    raise Unknown(f"the record does not lead to what is there: {view.image()}; there is {there}")


# Lines of strace, into calls

LINE = re.compile(rb"^(\d+) +(.*)$")
CALL = re.compile(rb"^(\w+)\((.*)\) += (-?\d+|\?|0x[0-9a-f]+)(.*)$", re.DOTALL)
RESUMED = re.compile(rb"^<\.\.\. (\w+) resumed>(.*)$", re.DOTALL)
ENDED = b" <unfinished ...>"


def calls(log):
    begun, done = {}, []
    with open(log, "rb") as lines:
        for number, line in enumerate(lines):
            thread, text = LINE.match(line.rstrip(b"\n")).groups()
            if text.startswith((b"+++", b"---", b"???(")):
                continue  # the ends of threads, signals, and threads that strace lost at the end of the process
            if text.endswith(ENDED):
                begun[thread] = (number, text[: -len(ENDED)])
                continue
            start = number
            if resumed := RESUMED.match(text):
                start, head = begun.pop(thread)
                text = head + resumed[2]
            call = CALL.match(text)
            if not call:
                raise Unknown(f"line {number + 1} of the record: {text[:200]}")
            done.append(_call(call, start, number))
    for number, head in begun.values():
        call = CALL.match(head + b") = ?")
        if not call:
            raise Unknown(f"line {number + 1} of the record: {head[:200]}")
        done.append(_call(call, number, UNFINISHED))
    return sorted(done, key=lambda call: call.start)


def _call(match, start, end):
    name, arguments, result, error = match.groups()
    number = None if result == b"?" else int(result, 16 if result.startswith(b"0x") else 10)
    # Strings are hexadecimal, so a comma within one is never a comma here; structures are not looked into.
    return Call(name.decode(), arguments.split(b", "), number, error.decode().strip(), start,
                UNFINISHED if number is None else end)


def _bytes(argument):
    if not (argument.startswith(b'"') and argument.endswith(b'"')):
        raise Unknown(f"a string that is not whole: {argument[:80]}")
    return bytes.fromhex(argument[1:-1].replace(b"\\x", b"").decode())


# Calls, into what they do to the library


def _steps(calls, library, medium):
    return _Reading(library, medium).steps(calls)


class _Reading:
    def __init__(self, library, medium):
        self.library = library
        self.parent = library.rpartition("/")[0]
        self.view = medium.view.copy()
        self.next_number = medium.next_number
        self.open = {1: ("output", 0)}  # what of interest a descriptor leads to

    def steps(self, calls):
        found = []
        for call in calls:
            if call.result is not None and call.result < 0 and call.name not in ("fsync", "fdatasync"):
                continue  # it did nothing
            for what in self._effects(call):
                is_flush = isinstance(what, Flush)
                found.append(Step(what, call.start, call.end))
                if not is_flush and not isinstance(what, Acknowledgement):
                    self.view.apply(what)
        # A flush that never ended makes nothing certain.
        found = [step for step in found if not (isinstance(step.what, Flush) and step.end == UNFINISHED)]
        return sorted(found, key=lambda step: step.end if isinstance(step.what, Flush) else step.began)

    def _effects(self, call):
        arguments = call.arguments
        match call.name:
            case "openat":
                yield from self._opened(self._path(arguments[1], arguments[0]), arguments[2].split(b"|"), call.result)
            case "close":
                if call.result == 0 and int(arguments[0]) != 1:
                    self.open.pop(int(arguments[0]), None)
            case "mkdir":
                if self._path(arguments[0]) == self.library:
                    yield MakeDirectory(self._number())
            case "rmdir":
                if self._path(arguments[0]) == self.library:
                    yield RemoveDirectory(self.view.current)
            case "pwrite64" | "write":
                target = self.open.get(int(arguments[0]))
                if target is None:
                    return
                data = _bytes(arguments[1])
                data = data if call.result is None else data[: call.result]
                if target[0] == "output":
                    yield Acknowledgement(data)
                elif call.name == "write":
                    raise Unknown("a write without an offset")
                else:
                    yield Write(self._file(arguments[0]), int(arguments[3]), data)
            case "fallocate":
                if (file := self._file(arguments[0])) is not None:
                    if arguments[1] != b"0":
                        raise Unknown("a fallocate with flags")
                    yield Resize(file, int(arguments[2]) + int(arguments[3]), only_grows=True)
            case "ftruncate":
                if (file := self._file(arguments[0])) is not None:
                    yield Resize(file, int(arguments[1]))
            case "fsync" | "fdatasync":
                what = self.open.get(int(arguments[0]))
                if what is not None and what[0] != "output":
                    yield Flush(*what, failed=call.result != 0)
            case "rename":
                old, new = (self._name(self._path(each)) for each in arguments)
                if old or new:
                    if not (old and new):
                        raise Unknown("a rename into or out of the library")
                    yield Rename(self.view.current, old, self.view.names[old], new)
            case "unlink":
                if name := self._name(self._path(arguments[0])):
                    yield Remove(self.view.current, name)
            case "mmap":
                if b"MAP_SHARED" in arguments[3] and b"PROT_WRITE" in arguments[2]:
                    if self._file(arguments[4]) is not None:
                        raise Unknown("a mapping that can be written")
            case "fcntl":
                if arguments[1].startswith(b"F_DUPFD") and int(arguments[0]) in self.open:
                    raise Unknown("a second descriptor")
            case _:
                self._must_be_elsewhere(call)

    def _opened(self, path, flags, descriptor):
        name = self._name(path)
        if name is not None:
            file = self.view.names.get(name)
            if file is None:
                if b"O_CREAT" not in flags:
                    return
                file = self._number()
                yield Create(self.view.current, name, file)
            elif b"O_TRUNC" in flags:
                yield Resize(file, 0)
            if descriptor is not None:
                self.open[descriptor] = ("file", file)
        elif descriptor is not None:
            self.open.pop(descriptor, None)
            if path == self.library:
                self.open[descriptor] = ("directory", self.view.current)
            elif path == self.parent:
                self.open[descriptor] = ("parent", 0)

    def _file(self, argument):
        kind, number = self.open.get(int(argument)) or ("nothing", 0)
        return number if kind == "file" else None

    def _number(self):
        self.next_number += 1
        return self.next_number - 1

    def _path(self, argument, directory=b"AT_FDCWD"):
        path = _bytes(argument).decode()
        if directory != b"AT_FDCWD" and not path.startswith("/"):
            raise Unknown(f"a path from an open directory: {path}")
        return path

    def _name(self, path):
        """Within the library, its last part."""
        return path[len(self.library) + 1 :] if path.startswith(self.library + "/") else None

    def _must_be_elsewhere(self, call):
        """Calls that this harness has no meaning for may be made, but not on the library's files."""
        hexadecimal = "".join(f"\\x{byte:02x}" for byte in self.library.encode()).encode()
        of_path = any(hexadecimal in argument for argument in call.arguments)
        descriptors = {int(argument) for argument in call.arguments if argument.isdigit()}
        if of_path or call.name in ("sync", "syncfs") or descriptors & self.open.keys() - {1}:
            raise Unknown(f"{call.name} on the library")
