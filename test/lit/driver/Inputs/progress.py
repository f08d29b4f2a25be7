"""progress.py WORD COMMAND...: what a command that takes longer than a second says on a terminal, "pilgrim: WORD: 16,384 calls", and takes
away in the end. Elsewhere it says nothing.
"""

import re
import subprocess
import sys

from pseudoterminal import saidBy


def main(word: str, *command: str) -> int:
    text = saidBy(lambda stderr: subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr))
    parts = text.split("\r")
    shown = [part for part in parts if part.strip()]
    assert shown and all(re.fullmatch(rf"pilgrim: {word}: [\d,]+ calls", line) for line in shown), parts
    assert not parts[-1] and not parts[-2].strip(), parts
    plain = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert (plain.returncode, plain.stderr) == (0, b""), plain
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
