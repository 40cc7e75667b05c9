"""A heat exchanger with a material, a pattern of tubes, standard diameters, integers and a logarithmic tolerance.

Nine variables described by name. The simulation, here made up, takes them as keyword arguments and returns cost and
limits together.
"""

import sys

import autov

MATERIALS = {
    "steel": (50.0, 1.0, 1.0),
    "copper": (390.0, 4.2, 0.7),
    "titanium": (22.0, 9.0, 3.0),
    "alloy": (15.0, 5.5, 2.0),
}
PATTERNS = {"square": (1.0, 1.0), "rotated": (1.12, 1.25), "triangle": (1.2, 1.45)}  # heat, pressure

VARIABLES = autov.space(
    material=list(MATERIALS), pattern=list(PATTERNS),  # categories
    diameter=autov.ordered([10, 12, 16, 20, 25, 32]),  # mm, as they are sold
    tubes=range(20, 401), passes=(1, 8, "int"), length=(1.0, 6.0, "step", 0.25),  # m
    velocity=(0.3, 3.0), fouling=(1e-5, 1e-3, "log"),  # m/s, m2 K/W accepted before it is cleaned
    baffle=(0.2, 1.0),
)  # fmt: skip


def simulate(material, pattern, diameter, tubes, passes, length, velocity, fouling, baffle):
    """Cost of a year, and what must not be above zero: too little heat, too much loss of pressure, corrosion."""
    conductivity, price, life = MATERIALS[material]
    heat_factor, pressure_factor = PATTERNS[pattern]
    area = 3.14159 * diameter * 1e-3 * length * tubes
    inside = 1500 * velocity**0.8 * (20 / diameter) ** 0.2
    outside = 900 * heat_factor * (1.2 - 0.5 * baffle) * (passes / 2) ** 0.2
    coefficient = 1 / (1 / inside + 1 / outside + 0.002 / conductivity + fouling)
    heat = coefficient * area * 28 / 1e3  # kW
    pressure = 2.2 * pressure_factor * velocity**1.8 * passes * length / diameter * 10 + 3 / baffle
    cleaning = 12 * (1e-4 / fouling) ** 0.5
    cost = area * price * 9 + cleaning * (1 + tubes / 200) + 0.6 * pressure * velocity * tubes / 50 + 20 * passes
    return cost, [(1200 - heat) / 100, (pressure - 40) / 10, velocity - 0.8 - life]


budget = 150 if "--quick" in sys.argv else 600
result = autov.minimize(simulate, VARIABLES, constraints="returned", maxfev=budget, rng=1, history=True)
print(f"cost {result.fun:.1f} after {result.nfev} evaluations, feasible: {result.maxcv == 0}")
for name, value in result.x.items():
    print(f"  {name:<9} {value:.4g}" if isinstance(value, float) else f"  {name:<9} {value}")
tried = sorted({point["material"] for point in result.history.x})
print(f"{int(result.history.feasible.sum())} of the evaluations were feasible; tried were {', '.join(tried)}")
