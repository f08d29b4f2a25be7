"""refused.py TOOL MESSAGE - ARGUMENTS... MESSAGE - ARGUMENTS...

Each command must end with exit code 2, nothing on stdout, and one line on stderr that holds the message. (A message is
the word before a "-".)
"""

import subprocess
import sys


def main(tool: str, words: list[str]) -> int:
    starts = [i - 1 for i, word in enumerate(words) if word == "-"]
    failures = 0
    for start, end in zip(starts, starts[1:] + [len(words)]):
        message, arguments = words[start], words[start + 2 : end]
        run = subprocess.run([tool, *arguments], capture_output=True, text=True)
        good = run.returncode == 2 and not run.stdout and run.stderr.count("\n") == 1
        if not good or not run.stderr.startswith("pilgrim: ") or message not in run.stderr:
            print(f"{arguments}: code {run.returncode}, stdout {run.stdout[:200]!r}, stderr {run.stderr[:500]!r}")
            failures += 1
    print(f"{len(starts)} commands, {failures} failures")
    return 1 if failures or not starts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
