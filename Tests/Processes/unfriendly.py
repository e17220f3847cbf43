"""File systems and limits that do not help: full, read-only, gone, forbidden, too small."""

import os
import resource
import shutil
import subprocess
from pathlib import Path

import books
from command import Content, acknowledged, first_lines
from expected import Expected, content
from medium import Image
from namespaces import MemoryDisk, mount, private_mounts, unmount

READING = (("ls", "--limit", "3"), ("search", "e"), ("inspect",), ("verify",), ("export", "--format", "jsonl"))


class Unfriendly:
    def __init__(self, command, claims, folder, seed, short):
        self.command, self.claims, self.folder = command, claims, Path(folder)
        self.folder.mkdir(parents=True)
        self.seed, self.short = seed, short
        self.others = [name for name in ("reindex", "repair") if command.has(name)]
        self.said = {}  # what was said on standard error, by case

    def run(self):
        # Three batches fill a mebibyte, the step in which the log reserves space.
        self.bulky = books.invented(f"{self.seed}-bulky", 900, bulk=4000)
        self.bulky_path = self.bulky.write(self.folder / "bulky.csv")
        self.bulky_expected = Expected(self.command, [self.bulky], self.folder / "bulky")
        self.small = books.invented(f"{self.seed}-small", 350)
        self.small_path = self.small.write(self.folder / "small.csv")
        self.library = self.folder / "small.bookdb"
        self._ends(0, "a plain import", "import", self.library, self.small_path)
        self.content = content(self.command, self.library)
        self._places()
        self._removed()
        self._file_sizes()
        self._descriptors()
        self._outputs()
        self._forbidden()
        # From here on in a namespace; the rest of the process does not leave it.
        objection = private_mounts()
        if objection:
            self.claims.skip("full and read-only file systems", objection)
        else:
            self._full()
            self._read_only()
        self._read_aloud()

    # Saying

    def _ends(self, status, case, *arguments, contains="", **options):
        """A run must end so, and say a sentence and a next step when that is not with 0."""
        return self._ended(status, case, self.command(*arguments, **options), contains)

    def _ended(self, status, case, run, contains=""):
        statuses = status if isinstance(status, tuple) else (status,)
        self.claims.check(run.status in statuses, f"{case}: ends with {statuses}", str(run))
        if run.status not in (0, 1) and run.status > 0:
            lines = run.talk.strip().splitlines()
            told = len(lines) == 2 and lines[0].endswith(".") and lines[1].startswith("→ ")
            self.claims.check(told, f"{case}: says a sentence and a next step", str(run))
            self.claims.check(contains in run.talk, f"{case}: says “{contains}”", str(run))
            self.said.setdefault(run.talk.strip().replace(str(self.folder), "…"), case)
        return run

    def _read_aloud(self):
        self.claims.say("what was said:")
        for words, case in self.said.items():
            self.claims.say(f"  {case}:")
            for line in words.splitlines():
                self.claims.say(f"      {line}")

    def _reads(self, case, library, expected=None):
        """Every command that reads works, and the export is what it was."""
        for name, *options in READING:
            self._ends(0, f"{name}, {case}", name, library, *options)
        there = content(self.command, library)
        self.claims.check(there == (expected or self.content), f"export, {case}: everything is there", "it differs")

    def _holds(self, case, library, rows):
        """Sound, with what was told of, and nothing but whole batches."""
        self._ends(0, f"verify, {case}", "verify", library)
        least = self.bulky_expected.version(0, rows)
        version = self.bulky_expected.number(content(self.command, library), least)
        self.claims.check(version in (least, least + 1), f"{case}: exactly the acknowledged batches are there",
                          f"{least} were told of, {version} are there")

    def _completes(self, case, library):
        self._ends(0, f"{case}, a further import", "import", library, self.bulky_path)
        there = content(self.command, library)
        whole = self.bulky_expected.versions[-1]
        self.claims.check(there == whole, f"{case}: a further import brings the rest", "it differs")
        self._ends(0, f"{case}, verify after a further import", "verify", library)

    # Full

    def _full(self):
        disk = MemoryDisk(self.folder / "full", "2400k")
        if disk.objection:
            return self.claims.skip("a full file system", disk.objection)
        library, ballast = disk.path / "L.bookdb", disk.path / "ballast"
        run = self._ends(74, "an import onto a full disk", "import", library, self.bulky_path, "--jsonl",
                         contains=str(disk.path))
        rows = acknowledged(run.output)
        self.claims.check(0 < rows < len(self.bulky), "the disk fills up in the middle of the import", f"{rows} rows")
        self._fill(ballast)
        self._holds("on a full disk", library, rows)
        self._reads("on a full disk", library, content(self.command, library))
        self._ends(74, "one more import onto a full disk", "import", library, self.bulky_path, contains="full")
        self._holds("after one more", library, rows)
        self._ends(74, "compaction on a full disk", "compact", library, contains="full")
        self._holds("after a compaction that found the disk full", library, rows)
        self._ends(74, "a new library on a full disk", "import", disk.path / "New.bookdb", self.small_path,
                   contains="full")
        self._gone("a new library on a full disk", disk.path / "New.bookdb")
        self._ends(74, "an export onto a full disk", "export", library, "--format", "jsonl", "-o", disk.path / "out")
        self._gone("an export onto a full disk", disk.path / "out")
        if "repair" in self.others:
            saved = disk.path / "Saved.bookdb"
            self._ends(74, "a repair onto a full disk", "repair", library, "--output", saved, contains="full")
            self._gone("a repair onto a full disk", saved)
            self._gone("a repair onto a full disk", disk.path / "Saved.bookdb.unfinished")
        if "reindex" in self.others:
            self._ends((0, 74), "reindex on a full disk", "reindex", library)
            self._holds("after reindex on a full disk", library, rows)
        for room in (400,) if self.short else (24, 400, 900):  # kibibytes: compaction stops at different places
            ballast.unlink()
            self._fill(ballast, leaving=room << 10)
            self._ends((0, 74), f"compaction with {room} KiB of room", "compact", library)
            self._holds(f"after a compaction with {room} KiB of room", library, rows)
        disk.remount("size=64m")
        self._completes("with space again", library)
        self._ends(0, "compaction with space again", "compact", library)
        there = content(self.command, library)
        self.claims.check(there == self.bulky_expected.versions[-1], "compaction with space again keeps all", "it differs")
        unmount(disk.path)
        self.claims.hold(f"a full disk: exit 74, {rows} acknowledged rows of {len(self.bulky)} sound and readable, "
                         "compaction leaves the library as it was, and with space the import completes",
                         not self.claims.failed("full"), "see above")

    def _fill(self, path, leaving=0):
        free = os.statvfs(path.parent)
        with open(path, "wb") as file:
            for _ in range(max(0, free.f_bavail * free.f_frsize - leaving) // 4096):
                file.write(bytes(4096))

    def _gone(self, case, path):
        self.claims.check(not os.path.lexists(path), f"{case}: nothing is left of it",
                          f"{path} is there" + (f" with {os.listdir(path)}" if path.is_dir() else ""))

    # Read-only

    def _read_only(self):
        disk = MemoryDisk(self.folder / "ro", "16m")
        bound = self.folder / "bound"
        if disk.objection:
            return self.claims.skip("a read-only file system", disk.objection)
        library = disk.path / "L.bookdb"
        shutil.copytree(self.library, library)
        bound.mkdir()
        objection = mount("--bind", disk.path, bound) or mount("-o", "remount,bind,ro", bound)
        if objection:
            self.claims.skip("a read-only bind mount", objection)
        else:
            self._can_only_be_read("on a read-only bind mount", bound)
            unmount(bound)
        disk.remount("ro")
        self._can_only_be_read("on a read-only file system", disk.path)
        disk.remount("rw")
        self._ends(0, "an import after the file system is writable again", "import", library, self.small_path)
        unmount(disk.path)
        self.claims.hold("read-only: everything reads; import and compact say that it can only be read (exit 77)",
                         not self.claims.failed("read-only"), "see above")

    def _can_only_be_read(self, case, folder):
        library = folder / "L.bookdb"
        before = Image.read(library).files
        self._reads(case, library)
        for name, path in (("import", library), ("import", folder / "New.bookdb")):
            self._ends(77, f"{name}, {case}", name, path, self.small_path, contains="can only be read")
        self._ends(77, f"compact, {case}", "compact", library, contains="can only be read")
        if "reindex" in self.others:
            self._ends(77, f"reindex, {case}", "reindex", library, contains="can only be read")
        if "repair" in self.others:
            saved = self.folder / f"{folder.name}-saved.bookdb"
            self._ends(0, f"repair to elsewhere, {case}", "repair", library, "--output", saved)
            self.claims.check(content(self.command, saved) == self.content, f"repair, {case}: saves all", "it differs")
            self._ends(77, f"repair, {case}", "repair", library, "--output", folder / "Saved.bookdb")
        self._ends(77, f"export to a file, {case}", "export", library, "--format", "jsonl", "-o", folder / "out")
        self.claims.check(Image.read(library).files == before, f"{case}: no byte changes", "one did")

    # Removed, moved, replaced

    def _removed(self):
        """The directory goes while an import runs. Acknowledgements must end there."""
        other = self.folder / "other"

        def removed(library):
            shutil.rmtree(library)

        def moved(library):
            library.rename(library.with_name("moved.bookdb"))

        def replaced(library):
            shutil.rmtree(library)
            shutil.copytree(self.library, library)

        def parent_removed(library):
            shutil.rmtree(library.parent)

        for happens in (removed, moved, replaced, parent_removed):
            case = f"the library is {happens.__name__.replace('_', ' of ')}".replace("parent of removed", "removed with its folder")
            other.mkdir(exist_ok=True)
            library = other / "L.bookdb"
            run, rows = self._importing(library, happens)
            self._ended(74, case, run, contains="moved, removed or replaced")
            if happens is moved:
                self._holds(case, library.with_name("moved.bookdb"), max(rows, acknowledged(run.output)))
            if happens is replaced:
                same = Image.read(library).files == Image.read(self.library).files
                self.claims.check(same, f"{case}: what is there now is not touched", "it was")
            shutil.rmtree(other, ignore_errors=True)
        self._removed_while_reading()
        self.claims.hold("a library that is removed, moved or replaced under an import: exit 74 and the reason, "
                         "no acknowledgement afterwards, and what lies there instead is not touched; "
                         "a reader reads on to the end", not self.claims.failed("the library is"), "see above")

    def _importing(self, library, happens):
        """An import that gets half of its rows, then something happens, then the rest."""
        process = self.command.start("import", library, "-", "--jsonl", stdin=subprocess.PIPE)
        half = len(self.bulky) // 2
        process.stdin.write(self.bulky.bytes(half))
        process.stdin.flush()
        first = first_lines(process, 2)
        happens(library)
        # Whether it was told before or after cannot be known of a batch that was under way.
        try:
            process.stdin.write(b"".join(self.bulky.records[half:]))
        except BrokenPipeError:
            pass
        return self.command.finish(process), acknowledged(first)

    def _removed_while_reading(self):
        library = self.folder / "read.bookdb"
        shutil.copytree(self.folder / "bulky" / "base-1", library)
        process = self.command.start("export", library, "--format", "jsonl")
        # The pipe is full long before the end, so the reader is in the middle.
        first = process.stdout.read(4096)
        shutil.rmtree(library)
        rest = self.command.finish(process)
        self._ended(0, "the library is removed while it is read", rest)
        self.claims.check(Content(first + rest.output) == self.bulky_expected.versions[-1],
                          "the library is removed while it is read: the reader reads on to the end", "it differs")
        for name, *options in (*READING, ("compact",)):
            self._ends(66, f"{name}, when the library is gone", name, library, *options, contains="no library")

    # Limits

    def _file_sizes(self):
        sizes = ((1 << 20) + 5000,) if self.short else (1 << 10, 10 << 10, 200 << 10, (1 << 20) + 5000, 3 << 20)
        for size in sizes:
            library = self.folder / "limited.bookdb"
            run = self._ends(74, f"an import with files of at most {size} bytes", "import", library, self.bulky_path,
                             "--jsonl", contains="too large", preexec_fn=_limit(resource.RLIMIT_FSIZE, size))
            if library.exists():
                self._holds(f"with files of at most {size} bytes", library, acknowledged(run.output))
                run = self._ends((0, 74), f"compaction with files of at most {size} bytes", "compact", library,
                                 preexec_fn=_limit(resource.RLIMIT_FSIZE, size))
                self._completes("without the limit", library)
                shutil.rmtree(library)
        out = self.folder / "out.jsonl"
        self._ends(74, "an export with files of at most 20000 bytes", "export", self.library, "--format", "jsonl",
                   "-o", out, contains="too large", preexec_fn=_limit(resource.RLIMIT_FSIZE, 20_000))
        self._gone("an export with files of at most 20000 bytes", out)
        self.claims.hold("files that may not grow: exit 74 with the reason, no signal, acknowledged batches are there",
                         not self.claims.failed("files of at most"), "see above")

    def _descriptors(self):
        fewest = None
        for count in (4, 8, 24) if self.short else range(4, 33):
            library = self.folder / "few.bookdb"
            limit = dict(preexec_fn=_limit(resource.RLIMIT_NOFILE, count))
            case = f"with {count} open files"
            ends = [
                self._ends((0, 74), f"{name}, {case}", name, path, *rest, **limit).status
                for name, path, *rest in (
                    ("import", library, self.small_path), ("verify", self.library), ("ls", self.library),
                    ("export", self.library, "--format", "jsonl"), ("inspect", self.library))
            ]
            if library.exists():
                ends.append(self._ends((0, 74), f"compact, {case}", "compact", library, **limit).status)
                self._ends(0, f"verify afterwards, {case}", "verify", library)
                shutil.rmtree(library)
            if any(ends):
                self.claims.check(fewest is None, f"{case}: more is not worse", f"{fewest} were enough")
            elif fewest is None:
                fewest = count
        self.claims.check(fewest is not None and fewest <= 24, "with 24 open files everything works", f"{fewest}")
        self.claims.hold(f"open files limited to 4 … 32: exit 74 with the reason, or 0 (from {fewest} on); never a signal",
                         not self.claims.failed("open files"), "see above")

    def _outputs(self):
        """The lines of an import go nowhere."""
        library = self.folder / "lines.bookdb"
        with open("/dev/full", "wb") as full:
            process = self.command.start("import", library, self.bulky_path, "--jsonl", stdout=full)
            process.wait()
            words = process.stderr.read().decode()
        self.claims.check(process.returncode == 74 and "standard output" in words, "lines to a full disk: exit 74", words)
        self.said.setdefault(words.strip(), "lines to a full disk")
        self._ends(0, "verify, after lines to a full disk", "verify", library)
        process = self.command.start("import", library, self.bulky_path, "--jsonl")
        first = process.stdout.readline()
        process.stdout.close()
        process.wait()
        self.claims.check(process.returncode in (0, -13), "lines to a reader that goes away", f"{process.returncode}")
        self._holds("lines to a reader that goes away", library, max(acknowledged(first), books.BATCH))
        self._completes("lines to a reader that goes away", library)
        self.claims.hold("lines that cannot be written: exit 74, or the end with the reader; the library is sound",
                         not self.claims.failed("lines to"), "see above")

    # Permissions

    def _forbidden(self):
        place = self.folder / "forbidden"
        place.mkdir()
        library = place / "L.bookdb"
        shutil.copytree(self.library, library)
        options = {}
        if os.geteuid() == 0:
            # Root may do everything, so somebody else tries.
            options["preexec_fn"] = _as_nobody
            for folder in (place, *place.parents):
                if not os.stat(folder).st_mode & 0o001 and folder != Path("/"):
                    os.chmod(folder, os.stat(folder).st_mode | 0o711)
        cases = (
            ("a library that may only be read", {library: 0o555, place: 0o555, "files": 0o444}, 0),
            ("a library whose files may not be read", {library: 0o555, place: 0o555, "files": 0o000}, 77),
            ("a library that may not be entered", {library: 0o000, place: 0o555, "files": 0o444}, 77),
            ("a folder that may not be entered", {library: 0o555, place: 0o000, "files": 0o444}, 77),
        )
        for case, modes, reading in cases:
            for file in library.iterdir():
                os.chmod(file, modes["files"])
            os.chmod(library, modes[library])
            os.chmod(place, modes[place])
            for name, *rest in READING:
                self._ends(reading, f"{name}, {case}", name, library, *rest,
                           contains="permission denied" if reading else "", **options)
            for path in (library, place / "New.bookdb"):
                self._ends(77, f"import, {case}", "import", path, self.small_path, contains="permission denied", **options)
            self._ends(77, f"compact, {case}", "compact", library, contains="permission denied", **options)
            os.chmod(place, 0o755)
            os.chmod(library, 0o755)
            for file in library.iterdir():
                os.chmod(file, 0o644)
        unreadable = self.folder / "unreadable.csv"
        shutil.copy(self.small_path, unreadable)
        os.chmod(unreadable, 0)
        os.chmod(place, 0o777)
        self._ends(77, "import of a file that may not be read", "import", place / "New.bookdb", unreadable, **options)
        self._gone("import of a file that may not be read", place / "New.bookdb")
        same = Image.read(library).files == Image.read(self.library).files
        self.claims.check(same, "a library that may only be read: no byte changes", "one did")
        self.claims.hold("no permission: exit 77 and the path; what may be read is read",
                         not self.claims.failed(" may "), "see above")

    # Paths

    def _places(self):
        place = self.folder / "Ein Ort – mit Blanks, ‘quotes’ und 本棚 🐭"
        place.mkdir()
        link = place / "link"
        link.symlink_to("L $HOME; rm.bookdb")
        inside = dict(cwd=place)
        for case, path, options in (
            ("a path with blanks and other scripts", place / "Bücher.bookdb", {}),
            ("a path with a line end", place / "two\nlines.bookdb", {}),
            ("a relative path", "here.bookdb", inside),
            ("a path with dots and slashes", "./../" + place.name + "//there.bookdb/", inside),
        ):
            self._ends(0, f"import, {case}", "import", path, self.small_path, **options)
            self._ends(0, f"compact, {case}", "compact", path, **options)
            self._ends(0, f"import again, {case}", "import", path, self.small_path, **options)
            for name, *rest in READING:
                self._ends(0, f"{name}, {case}", name, path, *rest, **options)
            self.claims.check(content(self.command, place / path) == self.content, f"{case}: everything is there", "")
        self._ends(65, "a symbolic link that leads nowhere", "import", link, self.small_path)
        shutil.copytree(self.library, place / "L $HOME; rm.bookdb")
        self._ends(0, "import through a symbolic link", "import", link, self.small_path)
        self._ends(0, "compact through a symbolic link", "compact", link)
        self._reads("through a symbolic link", link)
        self.claims.check(link.is_symlink(), "through a symbolic link: it stays one", "it was replaced")
        self._ends(66, "import into a folder that is not there", "import", place / "none" / "L.bookdb", self.small_path)
        self._ends(65, "import into a file", "import", self.small_path, self.small_path)
        gone = place / "gone"
        gone.mkdir()

        def removed_directory():
            os.chdir(gone)
            os.rmdir(gone)

        for name, *rest in (("import", self.small_path), ("ls",), ("verify",), ("compact",)):
            self._ends(66, f"{name}, where the working directory was removed", name, "L.bookdb", *rest,
                       preexec_fn=removed_directory)
            gone.mkdir(exist_ok=True)
        self._ends(0, "ls by a whole path, where the working directory was removed", "ls", self.library,
                   preexec_fn=removed_directory)
        self.claims.hold("paths with blanks, other scripts, dots, links, and without a working directory are one like "
                         "the other", not self.claims.failed("path", "link", "director", "import into"), "see above")


def _limit(what, most):
    return lambda: resource.setrlimit(what, (most, most))


def _as_nobody():
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
