"""The same model is fitted to new data every week: rate constants of a batch reaction, at another temperature.

A makes B, B makes C in an equilibrium, and A makes the side product D on a catalyst that loses its activity. Eight
numbers are fitted to 60 concentrations: logarithms of four rate constants, the order of the first reaction, the rate at
which the catalyst dies, a dead time, and the response of the detector. The constants follow Arrhenius' law, so the
temperature and the mass of catalyst of a week say where the fit will lie. They are its context.

    python examples/fit_kinetics.py
"""

import math
import tempfile
from pathlib import Path

import numpy as np
from numba import njit

import autov

NAMES = ("log_k1", "log_k2", "log_k_back", "log_k_side", "order", "log_death", "dead_time", "response")
BOUNDS = [(-6.0, 3.0), (-6.0, 3.0), (-8.0, 2.0), (-8.0, 2.0), (0.3, 2.5), (-8.0, 0.0), (0.0, 2.0), (0.5, 2.0)]
TIMES, STEPS, HOURS = 20, 120, 12.0
GAS, REFERENCE = 8.314e-3, 345.0  # kJ / (mol K); K
FACTORS = {"log_k1": 55.0, "log_k2": 70.0, "log_k_back": 95.0, "log_k_side": 110.0, "log_death": 80.0}  # kJ / mol


@njit
def concentrations(x, out):
    """A, B and C at 20 times, by Heun's method."""
    k1, k2, back, side, death = np.exp(x[0]), np.exp(x[1]), np.exp(x[2]), np.exp(x[3]), np.exp(x[5])
    a, b, c, dt = 1.0, 0.0, 0.0, HOURS / STEPS
    for step in range(STEPS):
        time = step * dt
        if time >= x[6]:
            da, db, dc = 0.0, 0.0, 0.0
            a1, b1, c1 = a, b, c
            for half in range(2):
                alive = math.exp(-death * (time + half * dt - x[6]))
                first, second = alive * k1 * max(a1, 0.0) ** x[4], k2 * b1 - back * c1
                lost = alive * side * max(a1, 0.0)
                da, db, dc = da - 0.5 * (first + lost), db + 0.5 * (first - second), dc + 0.5 * second
                if half == 0:
                    a1, b1, c1 = a - dt * (first + lost), b + dt * (first - second), c + dt * second
            a, b, c = max(a + dt * da, 0.0), max(b + dt * db, 0.0), max(c + dt * dc, 0.0)
        if (step + 1) % (STEPS // TIMES) == 0:
            row = (step + 1) // (STEPS // TIMES) - 1
            out[row, 0], out[row, 1], out[row, 2] = a, b, x[7] * c


def conditions(number):
    """Temperature (K) and catalyst (g) of a week."""
    rng = np.random.default_rng([number, 1])
    return float(rng.uniform(325, 365)), float(rng.uniform(0.5, 2.0))


def truth(number):
    """The model behind the data of a week; the catalyst of each batch differs a little."""
    temperature, catalyst = conditions(number)
    rng = np.random.default_rng([number, 2])
    at_reference = {"log_k1": -1.0, "log_k2": -1.3, "log_k_back": -2.8, "log_k_side": -3.0, "log_death": -3.0}
    away = (1 / REFERENCE - 1 / temperature) / GAS
    logs = {name: at_reference[name] + FACTORS[name] * away + 0.15 * rng.standard_normal() for name in FACTORS}
    for name in ("log_k1", "log_k_side"):
        logs[name] += math.log(catalyst)
    others = {"order": rng.normal(1.2, 0.1), "dead_time": rng.uniform(0.2, 0.6), "response": rng.normal(1.1, 0.05)}
    values = np.array([(logs | others)[name] for name in NAMES])
    return np.clip(values, *np.transpose(BOUNDS))


def week(number):
    """The fit of one week, compiled: the root mean square of what the model leaves, in standard deviations."""
    data, noise = np.empty((TIMES, 3)), 0.01
    concentrations(truth(number), data)
    data += noise * np.random.default_rng([number, 3]).standard_normal(data.shape)

    @njit
    def misfit(x):
        found = np.empty((TIMES, 3))
        concentrations(x, found)
        return math.sqrt(((found - data) ** 2).mean()) / noise

    return autov.function_problem(misfit, BOUNDS, name=f"week-{number}")


def context(number):
    """What is known of a week before its fit, in the form in which it acts: 1 / T, and the logarithm of the mass."""
    temperature, catalyst = conditions(number)
    return [1000 / temperature, math.log(catalyst)]


def main(weeks=4, maxfev=300):
    """Fit some weeks one after the other; every run learns from those before it."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"
        for number in range(1, weeks + 1):
            shared = {"maxfev": maxfev, "rng": number}
            cold = autov.minimize(week(number), **shared)
            warm = autov.minimize(week(number), store=store, learn_from=store, context=context(number), **shared)
            print(f"week {number}, {maxfev} evaluations: cold {cold.fun:.3f}, with earlier weeks {warm.fun:.3f}")


if __name__ == "__main__":
    main()
