"""What a run has shown: sentences that held, sentences that did not, and what could not be tried."""

import sys
import threading


class Claims:
    def __init__(self):
        self.findings = []
        self.skips = []
        self.checks = 0
        self._lock = threading.Lock()

    def part(self, title):
        self._print(f"\n{title}")

    def say(self, sentence):
        self._print(f"  {sentence}")

    def hold(self, sentence, held=True, otherwise=""):
        """A claim, and what was found instead where it does not hold."""
        if held:
            self._print(f"  ✓ {sentence}")
        else:
            self.find(f"{sentence}: {otherwise}")
        return held

    def check(self, held, sentence, otherwise):
        """One of many checks behind a claim; told only when it does not hold."""
        self.checks += 1
        if not held:
            self.find(f"{sentence}: {otherwise}")

    def failed(self, *words):
        """Whether a finding is about one of these."""
        return any(word in finding for finding in self.findings for word in words)

    def find(self, sentence):
        with self._lock:
            self.findings.append(sentence)
        self._print(f"  ✗ {sentence}")

    def skip(self, what, why):
        self.skips.append(f"{what}: {why}")
        self._print(f"  – skipped: {what}, because {why}")

    def _print(self, line):
        with self._lock:
            print(line, flush=True)

    def end(self):
        """The last words, and the status to end with."""
        skipped = f", {len(self.skips)} skipped" if self.skips else ""
        print(f"\n{len(self.findings)} findings{skipped}", flush=True)
        for finding in self.findings:
            print(f"  ✗ {finding}")
        sys.stdout.flush()
        return 1 if self.findings else 0
