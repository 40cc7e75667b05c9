"""Which problems belong together in plots: the five groups of the BBOB suite, and one mode or many for the others."""

from __future__ import annotations

import re

from autov.problems.classic import NAMES
from autov.problems.more import ADDED_NAMES, ALIASES
from autov.problems.noisy import NOISY_NAMES

_BBOB = (
    (5, "BBOB, separable"), (9, "BBOB, low or moderate conditioning"), (14, "BBOB, high conditioning, unimodal"),
    (19, "BBOB, multimodal, adequate structure"), (24, "BBOB, multimodal, weak structure"),
)  # fmt: skip
_ONE_MODE = (*NAMES[:7], "ellipsoid", "discus", "bent_cigar", "different_powers", "sharp_ridge", "zakharov")


def problem_group(name: str) -> str:
    """The group of a problem, by what its name begins with; "others" for all that autov does not know by name.

    f1 to f7 count as unimodal, f8 to f13 as multimodal, as in Yao, Liu and Lin (1999).
    """
    head = name.partition("+")[0]
    if match := re.fullmatch(r"bbob-f(\d+)", head):
        return next((title for last, title in _BBOB if int(match[1]) <= last), "others")
    if head.startswith("lsgo-"):
        return "large scale"
    if (match := re.fullmatch(r"(?:paper-)?f(\d+)", head)) and 1 <= int(match[1]) <= len(NAMES):
        head = NAMES[int(match[1]) - 1]
    head = ALIASES.get(head, head)
    if head in NOISY_NAMES:
        return "noisy"
    if head not in (*NAMES, *ADDED_NAMES, "penalized_1_plain"):
        return "others"
    return "unimodal" if head in _ONE_MODE else "multimodal"
