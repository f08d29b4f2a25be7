"""terminal.py TOOL FOLDER: what `merge` says of its progress when it takes long.

FOLDER holds shards of 37 ranks. Some of them become pipes, which are slow to give what they hold, so that a second
passes both while the files are looked at and while they are merged. On a terminal there is a line then, which is gone in
the end; elsewhere there is nothing.
"""

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from pseudoterminal import saidBy

RANKS = 37


class Slow:
    """Shards that are read slowly."""

    def __init__(self, source: Path, folder: Path):
        shutil.copytree(source, folder)
        self.files = [next(folder.glob(f"*.shard.{rank}")) for rank in range(RANKS)]
        self.contents = [file.read_bytes() for file in self.files]
        self.thread = threading.Thread(target=self.run, daemon=True)

    # Who has a file open keeps what it was.

    def makePipe(self, rank: int) -> None:
        new = self.files[rank].with_name("new")
        os.mkfifo(new)
        new.rename(self.files[rank])

    def makeFile(self, rank: int) -> None:
        new = self.files[rank].with_name("new")
        new.write_bytes(self.contents[rank])
        new.rename(self.files[rank])

    def run(self) -> None:
        """Holds up who reads the pipes."""
        # The last file is a pipe while files are looked at: all others have been looked at when it is opened.
        last = RANKS - 1
        with open(self.files[last], "wb", buffering=0) as out:
            time.sleep(1.2)
            self.makePipe(5)
            self.makePipe(20)
            self.makeFile(last)
            out.write(self.contents[last])
        for rank, seconds in ((5, 1.2), (20, 0.3)):
            with open(self.files[rank], "wb", buffering=0) as out:
                time.sleep(seconds)
                out.write(self.contents[rank])

    def merge(self, tool: str, stderr) -> subprocess.Popen:
        self.makePipe(RANKS - 1)
        self.thread.start()
        command = [tool, "merge", *self.files, "-o", self.files[0].parent / "out", "--threads", "1"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr)


def screen(text: str) -> list[str]:
    """What is to be seen in the end."""
    lines = []
    for line in text.split("\n"):
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part) :]
        lines.append(shown.rstrip())
    return lines


def main(tool: str, folder: str) -> int:
    source = Path(folder)
    terminal, plain = (Slow(source, source.with_name(name)) for name in ("terminal", "plain"))
    process = plain.merge(tool, subprocess.PIPE)
    text = saidBy(lambda stderr: terminal.merge(tool, stderr))
    assert (process.communicate()[1], process.returncode) == (b"", 0), "no terminal, but a line"
    print(repr(text))
    shown = [part.strip() for part in text.split("\r") if part.strip()]
    assert all(re.fullmatch(r"pilgrim: (looking at|merging): \d+ of 37 files", line) for line in shown)
    wanted = ["looking at: 37", "merging: 6", "merging: 21"]
    found = [line for line in shown if any(f" {w} of" in line for w in wanted)]
    assert found == [f"pilgrim: {w} of 37 files" for w in wanted], found
    assert screen(text) == [""], screen(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
