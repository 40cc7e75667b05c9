"""``autov explain``, and what ``autov design`` says about its result."""

import json
import re

from tests.cli.running import run

SMALL = ["--dim", "2", "--population", "4", "--generations", "1", "--trial-popsize", "6", "--trial-generations", "5",
         "--runs", "2", "--race-runs", "2", "--retest-runs", "3", "--members", "ma-es", "--workers", "1"]  # fmt: skip


def test_a_folder_is_explained(capsys, tmp_path):
    folder = str(tmp_path / "mine")
    code, out, _ = run(capsys, "design", "sphere", *SMALL, "--out", folder, "--json")
    told = json.loads(out)
    assert code == 0
    assert {"elsewhere", "parts"} <= set(told)
    assert told["elsewhere"]["evaluations"] + told["parts"]["evaluations"] <= 0.07 * told["evaluations"]
    code, out, _ = run(capsys, "explain", folder, "--runs", "3", "--workers", "1", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["problems"] == ["sphere+family=translate"]
    assert found["candidates"] == 8
    assert (tmp_path / "mine" / "explanation.html").read_text().startswith("<!DOCTYPE html>")
    code, out, err = run(capsys, "explain", folder, "sphere", "--dim", "2", "--maxfev", "30", "--runs", "2",
                         "--workers", "1")  # fmt: skip
    assert code == 0
    assert "\nreport: autov open " in out
    assert re.match(r"\d+ variants, 2 runs of each on 1 problem: [\d,]+ evaluations\n", err)
    assert run(capsys, "explain", "de", "sphere", "--dim", "2", "--maxfev", "30", "--runs", "2")[2] == (
        "no variants to run\n"
    )  # fmt: skip


def test_a_folder_with_a_member_of_the_users_is_explained(capsys, tmp_path):
    own, folder = "examples/own_member.py:TunedSearch", tmp_path / "mine"
    code, *_ = run(capsys, "design", "sphere", *SMALL, "--members", f"ma-es,{own}", "--no-known", "--no-insight",
                   "--out", str(folder), "--json")  # fmt: skip
    assert code == 0
    for name in (f"{folder}+own={own}", f"{folder}/optimizer.json+polish=0+own={own}"):
        code, out, err = run(capsys, "explain", name, "--runs", "2", "--workers", "1")
        assert code == 0, err
        assert "without ma-es" in " ".join(out.split())
        assert f"--algorithms {folder}/optimizer.json+" in " ".join(err.split())
        assert (folder / "explanation.html").is_file()
    code, _, err = run(capsys, "explain", str(folder))
    assert code == 2
    assert "+own=file.py:Name" in err


def test_no_insight_makes_no_runs_of_its_own(capsys, tmp_path):
    code, out, _ = run(capsys, "design", "sphere", *SMALL, "--out", str(tmp_path / "x"), "--no-insight", "--json")
    assert code == 0
    assert "elsewhere" not in json.loads(out)


def test_names_and_bad_input(capsys):
    code, _, err = run(capsys, "explain", "de+F=0.9", "sphere", "--dim", "2", "--maxfev", "40", "--runs", "2",
                       "--workers", "1")  # fmt: skip
    assert code == 0
    assert "de+F=0.9,de+F=0.9+F=0.5" in err
    code, _, err = run(capsys, "explain", "general")
    assert (code, err) == (2, "autov: problems: needed, unless a design or its folder is explained\n")
