"""Manual pages of the pilgrim tool, from what its --help says.

man.py TOOL VERSION OUTPUT [COMMAND]

The usage line becomes the synopsis. A heading of --help, which is a line of words that ends with a colon, becomes a
section.
"""

import re
import subprocess
import sys
from pathlib import Path

# Of the tool itself, whose --help says how to go on.
TOOL_EXAMPLES = """
Examples:
  mpiexec -n 8 pilgrim run ./app
      traces a program and leaves app.pilgrim
  pilgrim tree app.pilgrim
      shows where the calls are made

Exit codes:
  0  all of it was done
  1  pilgrim diff: two traces differ
  2  it was not done, and one line on stderr says why
  pilgrim run ends with the program's
"""


def escape(line: str) -> str:
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line.startswith((".", "'")) else line


def commands(help_text: str) -> list[str]:
    """The names below "Commands:"."""
    below = help_text.partition("\nCommands:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  ([a-z]+)", below, re.M)


def page(title: str, version: str, help_text: str) -> str:
    text = help_text.strip()
    if title == "pilgrim":
        names = [f"pilgrim\\-{name}(1)" for name in commands(text) if name != "help"]
        see = ", ".join([*names, "pilgrim\\-cc(1)"])
        text += "\n" + TOOL_EXAMPLES
    else:
        see = "pilgrim(1)"
    description, _, rest = text.partition("\n")
    before, _, after = rest.partition("Usage: ")
    usage, _, rest = after.partition("\n\n")
    lines = [f'.TH {title.upper()} 1 "" "Pilgrim {version}" "Pilgrim"']
    lines += [".SH NAME", f"{escape(title)} \\- {escape(description.strip())}"]
    lines += [".SH SYNOPSIS", ".nf", *(escape(line.strip()) for line in usage.splitlines()), ".fi"]
    if before.strip():
        lines += [".SH DESCRIPTION", ".nf", escape(before.strip()), ".fi"]
    is_open = False
    for line in rest.splitlines():
        if re.fullmatch(r"\w[\w ]*:", line):
            lines += [*([".fi"] if is_open else []), f".SH {escape(line[:-1].upper())}", ".nf"]
            is_open = True
        elif is_open:
            lines.append(escape(line))
    return "\n".join([*lines, *([".fi"] if is_open else []), ".SH SEE ALSO", see]) + "\n"


def main(arguments: list[str]) -> int:
    tool, version, output, *command = arguments
    run = subprocess.run([tool, *command, "--help"], capture_output=True, text=True, check=True)
    target = Path(output)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page("-".join(["pilgrim", *command]), version, run.stdout))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
