"""Writes the names of MPI's functions, without MPI_ and in lower case, as C++ string literals for the pass.

    python3 mpi_names.py API_DIR OUTPUT
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

from model import load  # noqa: E402

names = sorted({f.name.removeprefix("MPI_").lower() for f in load(Path(sys.argv[1]) / "mpi").functions})
output = Path(sys.argv[2])
output.parent.mkdir(parents=True, exist_ok=True)
output.write_text("// Generated from api/ by mpi_names.py; do not edit.\n" + "".join(f'"{n}",\n' for n in names))
