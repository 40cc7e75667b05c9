"""A slow, obvious twin of the matrix adaptation kernels: the paper's equations in NumPy, one point at a time."""

from __future__ import annotations

import math

import numpy as np

from autov.kernels import random as stream
from tests import naive


def popsize_of(settings, d, maxfev):
    if settings.popsize is not None:
        return settings.popsize
    more = max(1, maxfev / (50 * d)) ** settings.popsize_budget
    return max(4, int(settings.popsize_factor * (4 + math.floor(3 * math.log(d))) * more))


def rates(settings, n, d):
    """Weights (n,) and mu_eff, c_s, d_s, c_c, c_1, c_mu."""
    raw = math.log((n + 1) / 2) - np.log(np.arange(1, n + 1))
    mu = n // 2
    good, bad = raw[:mu], raw[mu:]
    mu_eff = good.sum() ** 2 / (good**2).sum()
    bad_eff = bad.sum() ** 2 / (bad**2).sum()
    c_s = min(1, settings.c_sigma_factor * (mu_eff + 2) / (d + mu_eff + 5))
    d_s = settings.d_sigma_factor * (1 + 2 * max(0, math.sqrt((mu_eff - 1) / (d + 1)) - 1) + c_s)
    c_c = min(1, settings.c_c_factor * (4 + mu_eff / d) / (d + 4 + 2 * mu_eff / d)) if settings.paths == "two" else c_s
    c_1 = min(1, settings.c_1_factor * 2 / ((d + 1.3) ** 2 + mu_eff))
    c_mu = max(0, min(1 - c_1, settings.c_mu_factor * 2 * (mu_eff - 2 + 1 / mu_eff) / ((d + 2) ** 2 + mu_eff)))
    strength = 0.0
    if c_mu > 0:
        strength = min(1 + c_1 / c_mu, 1 + 2 * bad_eff / (mu_eff + 2), (1 - c_1 - c_mu) / (d * c_mu))
    weights = np.concatenate([good / good.sum(), settings.negative * strength * bad / abs(bad.sum())])
    return weights, mu_eff, c_s, d_s, c_c, c_1, c_mu


def inside(y, bounds, margin):
    """A coordinate of any size to [0, 1]."""
    if bounds == "clip":
        return min(max(y, 0.0), 1.0)
    edge = margin if bounds == "smooth" else 0.0
    while not -edge <= y <= 1 + edge:
        y = -2 * edge - y if y < 0 else 2 + 2 * edge - y  # mirror
    if y < edge:
        return (y + edge) ** 2 / (4 * edge)
    if y > 1 - edge:
        return 1 - (1 + edge - y) ** 2 / (4 * edge)
    return y


def outside(u, bounds, margin):
    """Where `inside` takes to u, by bisection: it is increasing between its mirrors."""
    if bounds != "smooth":
        return u
    low, high = -margin, 1 + margin
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle, bounds, margin) < u else (low, middle)
    return low


