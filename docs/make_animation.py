"""Draw docs/images/search.svg: a design and a genetic algorithm on one rotated Rastrigin function of two variables.

    python docs/make_animation.py

The design is stored; results/README.md has its command. Both make the same number of evaluations from the same seed.
The instance is the one of 15 on which the design's final error is its median. The picture moves by style rules inside
the SVG, and stands still where people ask for less motion.
"""

from __future__ import annotations

import base64
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import image

import autov
from autov.core import write_text
from autov.problems import instance_of, resolve_problem

DOCS = Path(__file__).parent
STORED = DOCS.parent / "results" / "animation" / "optimizer.json"
SIDE, GAP, TOP, GRID = 300, 24, 46, 150  # pixels of a panel, between them, above them, and of the picture below
FRAMES, EACH, SECONDS, SEED = 30, 40, 12.0, 1  # pictures, evaluations between them, time for all, random numbers
POPSIZE, INSTANCES = 40, 15  # of the genetic algorithm; to choose from


def values_at(problem: Any, x: np.ndarray) -> np.ndarray:
    """Values of points, which have no noise."""
    return problem(np.atleast_2d(x), np.random.default_rng(0))


def points_of(algorithm: Any, problem: Any) -> np.ndarray:
    """The points that a run evaluates, in their order."""
    made: list[np.ndarray] = []

    def watched(x: np.ndarray) -> np.ndarray:
        made.append(np.array(x))
        return values_at(problem, x)

    box = problem.box
    bounds = list(zip(box.lower, box.upper, strict=True))
    size = POPSIZE if algorithm == "ga" else None
    autov.minimize(watched, bounds, algorithm=algorithm, maxfev=FRAMES * EACH, rng=SEED, vectorized=True, popsize=size)
    return np.concatenate([part.reshape(-1, 2) for part in made])[: FRAMES * EACH]


def landscape(problem: Any) -> str:
    """Values over the box as a picture, dark where they are small."""
    low, high = problem.box.lower, problem.box.upper
    axes = [np.linspace(low[i], high[i], GRID) for i in range(2)]
    x = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    values = np.log1p(values_at(problem, x) - problem.minimum).reshape(GRID, GRID)
    out = io.BytesIO()
    image.imsave(out, values[::-1], cmap="bone", format="png")
    return base64.b64encode(out.getvalue()).decode()


def frames(points: np.ndarray, problem: Any, left: int, colour: str, title: str) -> str:
    """One panel: the last points of each moment, and the best value until then."""
    low, high = problem.box.lower, problem.box.upper
    places = (points - low) / (high - low) * SIDE
    best = np.minimum.accumulate(values_at(problem, points) - problem.minimum)
    parts = [f'<text x="{left}" y="18" class="title">{title}</text>']
    for frame in range(FRAMES):
        now = slice(EACH * frame, EACH * (frame + 1))
        dots = "".join(f'<circle cx="{left + x:.1f}" cy="{TOP + SIDE - y:.1f}" r="3.4"/>' for x, y in places[now])
        said = f"{EACH * (frame + 1)} evaluations, best error {best[EACH * (frame + 1) - 1]:.2g}"
        last = " last" if frame == FRAMES - 1 else ""
        parts.append(
            f'<g class="frame{last}" style="animation-delay:{frame * SECONDS / FRAMES - SECONDS:.2f}s" fill="{colour}">'
            f'{dots}<text x="{left}" y="37" class="said">{said}</text></g>'
        )
    return "".join(parts)


def median_instance() -> Any:
    """The instance on which the design's final error is the median of all, and says the errors of both."""
    family = resolve_problem("rastrigin+family=translate-rotate", dim=2)
    problems = [instance_of(family, run) for run in range(INSTANCES)]
    errors = {
        name: [float((values_at(p, points_of(spec, p)) - p.minimum).min()) for p in problems]
        for name, spec in (("designed", str(STORED)), ("ga", "ga"))
    }
    chosen = int(np.argsort(errors["designed"])[INSTANCES // 2])
    for name, found in errors.items():
        shown = f"{np.median(found):.2g} of {INSTANCES} runs, {found[chosen]:.2g} on instance {chosen}"
        sys.stderr.write(f"{name}: median error {shown}\n")
    return problems[chosen]


def animation() -> str:
    """The whole picture."""
    problem = median_instance()
    picture = landscape(problem)
    panels = [("designed", str(STORED), "#ff8a3d"), ("genetic algorithm (ga)", "ga", "#4ba3dd")]
    body = ""
    for place, (title, algorithm, colour) in enumerate(panels):
        left = place * (SIDE + GAP)
        body += (
            f'<image x="{left}" y="{TOP}" width="{SIDE}" height="{SIDE}" preserveAspectRatio="none" '
            f'href="data:image/png;base64,{picture}"/>'
        )
        body += frames(points_of(algorithm, problem), problem, left, colour, title)
    share = 100 / FRAMES
    style = (
        ".title{font:600 15px system-ui,sans-serif;fill:#8b95a3}.said{font:13px system-ui,sans-serif;fill:#8b95a3}"
        "circle{stroke:#fff;stroke-width:.7}.frame{visibility:hidden;"
        f"animation:show {SECONDS}s step-end infinite}}@keyframes show{{0%{{visibility:visible}}"
        f"{share:.3f}%{{visibility:hidden}}}}"
        "@media (prefers-reduced-motion:reduce){.frame{animation:none}.frame.last{visibility:visible}}"
    )
    width, height = 2 * SIDE + GAP, TOP + SIDE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"<style>{style}</style>{body}</svg>\n"
    )


if __name__ == "__main__":
    write_text(DOCS / "images" / "search.svg", animation())
