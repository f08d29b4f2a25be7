"""damage.py TOOL TRACE DIRECTORY: cuts the trace at every third byte and flips a bit of every third byte.

`check` must refuse all of them with exit code 2 and one line, and so must every other reading command, which is tried
with every tenth of them.
"""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def main(tool: str, trace: str, directory: str) -> int:
    whole = Path(trace).read_bytes()
    damaged = [(f"cut at {n}", whole[:n]) for n in range(0, len(whole), 3)]
    damaged += [
        (f"bit {n % 8} of byte {n}", whole[:n] + bytes([whole[n] ^ 1 << n % 8]) + whole[n + 1 :])
        for n in range(1, len(whole), 3)
    ]
    damaged += [("longer by a byte", whole + b"\0")]
    # A tool with sanitizers takes a long time to start: then some of them do.
    start = time.monotonic()
    subprocess.run([tool, "check", trace], check=True)
    if time.monotonic() - start > 0.05:
        damaged = damaged[::23]

    def refused(number: int) -> str:
        what, content = damaged[number]
        file = Path(directory) / f"{number}.pilgrim"
        file.write_bytes(content)
        commands = [["check", file]]
        if number % 10 == 0:
            out = Path(directory) / "out.pilgrim"
            commands += [["info", file], ["info", "--json", file], ["print", file], ["print", "--json", file]]
            commands += [["stats", file], ["tree", file], ["tree", "--json", file]]
            commands += [["diff", file, trace], ["diff", trace, file]]
            commands += [["merge", file, "-o", out]]
        problem = ""
        for command in commands:
            run = subprocess.run([tool, *map(str, command)], capture_output=True, text=True)
            lines = run.stderr.splitlines()
            good = run.returncode == 2 and not run.stdout and len(lines) == 1
            if not good or not lines[0].startswith(f"pilgrim: {file}: "):
                problem = f"{what}: {command[0]}: code {run.returncode}, {run.stdout[:99]!r}, {run.stderr[:500]!r}"
        file.unlink()
        return problem

    with ThreadPoolExecutor(2) as pool:
        problems = [p for p in pool.map(refused, range(len(damaged))) if p]
    print("\n".join(problems[:20]))
    print(f"{len(damaged)} damaged files, {len(problems)} not refused")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