class Strategy:
    """One whole strategy with attributes that change."""

    def __init__(self, settings, key, lower, upper, capacity, maxfev):
        self.settings, self.key, self.lower, self.upper, self.capacity = settings, key, lower, upper, capacity
        d = len(lower)
        self.generation, self.runs = 0, 1
        self.base = self.large = popsize_of(settings, d, maxfev)
        self.small, self.spent_small, self.spent_large, self.last_large = False, 0, 0, 0
        self.best_x, self.best_f = None, math.inf
        self.mean = np.full(d, 0.5) if settings.first_mean == "centre" else self.uniform(stream.POPULATION, d)
        self.begin(self.base, settings.sigma, math.inf)

    def uniform(self, purpose, count):
        first, second = stream.subkey(self.key, self.generation, purpose)
        return np.array([(word >> 11) * 2.0**-53 for word in naive.bits(int(first), int(second), 0, count)])

    def begin(self, n, sigma, limit):
        d = len(self.lower)
        self.n, self.sigma, self.limit = n, sigma, limit
        self.M, self.s, self.s_slow = np.eye(d), np.zeros(d), np.zeros(d)
        self.age = self.improved = 0
        self.run_best, self.window = math.inf, []

    def ask(self):
        n, d = self.n, len(self.lower)
        first, second = stream.subkey(self.key, self.generation, stream.NORMALS)
        count = n * d + n * d % 2
        self.z = naive.normals(int(first), int(second), 0, count)[: n * d].reshape(n, d)
        self.d = np.array([self.M @ z for z in self.z])
        y = self.mean + self.sigma * self.d
        unit = np.array([[inside(v, self.settings.bounds, self.settings.margin) for v in point] for point in y])
        return self.lower + unit * (self.upper - self.lower)

    def tell(self, x, f):
        n, d = self.n, len(self.lower)
        w, mu_eff, c_s, d_s, c_c, c_1, c_mu = rates(self.settings, n, d)
        order = sorted(range(n), key=lambda i: f[i])
        if f[order[0]] < self.best_f:
            self.best_x, self.best_f = x[order[0]].copy(), f[order[0]]
        z_mean = sum(w[r] * self.z[order[r]] for r in range(n // 2))
        self.mean = self.mean + self.sigma * sum(w[r] * self.d[order[r]] for r in range(n // 2))
        if self.settings.bounds == "clip":
            self.mean = np.clip(self.mean, 0, 1)
        self.s = (1 - c_s) * self.s + math.sqrt(mu_eff * c_s * (2 - c_s)) * z_mean
        self.s_slow = (1 - c_c) * self.s_slow + math.sqrt(mu_eff * c_c * (2 - c_c)) * z_mean
        rank_mu = np.zeros((d, d))
        for r in range(n):
            z = self.z[order[r]]
            rank_mu += w[r] * (1 if r < n // 2 else d / (z @ z)) * np.outer(z, z)
        eye = np.eye(d)
        change = c_1 / 2 * (np.outer(self.s_slow, self.s_slow) - eye) + c_mu / 2 * (rank_mu - w.sum() * eye)
        self.M = self.M @ (eye + change)
        expected = math.sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d * d))
        self.sigma *= math.exp(min(1, c_s / d_s * (np.linalg.norm(self.s) / expected - 1)))
        longest = max(np.linalg.norm(row) for row in self.M)
        self.sigma = min(self.sigma, max(self.settings.longest, self.settings.sigma) / longest)
        self.generation += 1
        self.age += 1
        if self.settings.restarts != "none" and self.ended(min(f), self.sigma * longest):
            self.restart()

    def ended(self, value, deviation):
        spread = len(self.lower) / self.n
        if value < self.run_best:
            self.run_best, self.improved = value, self.age
        self.window.append(value)
        full = len(self.window) >= 10 + 30 * spread
        flat = full and max(self.window) <= min(self.window) + self.settings.tol_f * abs(min(self.window))
        if full:
            self.window = []
        stuck = self.age - self.improved > self.settings.patience * (60 + 30 * spread)
        return stuck or flat or deviation < self.settings.tol_x or self.age * self.n >= self.limit

    def restart(self):
        used = self.age * self.n
        if self.small:
            self.spent_small += used
        elif self.runs > 1:
            self.spent_large += used
            self.last_large = used
        self.runs += 1
        sigma, limit = self.settings.sigma * self.settings.restart_sigma, math.inf
        self.small = self.settings.restarts == "bipop" and self.spent_small < self.spent_large
        if self.small:
            u = self.uniform(stream.RESTART, 2)
            n = int(self.base * max(1, self.large / self.base / 2) ** (u[0] ** 2))
            sigma, limit = sigma * 10 ** (-2 * u[1]), self.last_large // 2
        else:
            n = int(self.large * self.settings.growth)
            n = self.large = n if n <= self.capacity else self.base
        if self.settings.restart_mean == "uniform" or (self.settings.restart_mean == "mixed" and not self.small):
            self.mean = self.uniform(stream.POPULATION, len(self.lower))
        else:
            unit = (self.best_x - self.lower) / (self.upper - self.lower)
            self.mean = np.array([outside(v, self.settings.bounds, self.settings.margin) for v in unit])
        self.begin(n, sigma, limit)
