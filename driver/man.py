"""Manual pages of the pilgrim tool, from what its --help says.

man.py TOOL VERSION OUTPUT [COMMAND]
"""

import subprocess
import sys
from pathlib import Path


def escape(line: str) -> str:
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line.startswith((".", "'")) else line


def page(title: str, version: str, help_text: str) -> str:
    description, _, rest = help_text.strip().partition("\n")
    lines = [f'.TH {title.upper()} 1 "" "Pilgrim {version}" "Pilgrim"']
    lines += [".SH NAME", f"{escape(title)} \\- {escape(description.strip())}"]
    lines += [".SH DESCRIPTION", ".nf"]
    for line in rest.splitlines():
        heading = line.rstrip(":")
        if line.endswith(":") and not line.startswith(" ") and heading:
            lines += [".fi", f".SH {escape(heading.upper())}", ".nf"]
        else:
            lines.append(escape(line))
    if title == "pilgrim":
        see = "pilgrim\\-run(1), pilgrim\\-info(1), pilgrim\\-print(1), pilgrim\\-stats(1), pilgrim\\-diff(1), "
        see += "pilgrim\\-tree(1), pilgrim\\-check(1), pilgrim\\-merge(1)"
    else:
        see = "pilgrim(1)"
    lines += [".fi", ".SH SEE ALSO", see]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    tool, version, output, *command = arguments
    run = subprocess.run([tool, *command, "--help"], capture_output=True, text=True, check=True)
    target = Path(output)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page("-".join(["pilgrim", *command]), version, run.stdout))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
