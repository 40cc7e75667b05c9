"""The same call on a cluster: a client of Dask as `workers`, here of a small cluster on this machine.

Needs `pip install ".[dask]"` in a copy of the repository. `Client("tcp://host:8786")` joins a running cluster,
`SLURMCluster` and `KubeCluster` of Dask's other packages start one. Results are identical to those of one machine.
"""

import time

import matplotlib.pyplot as plt
from distributed import Client, LocalCluster

import autov


def simulate(x):
    """A few milliseconds, instead of minutes."""
    time.sleep(0.005)
    return float((x**2).sum() + abs(x[0] * x[1]))


if __name__ == "__main__":
    options = {"maxfev": 400, "popsize": 40, "algorithm": "de", "rng": 1}
    bounds = [(-5, 5)] * 4
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        result = autov.minimize(simulate, bounds, workers=client, **options)
        print(f"{result.fun:.4g} after {result.nfev} evaluations on {len(client.nthreads())} workers")
    alone = autov.minimize(simulate, bounds, **options)
    print("identical to one process:", alone.fun == result.fun)

    result.plot(ax=plt.figure(figsize=(5.6, 3.4)).subplots())
    plt.show()
