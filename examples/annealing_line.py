"""An annealing line for steel strip: twelve settings, one an integer, and a constraint; cost in euros per tonne.

Strip runs through five heated zones, is cooled slowly, then fast, and held at a lower temperature. What it costs is
fuel, time, gas, cooling, and the share of strip that is scrapped because its grain, its strength or its surface is
wrong. The strip must not buckle: its tension is limited by its strength where it is hottest. Constants differ from
plant to plant; each seed is a plant. `trap` is the same plant with a broad basin of bad settings around the middle
of their ranges: a local search that starts there ends there.
"""

import sys

import numpy as np

import autov

SETTINGS = [  # name, unit, lowest, highest
    ("zone 1", "°C", 500, 950), ("zone 2", "°C", 500, 950), ("zone 3", "°C", 500, 950), ("zone 4", "°C", 500, 950),
    ("zone 5", "°C", 500, 950), ("speed", "m/min", 40, 160), ("slow cooling", "K/s", 2, 40),
    ("fast cooling", "K/s", 20, 120), ("hydrogen", "%", 2, 15), ("tension", "MPa", 3, 20),
    ("holding", "°C", 250, 480), ("cooling fans", "", 2, 12),
]  # fmt: skip
BOUNDS = [(low, high) for _, _, low, high in SETTINGS]
INTEGRALITY = [name == "cooling fans" for name, *_ in SETTINGS]
LOWER, UPPER = np.array(BOUNDS, dtype=float).T
CENTRE = (LOWER + UPPER) / 2
BASIN, RIM = 0.3, 0.5  # of the trap: its bottom, and where it ends, as a part of the way to the corners


class Plant:
    """Constants of one plant, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([seed, 2026])
        self.length = rng.uniform(12, 24, 5)  # of the zones, m
        self.transfer = rng.uniform(0.025, 0.050, 5)  # of heat in them, 1/s
        self.peak = rng.uniform(740, 840)  # wanted temperatures of the strip, °C
        self.rise = rng.uniform(80, 180)  # how much hotter it should be after zone 5 than after zone 3
        self.grain = rng.uniform(1.5, 2.5)  # wanted logarithm of its size
        self.strength = rng.uniform(0.35, 0.65)  # wanted share of hard phase
        self.holding = rng.uniform(300, 430)  # °C, for the hardness that strip has on average
        self.dew = rng.uniform(4, 10)  # hydrogen for a clean surface, %
        self.flutter = rng.uniform(0, 2 * np.pi)  # phase of the vibration of the strip
        self.fuel, self.hour = rng.uniform(1.2, 1.8), rng.uniform(140, 220)  # prices

    def strip(self, x: np.ndarray) -> np.ndarray:
        """Temperatures of the strip after each zone, °C."""
        now, found = 30.0, np.empty(5)
        share = np.exp(-60 * self.transfer * self.length / x[5])
        for i in range(5):
            now = found[i] = x[i] + (now - x[i]) * share[i]
        return found

    def cost(self, x: np.ndarray) -> float:
        """Euros per tonne."""
        strip, speed, slow, fast, hydrogen, tension, fans = self.strip(x), *x[5:10], x[11]
        seconds = 60 * self.length / speed
        growth = np.log1p((seconds * np.exp((strip - 760) / 45)).sum())
        hard = 1 / (1 + np.exp(-(fast * (0.3 + 0.07 * fans) - 1.2 * slow - 0.1 * (strip[4] - 740) - 30) / 18))
        wrong = [
            (strip[4] - self.peak) / 60,
            (strip[4] - strip[2] - self.rise) / 90,
            (growth - self.grain) / 1.2,
            (hard - self.strength) / 0.25,
            (x[10] - self.holding - 90 * (hard - 0.5)) / 80,
            (hydrogen - self.dew - 0.02 * (strip[4] - 760)) / 6,
            (tension - 6 - 0.05 * speed) / 8,
        ]
        vibration = 0.25 * (1 - np.cos(speed / 4 + tension + self.flutter)) * np.exp(-tension / 25)
        waves = 0.15 * (1 - np.cos(np.diff(x[:5]) / 25)).sum()
        scrap = 1 - np.exp(-0.2 * np.square(wrong).sum() ** 0.75)
        fuel = self.fuel * (((x[:5] + 273) / 1000) ** 4 * self.length).sum() * (0.3 + 20 / speed) / 40
        running = self.hour / speed + 0.12 * hydrogen + 0.012 * fast + 0.004 * fans**2 * (1 + fast / 100)
        return float(3 + fuel + running + vibration + waves + 13 * scrap)

    def buckling(self, x: np.ndarray) -> float:
        """Tension as a part of what the strip carries where it is hottest, with what uneven zones add: at most 1."""
        strip = self.strip(x)
        carries = 22 * np.exp(-(strip.max() - 500) / 260)
        return float(x[9] / carries + np.abs(np.diff(x[:5])).max() / 900)

    def simulate(self, x: np.ndarray) -> tuple[float, float]:
        """Cost and constraint by one simulation, as `constraints="returned"` takes them: at most 0 if feasible."""
        return self.cost(x), self.buckling(x) - 1.0

    def trap(self, x: np.ndarray) -> float:
        """`cost` with a broad basin of bad settings around the centre."""
        r = np.sqrt(np.square(2 * (x - CENTRE) / (UPPER - LOWER)).mean())
        t = np.clip((RIM - r) / (RIM - BASIN), 0, 1)
        inside = t**3 * (10 - 15 * t + 6 * t**2)  # 1 in the basin, 0 outside its rim, smooth between
        return float(inside * (25 + 40 * r**2) + (1 - inside) * self.cost(x)) if inside > 0 else self.cost(x)


def improve(plant: Plant, maxfev: int, seed: int = 1):
    """The best settings found, by the default algorithm."""
    return autov.minimize(
        plant.simulate, BOUNDS, constraints="returned", integrality=INTEGRALITY, maxfev=maxfev, rng=seed, history=True
    )


if __name__ == "__main__":
    budget = 100 if "--quick" in sys.argv else 1000
    plant = Plant(1)
    result = improve(plant, budget)
    for (name, unit, *_), value in zip(SETTINGS, result.x, strict=True):
        print(f"{name:>14}: {value:7.1f} {unit}")
    feasible = int(result.history.feasible.sum())
    print(f"{result.fun:.2f} euros per tonne after {result.nfev} evaluations, {feasible} of them feasible")
