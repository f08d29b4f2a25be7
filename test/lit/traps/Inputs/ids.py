"""Prints NAME=ID of all functions in the table, and what is wrong with them."""

import pathlib
import sys

root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "api"))
import model  # noqa: E402

ids = {}
for function in model.load(root / "api/mpi").functions:
    ids[function.name] = function.id
assert len(set(ids.values())) == len(ids), "two functions have one id"
for name, number in ids.items():
    if name.endswith("_c"):
        assert number == ids[name[:-2]] + 1000, name
    print(f"{name}={number}")
