"""How many targets the algorithms of a comparison reached, and how soon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autov.core import Array, InputError
from autov.experiments.table import Cell, Table, scientific
from autov.stats.targets import ecdf, ecdf_area, expected_running_time, performance_profile

SHOWN = (1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-5, 1e-7)  # targets of a table of expected running times, those of COCO
RESOLUTIONS = ("improvements", "samples", "final values")


@dataclass(frozen=True, eq=False, repr=False)
class Targets:
    """When each run of each algorithm reached each target; see `Comparison.targets`.

    Attributes:
        targets: gaps to the minimum of a problem.
        algorithms: labels.
        problems: those of the comparison whose minima are known and that all algorithms have run on.
        maxfev: evaluations of a run.
        hits: (problem, algorithm) -> (runs, targets), evaluations made when it was reached, infinite if it never was.
        resolution: what that was seen by: "improvements" (all that the driver saw), "samples" (50 counts over the last
            two decades of the budget) or "final values" (only at the end: no ECDF, no running times).
    """

    targets: Array
    algorithms: tuple[str, ...]
    problems: tuple[str, ...]
    maxfev: int
    hits: Mapping[tuple[str, str], Array]
    resolution: str

    def __repr__(self) -> str:
        size = f"{len(self.targets)} targets, {len(self.problems)} problems, {len(self.algorithms)} algorithms"
        return f"<Targets: {size}, seen by {self.resolution}>"

    def _all(self, algorithm: str, problems: Sequence[str] | None) -> Array:
        if algorithm not in self.algorithms:
            raise InputError(f"algorithm: {algorithm!r} is not in the comparison ({', '.join(self.algorithms)})")
        chosen = self.problems if problems is None else tuple(problems)
        for problem in chosen:
            if problem not in self.problems:
                raise InputError(f"problems: no targets on {problem!r}; there are some on {', '.join(self.problems)}")
        return np.concatenate([self.hits[problem, algorithm].ravel() for problem in chosen] or [np.empty(0)])

    @property
    def timed(self) -> bool:
        """Whether it is known when targets were reached."""
        return self.resolution != RESOLUTIONS[-1]

    def _need_times(self) -> None:
        if not self.timed:
            raise InputError("targets: only final values are known, so nothing can be said of when they were reached")

    def share(self, algorithm: str, problems: Sequence[str] | None = None) -> float:
        """The share of (problem, run, target) triples that were reached at all."""
        found = self._all(algorithm, problems)
        return float(np.isfinite(found).mean()) if found.size else float("nan")

    def area(self, algorithm: str, problems: Sequence[str] | None = None) -> float:
        """The mean of the ECDF over log10(evaluations) from 1 to maxfev evaluations; see `autov.stats.ecdf_area`."""
        self._need_times()
        return ecdf_area(self._all(algorithm, problems), self.maxfev)

    def ecdf(self, algorithm: str, problems: Sequence[str] | None = None) -> tuple[Array, Array]:
        """Counts of evaluations at which the share of reached triples rises, and the share from there on."""
        self._need_times()
        return ecdf(self._all(algorithm, problems))

    def running_time(self, problem: str, algorithm: str) -> tuple[Array, np.ndarray]:
        """Expected running time for each target, infinite where no run reached it, and how many runs did."""
        self._need_times()
        self._all(algorithm, [problem])
        found = self.hits[problem, algorithm]
        return expected_running_time(found, self.maxfev), np.isfinite(found).sum(axis=0)

    def profile(self) -> tuple[Array, dict[str, Array]]:
        """Performance profiles on expected running times: ratios tau, and for each algorithm the shares there.

        A case is a pair of problem and target that some algorithm reached in some run; its cost is the expected running
        time.
        """
        times = [[self.running_time(p, a)[0] for a in self.algorithms] for p in self.problems]
        costs = np.array(times).transpose(0, 2, 1).reshape(-1, len(self.algorithms)) if times else np.empty((0, 1))
        taus, shares = performance_profile(costs)
        return taus, dict(zip(self.algorithms, shares, strict=True)) if times else {}

    def table(self, ranks: Mapping[str, float] | None = None) -> Table:
        """Share of targets, area under the ECDF where it is known when they were reached, for each algorithm.

        Ranks, if given, are a column of their own; there, the smallest is best.
        """
        shares = {a: self.share(a) for a in self.algorithms}
        columns: dict[str, dict[str, float]] = {"targets reached": shares}
        if self.timed:
            columns["area under ECDF"] = {a: self.area(a) for a in self.algorithms}
        rows = []
        for a in self.algorithms:
            entries = [Cell(f"{values[a]:.4f}", best=values[a] == max(values.values()), data={"value": values[a]})
                       for values in columns.values()]  # fmt: skip
            if ranks is not None:
                entries.append(Cell(f"{ranks[a]:.2f}", best=ranks[a] == min(ranks.values()), data={"value": ranks[a]}))
            rows.append((a, tuple(entries)))
        heads = (*columns, *(() if ranks is None else ("rank of medians",)))
        notes = [
            f"{len(self.targets)} targets from {self.targets.max():g} to {self.targets.min():g} above the minima of "
            f"{len(self.problems)} problem{'s' if len(self.problems) > 1 else ''}, all runs: larger is better"
            f"{'.' if ranks is None else '; smaller ranks are better.'}"
        ]
        if self.resolution == RESOLUTIONS[1]:
            notes.append("Some runs hold 50 samples of the last two decades of the budget instead of all improvements.")
        return Table("Targets reached", ("algorithm", *heads), tuple(rows), notes=tuple(notes))

    def running_time_table(self) -> Table:
        """Expected running times (runs that reached the target / all runs) for each problem and target."""
        rows = []
        times = {(p, a): self.running_time(p, a) for p in self.problems for a in self.algorithms}
        for problem in self.problems:
            for i, target in enumerate(self.targets):
                entries = []
                lead = min(times[problem, a][0][i] for a in self.algorithms)
                for a in self.algorithms:
                    time, count = float(times[problem, a][0][i]), int(times[problem, a][1][i])
                    runs = len(self.hits[problem, a])
                    data = {"target": float(target), "ert": time, "successes": count, "runs": runs}
                    text = scientific(time, 2) if count else "-"
                    entries.append(Cell(text, f"{count}/{runs}", best=bool(count) and time == lead, data=data))
                rows.append((f"{problem}, {target:g}", tuple(entries)))
        note = f"Evaluations of all runs until they reached the target, or {self.maxfev}, by the runs that reached it."
        return Table("expected running times", ("problem, target", *self.algorithms), tuple(rows), notes=(note,))
