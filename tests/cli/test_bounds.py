"""Bounds of each variable, the best point and the result file of `autov minimize`."""

import json

import pytest

from autov.cli.bounds import bounds_of, read_bounds
from autov.core import InputError
from tests.cli.test_commands import run

FUNCTION = "def cost(x):\n    return float(((x - 1) ** 2).sum())\n"


def test_lists_of_numbers_and_single_ones():
    assert bounds_of("0", "2", None, 3) == {"lower": 0.0, "upper": 2.0}
    assert bounds_of(None, None, None, None) == {"lower": None, "upper": None}
    assert bounds_of("0,-1", "2", None, None) == {"bounds": [(0.0, 2.0), (-1.0, 2.0)]}
    for lower, upper, dim in (("0,1", "1,2,3", None), ("0,1", "2", 3), ("a", "1", 1)):
        with pytest.raises(InputError):
            bounds_of(lower, upper, None, dim)


def test_files_of_bounds(tmp_path):
    path = tmp_path / "bounds.csv"
    path.write_text("lower,upper\n# a comment\n-1,2\n0, 3.5\n")
    assert read_bounds(path) == [(-1.0, 2.0), (0.0, 3.5)]
    for text in ("", "lower,upper\n", "1,2\na,b\n", "1,2\n3\n"):
        path.write_text(text)
        with pytest.raises(InputError, match=r"bounds\.csv"):
            read_bounds(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_bounds(tmp_path / "none.csv")
    with pytest.raises(InputError, match="either a file"):
        bounds_of("0", "1", path, 2)


def test_the_command_prints_x_and_writes_the_result(capsys, tmp_path):
    (tmp_path / "cli_cost.py").write_text(FUNCTION)
    (tmp_path / "bounds.csv").write_text("-1,2\n0,3\n")
    out = tmp_path / "result.json"
    code, text, _ = run(
        capsys, "minimize", f"{tmp_path / 'cli_cost.py'}:cost", "--bounds", str(tmp_path / "bounds.csv"), "--runs", "2",
        "--maxfev", "400", "--popsize", "20", "--workers", "1", "--algorithm", "de", "--out", str(out),
    )  # fmt: skip
    assert code == 0
    data = json.loads(out.read_text())
    assert len(data["best_x"]) == 2
    assert f"best point:\n  x1 = {data['best_x'][0]:.8g}, x2 = {data['best_x'][1]:.8g}\n" in text
    assert len(data["values"]) == 2


@pytest.mark.parametrize("options", [("--bounds", "FILE"), ("--lower", "-1,10", "--upper", "2,13"),
                                     ("--dim", "2", "--lower", "-1,10", "--upper", "13")])  # fmt: skip
def test_designs_have_bounds_for_each_variable(capsys, tmp_path, options):
    (tmp_path / "cli_box.py").write_text(
        "def cost(x):\n"
        f"    assert -1 <= x[0] <= {13 if '--dim' in options else 2} and 10 <= x[1] <= 13, x\n"
        "    return float(x.sum())\n"
    )
    (tmp_path / "bounds.csv").write_text("-1,2\n10,13\n")
    given = [str(tmp_path / "bounds.csv") if option == "FILE" else option for option in options]
    code, text, err = run(
        capsys, "design", f"{tmp_path / 'cli_box.py'}:cost", *given, "--space", "operator", "--population", "3",
        "--generations", "0", "--trial-popsize", "4", "--trial-generations", "2", "--runs", "1", "--reevaluate", "0",
        "--no-final-race", "--no-known", "--family", "none", "--retest-runs", "2", "--workers", "1", "--rows", "2",
        "--out", str(tmp_path / "out"), "--json",
    )  # fmt: skip
    assert code == 0, err
    least = -1 + 10
    assert min(json.loads(text)["retested_values"][0]) >= least


def test_designs_refuse_bounds_with_several_dimensions(capsys, tmp_path):
    (tmp_path / "bounds.csv").write_text("-1,2\n")
    code, _, err = run(capsys, "design", "sphere", "--dims", "2,3", "--bounds", str(tmp_path / "bounds.csv"))
    assert code == 2
    assert "dims" in err


def test_functions_of_users_are_compared_within_given_bounds(capsys, tmp_path):
    (tmp_path / "cli_compared.py").write_text(FUNCTION)
    cost, store = f"{tmp_path}/cli_compared.py:cost", str(tmp_path / "r.db")
    command = ["compare", "--algorithms", "de,general", "--problems", f"{cost},sphere", "--maxfev", "200", "--runs",
               "2", "--popsize", "10", "--store", store, "--json"]  # fmt: skip
    code, out, _ = run(capsys, *command, "--dim", "2", "--lower", "-1", "--upper", "3")
    assert code == 0
    assert [row["problem"] for row in json.loads(out)["rows"]] == [cost, "sphere"]
    code, _, err = run(capsys, *command, "--dim", "2")
    assert code == 2
    assert "needs dim, lower and upper, or bounds" in err
    only = ["compare", "--algorithms", "de", "--problems", "sphere", "--lower", "-1", "--store", store]
    code, _, err = run(capsys, *only)
    assert code == 2
    assert "only for file.py:function" in err
