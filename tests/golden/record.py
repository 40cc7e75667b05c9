"""Store the golden results anew: ``python -m tests.golden.record``. The changelog must say why they changed."""

import json
from importlib import metadata
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np

from tests.golden.cases import cases

PLACE = Path(__file__).with_name("golden.json")
PACKAGES = ("numpy", "numba", "llvmlite", "scipy")


def surroundings() -> dict[str, str]:
    """What the last bits may depend on."""
    return {"processor": llvm.get_host_cpu_name()} | {name: metadata.version(name) for name in PACKAGES}


def main() -> None:
    values = {name: [float(v).hex() for v in np.ravel(call())] for name, call in cases().items()}
    PLACE.write_text(json.dumps({"made with": surroundings(), "values": values}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
