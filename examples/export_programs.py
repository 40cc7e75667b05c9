"""Programs without autov: an optimiser in plain NumPy, and an operator for MATLAB.

The same from the command line:
    autov export evolution:paper-h3 --to python --out optimiser.py
    autov export runs/first/optimizer.json --to python --out optimiser.py
    autov export paper-h3 --to matlab --out vary.m
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import autov

with tempfile.TemporaryDirectory() as folder:
    for source in ("evolution:paper-h3",) if "--quick" in sys.argv else ("evolution:paper-h3", "ma-es", "portfolio"):
        path = Path(folder) / "optimiser.py"
        path.write_text(autov.export(source, "python"))
        done = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, check=True)
        print(f"{source} as a program, 5000 evaluations of a sphere: {done.stdout.strip()}")
print(autov.export("paper-h3", "matlab", "vary")[:400], "...")
