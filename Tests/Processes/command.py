"""Runs the built `bookdb` and reads what it answers."""

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass

STARTED = time.time()
DAY = 86_400


@dataclass
class Run:
    status: int  # negative: ended by that signal
    output: bytes
    talk: str

    @property
    def document(self):
        return json.loads(self.output)

    def __str__(self):
        ended = f"status {self.status}" if self.status >= 0 else f"signal {signal.Signals(-self.status).name}"
        lines = (self.talk.strip() or self.output.decode(errors="replace").strip()).splitlines()
        # Of a verification, what is wrong.
        lines = [line.strip() for line in lines if "✗" in line or "DAMAGE" in line] or lines
        return f"{ended}: {' | '.join(lines)[:600]}"


class Command:
    """`bookdb`, called as a shell would."""

    def __init__(self, path, prefix=()):
        self.path = str(path)
        self.prefix = tuple(prefix)

    def line(self, *arguments):
        return [*self.prefix, self.path, *map(str, arguments)]

    def __call__(self, *arguments, timeout=120, **options):
        finished = subprocess.run(
            self.line(*arguments), stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, **options)
        return Run(finished.returncode, finished.stdout, finished.stderr.decode(errors="replace"))

    def start(self, *arguments, **options):
        options = dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) | options
        return subprocess.Popen(self.line(*arguments), **options)

    def finish(self, process, timeout=120):
        output, talk = process.communicate(timeout=timeout)
        return Run(process.returncode, output, talk.decode(errors="replace"))

    def has(self, name):
        """Whether there is such a command in this build."""
        return "There is no command" not in self(name).talk


def first_lines(process, count):
    """So many lines of what a process says, and nothing behind them: what its stream would read ahead is lost to `finish`."""
    output = b""
    while output.count(b"\n") < count:
        byte = os.read(process.stdout.fileno(), 1)
        if not byte:
            break
        output += byte
    return output


def acknowledged(output):
    """How many rows the lines of `--jsonl` have told of as safe; a line that was not finished tells nothing."""
    rows = 0
    for line in output.split(b"\n")[:-1]:
        event = json.loads(line)
        if event["event"] == "committed":
            rows = max(rows, event["rowsRead"])
    return rows


class Content:
    """What a library holds, as `export` tells it, but for what two imports of one file may have different.

    Identifiers are numbered anew in their order, and the moment of importing is called "now".
    """

    def __init__(self, export):
        self.text, self.sources, self.works = _normal(export)

    def __eq__(self, other):
        return self.text == other.text

    def __hash__(self):
        return hash(self.text)

    def difference(self, other):
        """The first line in which they differ."""
        for number, (mine, others) in enumerate(zip(self.text.split("\n"), other.text.split("\n")), 1):
            if mine != others:
                return f"line {number}: {mine[:300]} and {others[:300]}"
        return f"{self.text.count(chr(10))} and {other.text.count(chr(10))} lines"


def _normal(export):
    names, lines, sources, works = {}, [], set(), 0

    def renumbered(identifier):
        return names.setdefault(identifier, f"#{len(names) + 1}")

    for line in export.decode().splitlines():
        record = json.loads(line)
        if "id" in record:
            record["id"] = renumbered(record["id"])
        if "work" in record:
            record["work"] = renumbered(record["work"])
        if "authors" in record:
            record["authors"] = [renumbered(author) for author in record["authors"]]
        if abs(record.get("dateAddedMilliseconds", 0) / 1000 - STARTED) < DAY:
            record["dateAddedMilliseconds"] = "now"
        works += record["type"] == "work"
        sources |= {each["value"] for each in record.get("identifiers", []) if each["source"] == "goodreads"}
        lines.append(json.dumps(record, ensure_ascii=False))
    return "\n".join(lines), sources, works
