"""Power cuts: every legal state of the disk during real runs, looked at by real `verify`, `export` and `import`."""

import random
import shutil
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import books
from command import acknowledged
from expected import Expected, Failed, content
from medium import Image, Medium
from recording import MUTATING, Acknowledgement, record, replayed


@dataclass
class Found:
    """What the commands said of one image."""

    verification: int
    version: int | None
    words: str


@dataclass
class Asked:
    """What is asked of one image: the strongest of all the moments that can lead to it."""

    least: int
    most: int
    told: str
    number: int
    file: int
    found: Found | None = None


@dataclass(frozen=True)
class Mishap:
    start: str  # what it happens to: an import that begins a library, or a command on one that is there
    call: str
    how: str
    when: int  # of the calls of one thread

    @property
    def injection(self):
        return f"inject={self.call}:{self.how}:when={self.when}"

    @property
    def is_kill(self):
        return "SIGKILL" in self.how

    @property
    def ends(self):
        return (0, -9, 137) if self.is_kill else (0, 74)

    def is_behind(self, other):
        return (self.start, self.call, self.how) == (other.start, other.call, other.how) and self.when > other.when


FAILURES = (
    ("fdatasync", "EIO"), ("fsync", "EIO"), ("pwrite64", "EIO"), ("pwrite64", "ENOSPC"), ("fallocate", "ENOSPC"),
    ("ftruncate", "EIO"), ("rename", "EIO"), ("unlink", "EIO"), ("mkdir", "ENOSPC"),
)


@dataclass
class Counts:
    runs: int = 0
    operations: int = 0
    boundaries: int = 0
    states: int = 0
    distinct: int = 0
    finished: int = 0
    untouched: int = 0
    absent: int = 0
    ahead: int = 0
    nested: int = 0
    killed: dict = field(default_factory=dict)
    failed: dict = field(default_factory=dict)
    most_pending: int = 0

    def count(self, where, name):
        where[name] = where.get(name, 0) + 1


