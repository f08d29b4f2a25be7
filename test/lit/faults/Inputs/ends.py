"""Ends programs at random moments, and looks at what they leave.

    ends.py PILGRIM RUNS HOW THREADS RANKS LAUNCHER...

HOW: a signal that is sent from outside, or what ends.c does by itself. With each end the exit code has to be as without
the tracer, and a shard has to be there (of several ranks, one at least; of those that lived 50 ms longer, if rank 1 alone
ends), which has to be sound and to have all calls that had returned when the end began, and none that had not returned
when the process was gone.
"""

import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

pilgrim, runs, how, threads, ranks = sys.argv[1], *map(str, sys.argv[2:6])
command = sys.argv[6:]
runs, threads, ranks = int(runs), int(threads), int(ranks)
CODES = {"exit": 3, "_exit": 4, "abort": -6, "pthread_kill": -6, "segv": -11, "kill": -15, "MPI_Abort": 5, "return": 2, "pthread_exit": 3}
RAISED = {"raise", "callback", "allocator"}
signaled = int(os.environ.get("ENDS_SIGNAL", signal.SIGTERM))
CODES |= {raised: -signaled for raised in RAISED}
isOne = "ENDS_ONE" in os.environ
random.seed(int(os.environ.get("SEED", "1")))
problems = 0


def problem(text):
    global problems
    problems += 1
    print(text)


def returned(counts, rank):
    values = struct.unpack_from("ii16q", counts, 4096 * rank)
    return values[0], values[1], values[2:10], values[10:]


def calls(shard):
    """Of each thread."""
    found = {}
    for thread in range(threads + 1):
        text = subprocess.run([pilgrim, "print", "--json", "--thread", str(thread), shard], capture_output=True, text=True)
        found[thread] = sum(1 for line in text.stdout.splitlines() if '"func":"MPI_' in line)
    return found


def fits(found, least):
    return all(n >= low for n, low in zip(found, least))


def options(least, main):
    """What threads may have, the main thread having made that many calls: one that begins when the main thread has ended
    gets its number, and goes on with its calls."""
    yield least
    for i, n in enumerate(least):
        if how == "pthread_exit" and main in least and i != least.index(main):
            yield sorted([0] + [m + main * (j == i) for j, m in enumerate(least) if j != least.index(main)])


def run(number):
    folder = tempfile.mkdtemp(dir=".")
    trace, file = f"{folder}/t.pilgrim", f"{folder}/counts"
    outside = how not in CODES
    args = [] if outside else [how, str(random.randrange(1000, 30000) if how != "allocator" else random.randrange(1, 2000))]
    line = [*command, pilgrim, "run", "--output", trace, *os.environ.get("OPTIONS", "").split(), "./ends", file,
            str(threads), *args]
    # (The backtrace of the transport waits for the allocator, also without the tracer.)
    env = {**os.environ, "UCX_HANDLE_ERRORS": "none"}
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, env=env)
    try:
        if outside:
            deadline = time.time() + 30
            counts = None
            while time.time() < deadline:
                if os.path.exists(file) and os.path.getsize(file) >= 4096 * ranks:
                    with open(file, "rb") as f:
                        counts = f.read()
                    if all(returned(counts, r)[1] for r in range(ranks)):
                        break
                time.sleep(0.002)
            time.sleep(random.random() * 0.03)
            with open(file, "rb") as f:
                counts = f.read()
            before = [returned(counts, r)[2] for r in range(ranks)]
            for r in range(ranks):
                os.kill(returned(counts, r)[0], getattr(signal, how))
        out, err = process.communicate(timeout=200)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return problem(f"{how} {number}: does not end")
    err = err.decode(errors="replace")
    expected = -getattr(signal, how) if outside else CODES[how]
    if ranks == 1 and process.returncode != expected:
        problem(f"{how} {number}: exit code {process.returncode}, not {expected}: {err}")
    with open(file, "rb") as f:
        counts = f.read()
    shards = [f"{trace}.shard.{r}" for r in range(ranks)]
    for r, shard in enumerate(shards):
        # The launcher kills ranks as soon as one has ended. Some may not have begun.
        mayLack = not sum(returned(counts, r)[3]) if isOne else any(map(os.path.exists, shards))
        if not os.path.exists(shard) and mayLack:
            continue
        if not os.path.exists(shard):
            problem(f"{how} {number}: no shard of rank {r}: {err}")
            continue
        check = subprocess.run([pilgrim, "check", shard], capture_output=True, text=True)
        if check.returncode != 0:
            problem(f"{how} {number}: {check.stderr}")
            continue
        # Threads are numbered in the order of their first calls, which is not ours; MPI_Abort has a thread of its own.
        found = sorted(calls(shard).values())
        least = sorted(before[r] if outside else returned(counts, r)[3])[-threads:]
        if not isOne and f"rank {r} stops recording, as another rank ends the run" in err:
            least = [0] * threads  # this one's end began later
        most = sorted(returned(counts, r)[2])[-threads:]
        if not any(fits(found[-threads:], low) for low in options(least, returned(counts, r)[3][0])) or sum(found) > sum(most) + 2 * threads + 1:
            problem(f"{how} {number}: {found} calls; {least} had returned before, {most} when it was gone: {err}")
    subprocess.run(["rm", "-rf", folder])


for i in range(runs):
    run(i)
print(f"{how}, {threads} threads, {ranks} ranks: {runs} runs, {problems} problems")
sys.exit(problems != 0)
