"""Kills real processes at random moments and looks at what they leave."""

import os
import random
import shutil
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

import books
from command import acknowledged
from expected import Expected, Failed, content
from locks import require_rest
from medium import Image


@dataclass
class Workload:
    expected: Expected
    path: str
    seconds: float  # an import that nobody kills
    base: Path | None = None

    @property
    def file(self):
        return self.expected.files[0]


@dataclass
class Tally:
    killed: dict = field(default_factory=dict)  # by command
    too_late: int = 0
    at_exec: int = 0
    acknowledged: int = 0
    ahead: int = 0  # a batch was there that had not been told yet
    absent: int = 0
    checks: int = 0
    batches_at_kill: set = field(default_factory=set)


class Kills:
    def __init__(self, command, claims, folders, seed, data=None):
        self.command, self.claims, self.folders, self.seed = command, claims, folders, seed
        self.data = data
        self.tally = Tally()
        self.others = [name for name in ("compact", "reindex", "repair") if command.has(name)]

    def run(self, count):
        rng = random.Random(f"kills {self.seed}")
        workloads = self._workloads(count)
        start = time.monotonic()
        trials = 0
        while sum(self.tally.killed.values()) < count:
            trials += 1
            workload = rng.choice(workloads)
            folder = Path(self.folders[trials % len(self.folders)]) / f"kill-{trials}"
            folder.mkdir(parents=True)
            try:
                self._trial(workload, folder, rng, f"trial {trials} of --seed {self.seed}")
                shutil.rmtree(folder)
            except Failed as failure:
                self.claims.find(f"trial {trials} of --seed {self.seed}, {workload.file.name}: {failure} "
                                 f"(kept in {folder})")
                if len(self.claims.findings) >= 10:
                    break
        self._tell(trials, workloads, time.monotonic() - start)

    def _workloads(self, count):
        folder = Path(self.folders[0]) / "workloads"
        sizes = (30, 250, 600, 2000) if count >= 100 else (30, 300)
        files = [books.invented(f"{self.seed}-{rows}", rows) for rows in sizes]
        files += [books.real(path) for path in sorted(Path(__file__).parents[2].glob("Formats/samples/*.csv"))]
        exports = sorted(Path(self.data).glob("exports/goodreads/*.csv")) if self.data else []
        if exports and count >= 100:
            files += [books.real(path) for path in exports]
        elif not exports:
            self.claims.skip("real exports", "there is no ../shared/data beside the repository")
        return [self._workload(file, folder / str(number)) for number, file in enumerate(files)]

    def _workload(self, file, folder):
        expected = Expected(self.command, [file], folder)
        path = file.write(folder / "books.csv")
        start = time.monotonic()
        self._must(self.command("import", folder / "timed", path), "an import that nobody kills")
        return Workload(expected, path, time.monotonic() - start)

    # One library, killed at a few times, then finished

    def _trial(self, workload, folder, rng, name):
        library = folder / "L.bookdb"
        told = 0
        for _ in range(rng.choice([1, 1, 1, 2, 3, 5])):
            what = rng.choice(self.others) if self.others and library.exists() and rng.random() < 0.35 else "import"
            told = max(told, self._kill(what, workload, library, rng))
            if library.exists():
                require_rest(library, f"when {what} was killed")
            told = self._look(workload, library, told, after=f"{what} was killed")
        self._finish(workload, library, folder)

    def _kill(self, what, workload, library, rng):
        """Starts a command, kills it, and gives the rows it has told of."""
        arguments = [what, library]
        if what == "import":
            arguments += [workload.path, "--jsonl"]
        saved, before = library.parent / f"saved-{self.tally.checks}.bookdb", None
        if what == "repair":
            arguments += ["--output", saved]
            before = Image.read(library).files
        output = library.parent / "output"
        with open(output, "wb") as file:
            process = self.command.start(*arguments, stdout=file)
            self._wait_for_the_moment(process, what, workload, output, rng)
            process.send_signal(signal.SIGKILL)
            talk = process.communicate()[1].decode(errors="replace")
        if process.returncode == -signal.SIGKILL:
            self.tally.killed[what] = self.tally.killed.get(what, 0) + 1
        elif process.returncode == 0 or (what != "import" and process.returncode in (65, 66)):
            self.tally.too_late += 1  # also: nothing that could be compacted was there yet
        else:
            raise Failed(f"{what} ended with {process.returncode} before it was killed: {talk.strip()}")
        if what == "repair":
            self._look_at_repair(library, before, saved)
        rows = acknowledged(output.read_bytes()) if what == "import" else 0
        if what == "import" and process.returncode == 0 and rows != len(workload.file):
            raise Failed(f"an import that came to its end told of {rows} rows of {len(workload.file)}")
        self.tally.batches_at_kill.add(-(-rows // books.BATCH))
        return rows

    def _look_at_repair(self, library, before, saved):
        """What is repaired is only read, and what is saved has its name when it is whole."""
        if Image.read(library).files != before:
            raise Failed("a repair that was killed has changed what it repairs")
        if saved.exists():
            self._must(self.command("verify", saved), "verify of what a repair has saved")
            if content(self.command, saved) != content(self.command, library):
                raise Failed("a repair that was killed has left a part under the name of the whole")

    def _wait_for_the_moment(self, process, what, workload, output, rng):
        way = rng.random()
        if way < 0.04:
            self.tally.at_exec += 1
        elif way < 0.4 or what != "import":
            time.sleep(rng.uniform(0, workload.seconds * 1.05))
        else:
            # Just behind an acknowledgement, where the next batch is under way.
            size = rng.randint(1, workload.file.batches) * 60
            deadline = time.monotonic() + 30
            while os.path.getsize(output) < size and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.0002)
            time.sleep(rng.uniform(0, 0.003))

    def _look(self, workload, library, told, after):
        """What is there must be a prefix of the batches, with every one that was told of. Gives its rows."""
        expected = workload.expected
        self.tally.checks += 1
        verification = self.command("verify", library)
        if verification.status == 66 and told == 0:
            self.tally.absent += 1
            return 0
        self._must(verification, f"verify, when {after}")
        least = expected.version(0, told)
        found = content(self.command, library)
        version = expected.number(found, least)
        if version is None:
            raise Failed(f"when {after}, the export is that of no number of whole batches; "
                         f"{found.difference(expected.versions[least])}")
        if version < least:
            raise Failed(f"when {after}, {least} batches had been told of and {version} are there")
        if version > least + 1:
            raise Failed(f"when {after}, {least} batches had been told of and {version} are there already")
        self.tally.acknowledged += least
        self.tally.ahead += version > least
        total = self._must(self.command("ls", library, "--limit", "1", "--json"), "ls").document["total"]
        if total != found.works:
            raise Failed(f"when {after}, export has {found.works} works and ls counts {total}")
        # What a look has shown is not promised yet; only what was told.
        return told

    def _finish(self, workload, library, folder):
        """The same import again, to the end, gives what one import gives; and once more changes nothing."""
        for more in ("to the end", "once more"):
            report = self._must(
                self.command("import", library, workload.path, "--json"), f"importing {more}").document
            told = {name: report[name] for name in ("added", "merged", "identical", "differing", "rejected")}
            if report["rows"] != len(workload.file) or sum(told.values()) != report["rows"]:
                raise Failed(f"importing {more}, {len(workload.file)} rows are counted as {told} of {report['rows']}")
            found = content(self.command, library)
            if found != workload.expected.versions[-1]:
                raise Failed(f"imported {more} after kills, the library differs from one that was imported at once: "
                             + found.difference(workload.expected.versions[-1]))
            self._must(self.command("verify", library), f"verify after importing {more}")
        if told["added"] or told["merged"]:
            raise Failed(f"the same file once more changes something: {told}")

    def _must(self, run, what):
        if run.status != 0:
            raise Failed(f"{what} ends with {run}")
        return run

    def _tell(self, trials, workloads, seconds):
        tally = self.tally
        killed = sum(tally.killed.values())
        by = ", ".join(f"{number} of {name}" for name, number in sorted(tally.killed.items()))
        names = ", ".join(workload.file.name for workload in workloads)
        self.claims.say(f"{trials} libraries from {len(workloads)} files ({names}) in {seconds:.0f} s")
        self.claims.say(f"{killed} kills ({by}), {tally.at_exec} of them aimed at exec, {tally.too_late} came too late; "
                        f"{len(tally.batches_at_kill)} different numbers of batches told of; "
                        f"{tally.ahead} times a batch was there before it was told of, {tally.absent} times no library yet")
        if not self.claims.findings:
            self.claims.hold(f"after each of {tally.checks} looks verify says sound, and ls counts what export holds")
            self.claims.hold(f"{tally.acknowledged} acknowledged batches were there, and never half a batch")
            self.claims.hold(f"{trials} times the same import again led to what one undisturbed import leads to, "
                             "and once more changed nothing")
