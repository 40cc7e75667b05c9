"""The command line: output, JSON, exit codes, one-line errors."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autov
from autov.experiments import Store
from tests.cli.running import run


def test_minimize_prints_a_table(capsys):
    arguments = ("minimize", "sphere", "--dim", "3", "--runs", "3", "--maxfev", "500", "--workers", "1")
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    lines = [line.split() for line in out.replace("│", " ").replace("┃", " ").splitlines()]
    assert ["best", "mean", "std", "median", "worst"] in lines
    values = np.array(json.loads(run(capsys, *arguments, "--json")[1])["values"])
    shown = [values.min(), values.mean(), values.std(ddof=1), np.median(values), values.max()]
    assert [f"{value:.6g}" for value in shown] in lines


def test_minimize_says_that_no_feasible_point_was_found(capsys):
    arguments = (
        "minimize",
        "g06",
        "--algorithm",
        "de",
        "--runs",
        "2",
        "--maxfev",
        "20",
        "--popsize",
        "10",
        "--workers",
        "1",
    )
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert "2 of 2 runs found no feasible point." in out


def test_minimize_json_holds_every_run(capsys):
    arguments = ("minimize", "ackley", "--dim", "4", "--runs", "5", "--maxfev", "600", "--seed", "3", "--json")
    code, out, _ = run(capsys, *arguments, "--workers", "1")
    first = json.loads(out)
    assert code == 0
    assert len(first["values"]) == 5
    assert first["mean"] == pytest.approx(sum(first["values"]) / 5)
    second = json.loads(run(capsys, *arguments, "--workers", "2")[1])
    assert second["values"] == first["values"]


def test_minimize_says_that_a_popsize_is_ignored(capsys):
    with pytest.warns(UserWarning, match=r"^popsize: general has its own population size and ignores 10$") as caught:
        code, out, _ = run(capsys, "minimize", "sphere", "--dim", "2", "--runs", "1", "--maxfev", "20", "--popsize",
                           "10", "--workers", "1", "--json")  # fmt: skip
    assert code == 0
    assert json.loads(out)["popsize"] == 10
    assert [Path(one.filename).name for one in caught] == ["single_run.py"], "once, and of the package: one line"


@pytest.mark.parametrize("algorithm", ["ga", "pso", "de", "cma-es", "fep", "cso", "shade", "imode"])
def test_minimize_with_every_algorithm(capsys, algorithm):
    arguments = (
        "minimize",
        "sphere",
        "--dim",
        "4",
        "--runs",
        "2",
        "--maxfev",
        "400",
        "--popsize",
        "20",
        "--workers",
        "1",
    )
    code, out, _ = run(capsys, *arguments, "--algorithm", algorithm, "--json")
    assert code == 0
    assert json.loads(out)["algorithm"] == algorithm


def test_minimize_a_function_of_a_file(capsys, tmp_path):
    (tmp_path / "bowl_for_cli.py").write_text("def bowl(x):\n    return float((x ** 2).sum())\n")
    where = f"{tmp_path / 'bowl_for_cli.py'}:bowl"
    code, out, _ = run(
        capsys, "minimize", where, "--dim", "2", "--lower", "-1", "--upper", "1", "--runs", "2", "--json"
    )
    assert code == 0
    assert json.loads(out)["best"] < 1e-6


@pytest.mark.parametrize(
    "arguments",
    [
        ("minimize", "nosuch"), ("minimize", "sphere", "--dim", "x"), ("minimize", "sphere", "--dim", "0"),
        ("minimize", "sphere", "--algorithm", "evolution:nosuch"), ("minimize", "sphere", "--algorithm", "nosuch"),
        ("minimize", "sphere", "--nope"), ("minimize",), ("nosuch",), ("show", "nosuch"), ("list", "nosuch"),
        ("check",), ("check", "nosuch"), ("check", "sbx", "--require", "beauty"),
        ("design", "sphere", "--form", "h9"), ("design", "sphere", "--preset", "huge"),
        ("compare", "--algorithms", "nosuch", "--problems", "f1"), ("reproduce", "table-99"),
        ("compare", "--algorithms", "ga", "--problems", "f99"), ("minimize", "f9+rotate=nan"),
        ("minimize", "f9+rotate=inf"), ("design", "sphere", "--lower", "-1", "--upper", "1"),
        ("reproduce", "fig-1", "--out", "/dev/null/x"), ("design", "sphere", "--out", "/dev/null/x"),
        ("minimize", "sphere", "--out", "/dev/null/x"),
        ("minimize", "sphere", "--vectorized"), ("minimize", "f1", "--popsize", "99999999999999999999"),
        ("design", "sphere", "--dims", "10.7"), ("design", "sphere", "--budgets", "1e999"),
        ("show", "evolution:sbx", "--latex"), ("show", "evolution:sbx", "--json"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_code_two(capsys, tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert code == 2
    first, *hints = err.splitlines()
    assert first.startswith("autov: ")
    assert all(line.startswith("hint: ") for line in hints)
    assert len(hints) <= 1
    assert out == ""


def test_evaluations_may_be_written_as_a_power_of_ten(capsys, tmp_path):
    code, _, err = run(capsys, "design", "sphere", "--evaluations", "1e2", "--out", str(tmp_path))
    assert code == 2
    assert "the smallest design needs" in err
    assert "you allow 100 evaluations\nhint: design on a cheap model of the problem (--surrogate)\n" in err


@pytest.mark.parametrize(("file", "more"), [("search.npz", ()), ("search.json", ("--metric", "hypervolume"))])
def test_a_folder_that_holds_a_search_is_refused(capsys, tmp_path, file, more):
    if more:
        pytest.importorskip("pymoo", exc_type=ImportError)
    (tmp_path / file).write_text("")
    code, _, err = run(capsys, "design", "zdt1" if more else "sphere", *more, "--out", str(tmp_path))
    assert code == 2
    said = f"autov: --out: {tmp_path} holds a search\nhint: --resume continues it; or choose another --out\n"
    assert err == said


def test_a_failing_function_is_one_line(capsys, tmp_path):
    (tmp_path / "boom_for_cli.py").write_text("def boom(x):\n    raise ValueError('no')\n")
    where = f"{tmp_path / 'boom_for_cli.py'}:boom"
    code, _, err = run(capsys, "minimize", where, "--dim", "2", "--lower", "-1", "--upper", "1", "--workers", "1")
    assert code == 2
    assert err.startswith("autov: ValueError: no (objective failed at x = [")
    assert err.count("\n") == 1


@pytest.mark.parametrize("known", ["--known", "--no-known"])
def test_every_design_is_printed_beside_known_ones(capsys, tmp_path, known):
    small = (
        "--population",
        "2",
        "--generations",
        "0",
        "--runs",
        "1",
        "--trial-popsize",
        "4",
        "--trial-generations",
        "2",
    )
    fewer = ("--no-final-race", "--retest-runs", "4", "--space", "operator", "--dim", "2", "--workers", "1")
    code, out, _ = run(capsys, "design", "sphere", *small, *fewer, known, "--out", str(tmp_path / "found"))
    assert code == 0
    table = out.partition("held-out instances")[2]
    assert all(re.search(rf"\b{name}\b", table) for name in ("designed", "paper-h3", "uniform crossover"))
    assert "significantly better than the result" in table


@pytest.mark.parametrize(
    ("problem", "noisy"), [("noisy_sphere", True), ("quartic+family=translate", True), ("f1", False)]
)
def test_minimize_says_that_values_are_noisy(capsys, problem, noisy):
    arguments = (
        "minimize",
        problem,
        "--dim",
        "2",
        "--maxfev",
        "40",
        "--runs",
        "2",
        "--workers",
        "1",
    )
    code, out, _ = run(capsys, *arguments)
    assert code == 0
    assert ("optimistic" in out) == noisy
    assert json.loads(run(capsys, *arguments, "--json")[1])["noisy"] == noisy


def test_compare_stores_nothing_unasked(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ("compare", "--algorithms", "de,ga", "--problems", "sphere", "--dim", "2", "--maxfev", "40",
                 "--popsize", "10", "--runs", "2", "--workers", "1")  # fmt: skip
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0
    assert [cell["n"] for cell in json.loads(out)["rows"][0]["cells"].values()] == [2, 2]
    assert "--store" in err
    assert list(tmp_path.iterdir()) == []
    autov.compare("de,ga", "sphere", dim=2, maxfev=40, popsize=10, runs=2, workers=1)
    assert list(tmp_path.iterdir()) == []
    code, _, err = run(capsys, *arguments, "--store", "r.db")
    assert code == 0
    assert "--store" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["r.db"]


@pytest.mark.parametrize("store", [(), ("--store", "r.db")])
def test_an_interrupted_comparison_says_what_is_kept(capsys, tmp_path, monkeypatch, store):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("autov.experiments.compare", interrupted)
    code, _, err = run(capsys, "compare", "--algorithms", "de", "--problems", "sphere", *store)
    assert code == 130
    assert ("r.db" in err) == bool(store)
    assert ("--store" in err) == (not store)


def test_compare_and_repeat(capsys, tmp_path):
    arguments = ("compare", "--algorithms", "de,paper-h3", "--problems", "f1,f9", "--dim", "3", "--maxfev", "300",
                 "--popsize", "20", "--store", str(tmp_path / "r.db"), "--workers", "1")  # fmt: skip
    code, out, _ = run(capsys, *arguments, "--runs", "3", "--out", str(tmp_path / "out"))
    assert code == 0
    heads = [line.replace("│", " ").split()[:1] for line in out.splitlines()]
    assert [head[0] for head in heads if head in (["f1"], ["f9"])] == ["f1", "f9"]
    assert {p.name for p in (tmp_path / "out").iterdir()} >= {"report.html", "convergence.svg", "table.md", "table.tex"}
    code, out, _ = run(capsys, *arguments, "--runs", "4", "--json")
    assert code == 0
    rows = json.loads(out)["rows"]
    assert [row["problem"] for row in rows] == ["f1", "f9"]
    assert all(cell["n"] == 4 and np.isfinite(cell["mean"]) for row in rows for cell in row["cells"].values())
    with Store(tmp_path / "r.db") as store:
        assert sorted(row.run for row in store.rows()) == sorted([0, 1, 2, 3] * 4)


def test_module_and_help_start_without_heavy_imports():
    script = "import sys, autov.cli.app; print([m for m in ('numba', 'scipy', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    shown = subprocess.run([sys.executable, "-m", "autov", "--help"], capture_output=True, text=True, check=True)
    assert "minimize" in shown.stdout


PRINTING = (
    "import autov\n\n\ndef loud(x):\n    print('hello')\n    return float((x**2).sum())\n\n\n"
    "problem = autov.function_problem(loud, [(-1, 1)] * 2, name='loud')\n"
)


@pytest.mark.cold
@pytest.mark.parametrize(
    "arguments",
    [
        ("minimize", "PLACE", "--runs", "2", "--maxfev", "20", "--popsize", "10", "--workers", "1"),
        ("minimize", "PLACE", "--runs", "1", "--maxfev", "20", "--popsize", "10", "--workers", "2"),
        ("compare", "--algorithms", "de", "--problems", "PLACE", "--runs", "2", "--maxfev", "20", "--popsize", "10",
         "--workers", "1", "--store", "STORE"),
        ("design", "PLACE", "--population", "3", "--generations", "0", "--trial-popsize", "4",
         "--trial-generations", "1", "--runs", "1", "--no-final-race", "--retest-runs", "2", "--workers", "1",
         "--out", "OUT"),
    ],
)  # fmt: skip
def test_json_is_one_document_whatever_functions_print(tmp_path, arguments):
    (tmp_path / "loud_for_cli.py").write_text(PRINTING)
    places = {"PLACE": f"{tmp_path / 'loud_for_cli.py'}:problem", "STORE": str(tmp_path / "r.db"), "OUT": str(tmp_path)}
    command = [sys.executable, "-m", "autov", *(places.get(word, word) for word in arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert isinstance(json.loads(done.stdout), dict)
    assert "hello" in done.stderr


def test_instances_logs_and_data_of_bbob(capsys, tmp_path):
    pytest.importorskip("ioh", exc_type=ImportError)
    code, out, err = run(
        capsys, "compare", "--algorithms", "de,ga", "--problems", "bbob-f1..bbob-f2", "--instances", "1..2,7", "--dim",
        "2", "--maxfev", "60", "--popsize", "10", "--runs", "3", "--workers", "1", "--store", str(tmp_path / "r.db"),
        "--ioh-logs", str(tmp_path / "ioh"), "--coco-data", str(tmp_path / "coco"), "--json",
    )  # fmt: skip
    assert code == 0
    measured = json.loads(out)["measures"]
    assert [row["algorithm"] for row in measured["rows"]] == ["de", "ga"]
    assert measured["columns"] == ["targets reached", "area under ECDF", "rank of medians"]
    assert [row["problem"] for row in json.loads(out)["rows"]] == [f"bbob-f{i}+instance=1..2_7" for i in (1, 2)]
    assert str(tmp_path / "ioh" / "de") in err
    assert "1:60|" in (tmp_path / "coco" / "ga" / "bbobexp_f2.info").read_text()
    log = json.loads((tmp_path / "ioh" / "ga" / "IOHprofiler_f1_Sphere.json").read_text())
    assert [entry["instance"] for entry in log["scenarios"][0]["runs"]] == [1, 2, 7]
    code, out, _ = run(
        capsys, "minimize", "bbob-f1", "--instances", "3", "--dim", "2", "--maxfev", "50", "--runs", "2",
        "--workers", "1", "--json",
    )  # fmt: skip
    assert (code, json.loads(out)["problem"]) == (0, "bbob-f1+instance=3")
    code, _, err = run(capsys, "design", "sphere", "--instances", "1..5")
    assert (code, err) == (2, "autov: --instances: only bbob-f1..bbob-f24 and ma-bbob have them, got sphere\n")


def test_measures_are_printed_and_written_where_minima_are_known(capsys, tmp_path):
    options = ("--dim", "2", "--maxfev", "200", "--popsize", "10", "--runs", "2", "--workers", "1", "--store")
    store = (*options, str(tmp_path / "r.db"))
    code, out, _ = run(
        capsys,
        "compare",
        "--algorithms",
        "de,paper-h3",
        "--problems",
        "sphere,levy",
        *store,
        "--out",
        str(tmp_path / "o"),
    )
    assert code == 0
    assert "area under ECDF" in out
    names = {path.name for path in (tmp_path / "o").iterdir()}
    assert {"ecdf.svg", "ecdf-groups.svg", "profile.svg", "ert.md", "ert.csv", "measures.md", "measures.csv"} <= names
    assert run(capsys, "compare", "--algorithms", "de", "--problems", "sphere", *store, "--format", "csv")[1].count(
        "problem"
    ) == 1  # fmt: skip
    unknown = run(capsys, "compare", "--algorithms", "de,paper-h3", "--problems", "paper-f8", *store)[1]
    assert "ECDF" not in unknown


def test_an_operator_for_nsga2(capsys, tmp_path):
    pytest.importorskip("pymoo", exc_type=ImportError)
    arguments = (
        "design", "zdt1", "dtlz2", "--metric", "hypervolume", "--dim", "5", "--rows", "2", "--population", "3",
        "--generations", "1", "--runs", "1", "--trial-popsize", "8", "--trial-generations", "3", "--workers", "1",
        "--seed", "1", "--out", str(tmp_path / "out"),
    )  # fmt: skip
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    data = json.loads(out)
    operator = autov.load_operator(data["files"]["operator.json"])
    assert operator.inputs == ("x1", "x2", "lower", "upper")
    assert operator.rows == 2
    assert 0 <= data["fitness"] <= 1
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert "--resume" in err
    code, out, _ = run(capsys, *arguments, "--resume")
    assert code == 0
    lines = [re.sub("[│┃|]", " ", line).strip() for line in out.splitlines()]
    cells = [line.rsplit(maxsplit=1) for line in lines if re.search(r"\s[01]\.[0-9]{4}$", line)]
    table = {label.strip(): float(value) for label, value in cells}
    assert table == pytest.approx({"designed": data["fitness"], **data["baselines"]}, abs=6e-5)
    assert set(data["baselines"]) == {"SBX + PM"}  # two rows are too few for the baselines
    assert data["budget"] == "24 evaluations a run (population 8), 1 runs on each of 2 problems"
    assert data["budget"] in " ".join(out.split())
    assert ("stay with SBX + PM" in out) == (data["fitness"] >= data["baselines"]["SBX + PM"])
    code, _, err = run(capsys, *arguments[:3], "--metric", "time")
    assert code == 2
    assert "metric" in err


@pytest.mark.parametrize(
    "command",
    [
        ["minimize", "OWN", "--dim", "2", "--lower", "0", "--upper", "1", "--workers", "1", "--out", "BLOCKED/x.json"],
        ["design", "OWN", "--preset", "quick", "--workers", "1", "--out", "BLOCKED/folder"],
        ["compare", "--algorithms", "ga", "--problems", "OWN", "--store", "STORE", "--out", "BLOCKED/folder"],
        ["reproduce", "table-1", "--runs", "1", "--store", "STORE", "--save", "BLOCKED/x.json"],
        ["reproduce", "table-1", "--runs", "1", "--store", "STORE", "--out", "BLOCKED/folder"],
    ],
    ids=["minimize", "design", "compare", "reproduce-save", "reproduce-out"],
)
def test_a_place_that_cannot_be_written_is_told_before_anything_is_run(capsys, tmp_path, command):
    (tmp_path / "blocked").write_text("a file, no folder")
    (tmp_path / "own.py").write_text(
        f"import autov\n\ndef fun(x):\n    open({str(tmp_path / 'called')!r}, 'w').close()\n    return 1.0\n\n"
        "problem = autov.function_problem(fun, [(0, 1)] * 2, key='own')\n"
    )
    own = f"{tmp_path}/own.py:{'fun' if command[0] == 'minimize' else 'problem'}"
    store = tmp_path / "r.db"
    places = {"OWN": own, "STORE": str(store), "BLOCKED": str(tmp_path / "blocked")}
    for word, place in places.items():
        command = [part.replace(word, place) for part in command]
    code, _, err = run(capsys, *command)
    assert code == 2
    assert re.fullmatch(rf"autov: (--out: )?{re.escape(str(tmp_path))}/blocked/.*: cannot be written: .*\n", err)
    assert not (tmp_path / "called").exists()
    assert not store.exists()


@pytest.mark.cold
def test_warnings_of_the_package_are_one_line_and_those_of_others_stay(tmp_path):
    """As the one that compiled code is kept in a temporary folder, which has no `autov:` before it twice."""
    (tmp_path / "loud.py").write_text(
        "import warnings\n\ndef loud(x):\n    warnings.warn('mine', stacklevel=1)\n    return float(x @ x)\n"
    )
    text = (
        "import warnings, autov.compiler.cache as cache\nfrom autov.cli import main\n"
        "warn = \"warnings.warn('autov: kept\\\\nelsewhere', RuntimeWarning, stacklevel=1)\"\n"
        "from autov.cli import minimize\n"
        "import autov.engines\nnamed = autov.engines.named_engine\n"
        "def told(*args):\n"
        "    exec(compile(warn, cache.__file__, 'exec'))\n    return named(*args)\n"
        "autov.engines.named_engine = told\n"
        f"main(['minimize', {str(tmp_path / 'loud.py') + ':loud'!r}, '--dim', '2', '--lower=-1', '--upper', '1', "
        "'--maxfev', '20', '--popsize', '10', '--workers', '1', '--algorithm', 'ga', '--runs', '1'])"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    lines = done.stderr.splitlines()
    assert "autov: kept elsewhere" in lines
    assert any(line.endswith("loud.py:4: UserWarning: mine") for line in lines)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("kind", ["MemoryError", "FileNotFoundError", "BrokenPipeError"])
def test_the_point_is_named_whatever_a_function_raises(tmp_path, capsys, kind, workers):
    """Errors of this kind may come from autov itself, too; then there is no point. They have no single text."""
    (tmp_path / "raising_for_cli.py").write_text(f"def fun(x):\n    raise {kind}(5, 'no')\n")
    code, _, err = run(
        capsys, "minimize", f"{tmp_path / 'raising_for_cli.py'}:fun", "--dim", "2", "--lower=-1", "--upper=1",
        "--maxfev", "20", "--popsize", "10", "--algorithm", "ga", "--runs", "1", "--workers", workers,
    )  # fmt: skip
    assert code == 2
    assert re.match(rf"autov: {kind}: .*no.*; objective failed at x = \[", err.strip().splitlines()[-1])


def test_check_finds_out_whether_a_file_or_a_name_is_an_algorithm(tmp_path, capsys):
    path = tmp_path / "optimizer.json"
    autov.algorithms.files.save_algorithm(autov.algorithms.resolve_algorithm("de+F=0.7"), path)
    for name in (str(path), "de"):
        code, out, _ = run(capsys, "check", name, "--dim", "2")
        assert code == 0
        assert f"Trajectories of {name} on rosenbrock" in " ".join(out.split())
    operator = tmp_path / "operator.json"
    autov.load_operator("paper-h3").save(operator)
    for name in (str(operator), "paper-h3"):
        code, out, _ = run(capsys, "check", name, "--dim", "2")
        assert "Trajectories" not in out
        assert "theorem" in out
    code, _, err = run(capsys, "check", str(path), "--draw", "solution")
    assert code != 0
    assert "for operators" in err


def test_check_takes_what_is_behind_a_file_and_algorithms_of_the_users(tmp_path, capsys):
    own, path = "examples/own_member.py:TunedSearch", tmp_path / "optimizer.json"
    members = autov.core.import_object(own)(), autov.algorithms.resolve_algorithm("ma-es")
    autov.algorithms.files.save_algorithm(autov.algorithms.portfolio.Portfolio(members), path)
    for name in (
        f"{path}+own={own}",
        f"{path}+polish=0+own={own}",
        own,
        "evolution:examples/own_operator.py:swap_and_step",
    ):
        code, out, err = run(capsys, "check", name, "--dim", "2")
        assert code == 0, err
        assert f"Trajectories of {name} on rosenbrock" in " ".join(out.split())
    code, _, err = run(capsys, "check", str(path))
    assert code == 2
    assert "+own=file.py:Name" in err
    code, out, _ = run(capsys, "check", "examples/own_operator.py:swap_and_step", "--dim", "2", "--parents", "2")
    assert "Invariance of" in out
