"""colour.py TOOL TRACE: what the tool prints on a terminal, and elsewhere."""

import os
import re
import subprocess
import sys


def onTerminal(command: list[str], **variables: str) -> str:
    """Both outputs, through a pseudoterminal that is read to its end."""
    ours, theirs = os.openpty()
    environment = {**os.environ, "TERM": "xterm", **variables}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    process.wait()
    return text.decode().replace("\r\n", "\n")


def main(tool: str, trace: str) -> int:
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    os.environ.pop("NO_COLOR", None)
    heading, name, error = "\033[1m       calls", "\033[36mMPI_Send", "\033[1;31mpilgrim:\033[0m "
    for arguments, mark in (
        (["stats", trace], heading),
        (["tree", trace], heading),
        (["tree", trace], name),
        (["print", "--rank", "0", trace], name),
        (["info", trace + ".none"], error),
    ):
        command = [tool, *arguments]
        plain = subprocess.run(command, capture_output=True, text=True, env=environment)
        text = plain.stdout + plain.stderr
        assert "\033" not in text, (arguments, text[:200])
        seen = onTerminal(command)
        assert mark in seen, (arguments, seen[:300])
        # Nothing but the looks is different.
        assert re.sub("\033\\[[0-9;]*m", "", seen) == text, arguments
        assert onTerminal(command, NO_COLOR="1") == text, arguments
        assert onTerminal(command, TERM="dumb") == text, arguments
        assert "\033" in onTerminal(command, NO_COLOR=""), arguments
    json = onTerminal([tool, "print", "--json", trace])
    assert "\033" not in json
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
