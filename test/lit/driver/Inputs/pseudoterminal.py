"""What a process says on a terminal."""

import os
import subprocess
from collections.abc import Callable


def saidBy(start: Callable[[int], subprocess.Popen]) -> str:
    """Start gets the terminal, and gives the process, which must end well."""
    ours, theirs = os.openpty()
    process = start(theirs)
    os.close(theirs)
    text = b""
    try:
        while piece := os.read(ours, 4096):
            text += piece
    except OSError:
        pass  # how the end looks on Linux
    assert process.wait() == 0, text
    return text.decode()
