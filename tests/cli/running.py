"""Run the command in this process."""

import pytest

from autov.cli import main


def run(capsys, *arguments):
    """Exit code, standard output and standard error."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    captured = capsys.readouterr()
    return ended.value.code, captured.out, captured.err
