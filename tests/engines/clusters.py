"""One small Dask cluster for all tests that need one: two processes, no dashboard, this machine only."""

import pytest

pytest.importorskip("distributed")

import dask
import distributed


@pytest.fixture(scope="session")
def client():
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1, "distributed.comm.retry.count": 0}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            host="127.0.0.1",
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as made,
    ):
        yield made


@pytest.fixture
def whole(client):
    """The client, when both workers are there again."""
    client.wait_for_workers(2, timeout=60)
    return client