class Replay:
    def __init__(self, command, claims, folder, seed):
        self.command, self.claims, self.folder, self.seed = command, claims, Path(folder), seed
        self.counts = Counts()
        self.rng = random.Random(f"replay {seed}")
        self.others = ["reindex"] if command.has("reindex") else []
        self.images = {}  # by key
        self.kept = []  # some that later runs begin with
        self.lock = threading.Lock()
        self.workers = ThreadPoolExecutor(2)
        self.room = threading.Semaphore(6)  # images that wait to be looked at
        self.logs = 0

    def run(self, states):
        start = time.monotonic()
        self.is_short = states < 1000
        sizes = (250, 120) if self.is_short else (900, 420, 130)
        files, first = [], 1
        for number, rows in enumerate(sizes):
            files.append(books.invented(f"{self.seed}-replay-{number}", rows, first, files[-1] if files else None))
            first += rows
        self.expected = Expected(self.command, files, self.folder / "expected")
        for number, file in enumerate(files):
            file.write(self.folder / f"{number}.csv")
        try:
            self._generations(per_moment=1 if self.is_short else states // 150, samples=1 if self.is_short else 4)
            self._go_wrong(states)
            self.workers.shutdown()
        except Failed as failure:
            self.claims.find(str(failure))
        finally:
            self.workers.shutdown(cancel_futures=True)
        self._judge()
        self._tell(time.monotonic() - start)

    # What runs, and where the power is cut

    def _generations(self, per_moment, samples):
        """Imports and compactions in a row, each on what the one before has left, with nothing going wrong."""
        library = self.folder / "generations.bookdb"
        medium, told = Medium(), 0
        for number in range(1 if self.is_short else len(self.expected.files)):
            for what in ("import", "compact", *self.others):
                run, told = self._cut(what, number, library, medium, told, samples, per_moment)
                if run.status != 0:
                    raise Failed(f"{what} ends with {run}")
        shutil.rmtree(library)

    def _go_wrong(self, states):
        """All mishaps, with power cuts onto power cuts among them; in the short form until there are enough states."""
        per_moment, beyond = 3 if self.is_short else 6, set()
        for number, mishap in enumerate(self._mishaps()):
            if self._has_too_many_findings() or (self.is_short and self.counts.distinct >= states):
                return
            if any(mishap.is_behind(other) for other in beyond):
                continue
            if not self._episode(mishap, 1, per_moment):
                beyond.add(mishap)
            if number % 5 == 0:
                self._nest(self.folder / "nest.bookdb", 1, per_moment)
        while self.counts.distinct < states and not self._has_too_many_findings():
            self._nest(self.folder / "nest.bookdb", 1, 2 * per_moment)

    def _mishaps(self):
        """Everything that may go wrong once: each of the first calls of each kind kills the process, or fails."""
        mishaps = []
        for start in ("nothing", "import", *(["compact"] + self.others)):
            for call in MUTATING:
                mishaps += [Mishap(start, call, "signal=SIGKILL", when) for when in range(1, 9)]
            for call, error in FAILURES:
                mishaps += [Mishap(start, call, f"error={error}", when) for when in range(1, 5)]
        if self.is_short:
            self.rng.shuffle(mishaps)
        return mishaps

    def _episode(self, mishap, samples, per_moment):
        """One thing goes wrong, then the import is started again, and the power is cut during either."""
        library = self.folder / "episode.bookdb"
        shutil.rmtree(library, ignore_errors=True)
        medium, told, file, what = Medium(), 0, 0, "import"
        if mishap.start != "nothing":
            # It goes wrong on a library that exists; nothing is pending in it.
            done = self.rng.randrange(0, len(self.expected.files))
            shutil.copytree(self.folder / "expected" / f"base-{done + 1}", library)
            medium, told = Medium(Image.read(library)), self.expected.last(done)
            file, what = min(done + 1, len(self.expected.files) - 1), mishap.start
        run, told = self._cut(what, file, library, medium, told, samples, per_moment // 2, "-e", mishap.injection)
        if run.status not in mishap.ends:
            raise Failed(f"{what} with {mishap.injection} ends with {run}")
        if run.status == 0 and mishap.is_kill:
            return False  # there is no such call any more
        self.counts.count(self.counts.killed if mishap.is_kill else self.counts.failed, mishap.call)
        # The next process sees everything that the page cache has, flushed or not.
        run, told = self._cut("import", file, library, medium, told, samples, per_moment)
        if run.status != 0:
            raise Failed(f"the import after {what} with {mishap.injection} ends with {run}")
        self._must_be_whole(library, file, f"{what} with {mishap.injection}")
        return True

    def _nest(self, library, samples, per_moment):
        """A power cut, an import onto what it left, and a power cut during that."""
        if not self.kept:
            return
        asked, image = self.rng.choice(self.kept)
        image.write(library)
        medium = Medium(image)
        run, _ = self._cut("import", asked.file, library, medium, asked.least, samples, per_moment)
        if run.status != 0:
            raise Failed(f"the import after a power cut ({asked.told}) ends with {run}")
        self.counts.nested += 1
        self._must_be_whole(library, asked.file, asked.told)
        shutil.rmtree(library)

    def _cut(self, what, file, library, medium, told, samples, per_moment, *options):
        """Records one run, moves the medium through it, and has the states of each moment looked at.

        Gives the run, and the newest version that was told of as safe when it ended.
        """
        arguments = [what, library]
        if what == "import":
            arguments += [self.folder / f"{file}.csv", "--jsonl"]
        self.logs += 1
        log = self.folder / f"record-{self.logs}"
        run, steps = record(self.command, arguments, library, medium, log, *options)
        self.counts.runs += 1
        output = b""
        self._moment(medium, file, told, f"before {what}", samples, per_moment)
        for number, step in enumerate(replayed(medium, steps), 1):
            if isinstance(step.what, Acknowledgement):
                output += step.what.text
                if what == "import":
                    rows = acknowledged(output)
                    told = max(told, self.expected.version(file, rows) if rows else 0)
            else:
                self.counts.operations += 1
            moment = f"run {self.logs}: {what} of file {file}, {' '.join(options)} behind step {number}, {step.what}"
            self._moment(medium, file, told, moment, samples, per_moment)
        log.unlink()
        return run, told

    def _moment(self, medium, file, told, moment, samples, per_moment):
        self.counts.boundaries += 1
        self.counts.most_pending = max(self.counts.most_pending, len(medium.pending))
        whole, torn = medium.states(self.rng, samples)
        # Torn writes are many; operations that are lost as a whole are all tried but in the short form.
        if self.is_short:
            whole = self.rng.sample(whole, min(len(whole), per_moment))
        for how, make in whole + self.rng.sample(torn, min(len(torn), per_moment)):
            self.counts.states += 1
            self._ask(make(), file, told, f"{moment}; {how}")

    # Looking at one image

    def _ask(self, image, file, told, words):
        key = (file, image.key)
        most = told + 1  # one batch is under way at a time
        if asked := self.images.get(key):
            if told > asked.least:
                asked.least, asked.told = told, words
            asked.most = min(asked.most, most)
            return
        self.counts.distinct += 1
        asked = Asked(told, most, words, self.counts.distinct, file)
        # Some are kept for further cuts.
        if self.rng.random() < 0.03:
            self.kept.append((asked, image))
            del self.kept[: max(0, len(self.kept) - 50)]
        self.images[key] = asked
        sampled = self.rng.random() < 0.1
        self.room.acquire()
        self.workers.submit(self._look, image, asked, sampled)

    def _look(self, image, asked, finish):
        try:
            asked.found = self._found(image, asked, finish)
        except (Failed, OSError, subprocess.SubprocessError) as failure:
            asked.found = Found(-1, None, str(failure))
        finally:
            self.room.release()

    def _found(self, image, asked, finish):
        library = self.folder / f"state-{asked.number}.bookdb"
        image.write(library)
        verification = self.command("verify", library)
        found = Found(verification.status, None, str(verification))
        if verification.status == 66:
            found.version = 0
        elif verification.status == 0:
            found.version = self._version(library, asked)
        if finish and found.version is not None:
            if Image.read(library).files != image.files:
                raise Failed("verify or export have changed what they only read")
            with self.lock:
                self.counts.untouched += 1
            self._finish(library, asked)
        if found.version is not None:
            shutil.rmtree(library, ignore_errors=True)
        return found

    def _version(self, library, asked):
        there = content(self.command, library)
        version = self.expected.number(there, asked.least)
        if version is None:
            raise Failed("the export is that of no number of whole batches; "
                         + there.difference(self.expected.versions[asked.least]))
        return version

    def _finish(self, library, asked):
        """The import goes on to the end on what the power cut has left."""
        run = self.command("import", library, self.folder / f"{asked.file}.csv", "--jsonl")
        if run.status != 0 or acknowledged(run.output) != len(self.expected.files[asked.file]):
            raise Failed(f"a further import ends with {run}")
        self._must_be_whole(library, asked.file, asked.told)
        with self.lock:
            self.counts.finished += 1

    def _must_be_whole(self, library, file, after):
        whole = self.expected.versions[self.expected.last(file)]
        there = content(self.command, library)
        if there != whole:
            raise Failed(f"imported to the end after {after}, the library differs: {there.difference(whole)}")
        verification = self.command("verify", library)
        if verification.status != 0:
            raise Failed(f"imported to the end after {after}, verify ends with {verification}")

    # The judgement

    def _has_too_many_findings(self):
        return sum(asked.found is not None and asked.found.version is None for asked in list(self.images.values())) > 50

    def _judge(self):
        kinds = {}
        for asked in self.images.values():
            objection = self._objection(asked)
            if objection:
                kinds.setdefault(objection.split(":")[0], []).append((objection, asked))
            elif asked.found is None:
                continue
            elif asked.found.verification == 66:
                self.counts.absent += 1
            elif asked.found.version > asked.least:
                self.counts.ahead += 1
        for kind, all_of_it in kinds.items():
            objection, asked = all_of_it[0]
            self.claims.find(f"{len(all_of_it)} states, such as {asked.number} of --seed {self.seed}: {objection}. "
                             f"It came about {asked.told[:600]}")

    def _objection(self, asked):
        found = asked.found
        if found is None:
            return None if self.claims.findings else "the state was not looked at"
        if found.version is None:
            return f"verify or export: {found.words} (kept in {self.folder}/state-{asked.number}.bookdb)"
        if found.version < asked.least:
            return f"acknowledged batches are missing: {asked.least} were told of, {found.version} are there"
        if found.version > asked.most and self.expected.versions[found.version] != self.expected.versions[asked.most]:
            return f"more is there than was begun: {found.version}, and {asked.most} were under way"
        return None

    def _tell(self, seconds):
        counts = self.counts

        def by(table):
            return ", ".join(f"{number} at {name}" for name, number in sorted(table.items())) or "none"

        self.claims.say(f"{counts.runs} recorded runs: {counts.operations} operations and flushes, "
                        f"{counts.boundaries} moments, at most {counts.most_pending} operations pending")
        self.claims.say(f"{counts.states} crash states, {counts.distinct} of them distinct, in {seconds:.0f} s "
                        f"({counts.distinct / seconds:.0f} a second)")
        self.claims.say(f"killed within a call: {by(counts.killed)}; calls that failed: {by(counts.failed)}; "
                        f"{counts.nested} power cuts during the import after a power cut")
        self.claims.say(f"{counts.absent} states without a library, before the first batch was told of; "
                        f"{counts.ahead} with a batch that had not been told of yet")
        if not self.claims.findings:
            self.claims.hold(f"verify says sound of each of {counts.distinct} states, and export holds every "
                             "acknowledged batch and nothing but whole batches")
            self.claims.hold(f"{counts.finished} of them were imported to the end, and had everything")
            self.claims.hold(f"{counts.untouched} of them were compared: verify and export change no byte")
