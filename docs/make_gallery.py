"""`make gallery`: run the examples of the gallery, and write docs/gallery.md with their code, output and pictures.

Nothing of the page is written by hand but what is below.

    python docs/make_gallery.py            # all of them, some minutes
    python docs/make_gallery.py constraints own_operator   # these anew, the others as they are in the page
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples"
LARGEST = 60_000  # bytes of a picture
GALLERY = {
    "minimize_a_function": "Your own function",
    "slow_simulation": "A slow simulation, two processes, an interruption",
    "constraints": "Constraints",
    "integers": "Integers",
    "design_for_rotated_functions": "An optimiser for a family of problems",
    "design_for_a_family": "When a design does not help",
    "use_in_pymoo": "In pymoo",
    "use_in_optuna": "In optuna",
    "use_in_scikit_learn": "In scikit-learn",
    "experiments_by_hand": "Experiments in a laboratory",
    "own_algorithm": "Your own algorithm, compared",
    "own_operator": "Your own operator, checked",
    "use_on_dask": "A cluster",
}
HEAD = """# Gallery

Thirteen programs. Each is a file of [examples](../examples), ready to run. `make gallery` runs them and writes this
page with their output and pictures.
"""


def run(name: str) -> str:
    """The output of an example; its picture is in docs/gallery."""
    picture = DOCS / "gallery" / f"{name}.svg"
    path = os.pathsep.join([str(DOCS), *filter(None, [os.environ.get("PYTHONPATH")])])
    kept = {"MPLBACKEND": "module://picture_backend", "AUTOV_PICTURE": str(picture), "PYTHONPATH": path,
            "PYTHONWARNINGS": "error::RuntimeWarning"}  # fmt: skip
    picture.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")], env={**os.environ, **kept}, capture_output=True, text=True,
        check=False, cwd=DOCS.parent,
    )  # fmt: skip
    if done.returncode or not picture.is_file():
        raise SystemExit(f"{name}: ended with {done.returncode}, or drew no picture\n{done.stderr}")
    if picture.stat().st_size > LARGEST:
        raise SystemExit(f"{name}: its picture has {picture.stat().st_size} bytes, at most {LARGEST} are allowed")
    return done.stdout.rstrip()


def section(name: str, output: str) -> str:
    """An example as Markdown: its docstring as text, then code, output and picture."""
    source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    _, text, code = source.split('"""', 2)
    return (
        f"## {GALLERY[name]}\n\n{_paragraphs(text)}\n\n```python\n{code.strip()}\n```\n\n```text\n{output}\n```\n\n"
        f"![{GALLERY[name]}](gallery/{name}.svg)\n\nThe file: [{name}.py](../examples/{name}.py).\n"
    )


def _paragraphs(text: str) -> str:
    """The docstring, with indented lines as code."""
    fenced = re.sub(r"((?:^ {4}.*\n)+)", r"\n```\n\1```\n", text.strip() + "\n", flags=re.MULTILINE)
    return fenced.replace("\n    ", "\n").rstrip()


def outputs(page: str) -> dict[str, str]:
    """The outputs that a page holds, by example."""
    found = re.findall(r"```text\n(.*?)\n```\n\n!\[[^]]*\]\(gallery/(\w+)\.svg\)", page, flags=re.DOTALL)
    return {name: output for output, name in found}


def main(names: list[str]) -> None:
    """Run examples, all if none are named, and write the page."""
    page = DOCS / "gallery.md"
    (DOCS / "gallery").mkdir(exist_ok=True)
    known = outputs(page.read_text(encoding="utf-8")) if names and page.is_file() else {}
    parts = [HEAD]
    for name in GALLERY:
        again = name in names or name not in known
        sys.stderr.write(f"{name}{'' if again else ': as it is'}\n")
        parts.append(section(name, run(name) if again else known[name]))
    page.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
