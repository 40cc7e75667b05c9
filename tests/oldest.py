"""Prints the lowest version of every dependency that pyproject.toml allows, as constraints for pip."""

# ruff: noqa: T201
import tomllib
from pathlib import Path

if __name__ == "__main__":
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in project["dependencies"]:
        print(requirement.replace(">=", "=="))
