"""Several processes that write to one library at once, beside one that compacts it and some that follow, killed at random moments."""

import json
import random
import shutil
import signal
import threading
import time
from pathlib import Path

import books
from command import Content, acknowledged
from expected import Failed, content
from locks import require_rest

LOOKS = (("ls", "--limit", "3"), ("search", "e"), ("export", "--format", "jsonl"), ("log", "--limit", "5"))

IN_USE = 75  # another process did not let the library go in time


class Writer:
    """One import that is killed and begun again until it has come to its end."""

    def __init__(self, file, path, output):
        self.file, self.path, self.output = file, path, output
        self.process = None
        self.told = 0  # rows
        self.is_done = False


class Storms:
    """Each commit that a process was told of stays, in the order in which it was made, whoever is killed."""

    WRITERS = 3

    def __init__(self, command, claims, folder, seed):
        self.command, self.claims, self.folder, self.seed = command, claims, Path(folder), seed
        self.folder.mkdir(parents=True)
        self.killed = {}  # by command
        self.looks = {}
        self.followed = 0
        self.rows = 0
        self.rest_checks = 0
        self.turned_away = 0

    def run(self, count):
        rng = random.Random(f"storms {self.seed}")
        start, rounds = time.monotonic(), 0
        while sum(self.killed.values()) < count and len(self.claims.findings) < 5:
            rounds += 1
            library = self.folder / f"storm-{rounds}"
            try:
                self._storm(library, rng, min(25, count - sum(self.killed.values())))
                shutil.rmtree(library)
            except Failed as failure:
                self.claims.find(f"storm {rounds} of --seed {self.seed}: {failure} (kept in {library})")
        by = ", ".join(f"{number} of {name}" for name, number in sorted(self.killed.items()))
        told = ", ".join(f"{number} {name}" for name, number in sorted(self.looks.items()))
        self.claims.say(f"{rounds} libraries in {time.monotonic() - start:.0f} s, {sum(self.killed.values())} kills ({by}), "
                        f"looks: {told}; {self.turned_away} imports waited in vain and were begun again")
        if not self.claims.findings:
            self.claims.hold(f"{self.rows} rows of {self.WRITERS} imports at once are there, whoever was killed")
            self.claims.hold(f"{self.followed} commits were followed in their order, and each look went forwards")
            self.claims.hold(f"{self.rest_checks} times no lock of the library was held when nobody wrote")

    # One library

    def _storm(self, library, rng, kills):
        work = Path(f"{library}-work")
        work.mkdir()
        self._must(self.command("seed", library, "--works", 50), "seed")
        writers = []
        for number in range(self.WRITERS):
            first = 1 + number * 100_000
            file = books.invented(f"{self.seed}-{library.name}-{number}", rng.choice([400, 900, 1500] if kills > 10 else [100, 200]), first=first)
            writers.append(Writer(file, file.write(work / f"{number}.csv"), work / f"{number}.out"))
        seeded = content(self.command, library)
        done = threading.Event()
        followers = [threading.Thread(target=self._follow, args=(library, done, f"{rng.random()}")) for _ in range(2)]
        readers = [threading.Thread(target=self._look, args=(library, done, number, seeded.works)) for number in range(2)]
        for thread in followers + readers:
            thread.start()
        compactor = None
        try:
            while not all(writer.is_done for writer in writers):
                for writer in writers:
                    self._go_on(writer, library)
                if compactor is None or compactor.poll() is not None:
                    if compactor:
                        self._compacted(compactor)
                    compactor = self.command.start("compact", library)
                time.sleep(rng.uniform(0, 0.12))
                if kills > 0:
                    kills -= self._kill(rng, writers, compactor)
                else:
                    time.sleep(0.05)
            compactor.wait(120)
            # Those that follow still have it open.
            self._rest(library, "when nobody writes any more")
        finally:
            for process in [writer.process for writer in writers] + [compactor]:
                if process and process.poll() is None:
                    process.kill()
                    process.wait()
            done.set()
            for thread in followers + readers:
                thread.join()
        self._judge(library, writers, seeded)
        shutil.rmtree(work)

    def _go_on(self, writer, library):
        """Begins the import, or begins it again, and notes what it has told of."""
        if writer.is_done or (writer.process and writer.process.poll() is None):
            return
        if writer.process:
            status = writer.process.returncode
            writer.told = max(writer.told, acknowledged(writer.output.read_bytes()))
            talk = writer.process.stderr.read().decode(errors="replace")
            writer.process = None
            if status == 0:
                writer.is_done = True
                if writer.told != len(writer.file):
                    raise Failed(f"an import that came to its end told of {writer.told} rows of {len(writer.file)}")
                return
            # On a busy machine the others may take longer than an import waits. It says who, and its rows are safe.
            if status == IN_USE and "is in use by process" in talk:
                self.turned_away += 1
            elif status != -signal.SIGKILL:
                raise Failed(f"an import beside others ends with {status}: {talk.strip()[:600]}")
        with open(writer.output, "wb") as file:
            writer.process = self.command.start("import", library, writer.path, "--jsonl", stdout=file)

    def _kill(self, rng, writers, compactor):
        running = [("import", writer.process) for writer in writers if writer.process and writer.process.poll() is None]
        if compactor.poll() is None:
            running.append(("compact", compactor))
        if not running:
            return 0
        name, process = rng.choice(running)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.returncode != -signal.SIGKILL:
            return 0  # it had ended
        self.killed[name] = self.killed.get(name, 0) + 1
        return 1

    def _compacted(self, process):
        output, talk = process.communicate()
        # One that did not get the store in time has changed nothing.
        if process.returncode not in (0, IN_USE, -signal.SIGKILL):
            raise Failed(f"a compaction beside others ends with {process.returncode}: {talk.decode(errors='replace').strip()[:600]}")

    def _judge(self, library, writers, seeded):
        self._must(self.command("verify", library), "verify, when all have ended")
        found = content(self.command, library)
        expected = set(seeded.sources)
        for writer in writers:
            expected |= {each for each in writer.file.identifiers if each}
            self.rows += len(writer.file)
        if found.sources != expected:
            missing, strange = sorted(expected - found.sources), sorted(found.sources - expected)
            raise Failed(f"{len(missing)} rows are missing, such as {missing[:5]}, and {len(strange)} strange, {strange[:5]}")

    # Beside them

    def _follow(self, library, done, name):
        """`log --follow` tells of each commit once, in their order."""
        rng = random.Random(name)
        while not done.is_set():
            process = self.command.start("log", library, "--follow", "--jsonl")
            end = time.monotonic() + rng.uniform(0.5, 4)
            lines = []
            reader = threading.Thread(target=lambda: lines.extend(process.stdout))
            reader.start()
            while time.monotonic() < end and not done.is_set() and process.poll() is None:
                time.sleep(0.02)
            ended = process.poll()
            process.kill()
            process.wait()
            reader.join()
            if ended not in (None, 0):
                self.claims.find(f"log --follow beside writers ends with {ended}: {process.stderr.read()[:400]}")
            # The last line may be half of one.
            commits = [event["commit"] for event in map(json.loads, lines[:-1]) if "commit" in event]
            self.followed += len(commits)
            ordered = all(before < after for before, after in zip(commits, commits[1:]))
            self.claims.check(ordered, "log --follow tells of commits in their order", f"{commits}")

    def _look(self, library, done, number, works):
        place, before = number, works
        while not done.is_set():
            name, *options = LOOKS[place % len(LOOKS)]
            place += 1
            run = self.command(name, library, *options)
            self.looks[name] = self.looks.get(name, 0) + 1
            self.claims.check(run.status == 0, f"{name} beside writers that are killed ends with 0", str(run))
            if run.status == 0 and name == "export":
                now = Content(run.output).works
                self.claims.check(now >= before, "a look beside writers that are killed goes forwards", f"{now} works behind {before}")
                before = max(before, now)

    def _rest(self, library, when):
        self.rest_checks += require_rest(library, when)

    def _must(self, run, what):
        if run.status != 0:
            raise Failed(f"{what} ends with {run}")
        return run
