"""Statistics of runs: summaries, rank-sum marks, average ranks. Arrays of final values in, plain numbers out."""

from autov.stats.ranks import average_ranks, critical_difference, friedman
from autov.stats.ranksum import holm, mark, rank_sum
from autov.stats.scores import Cell, Scores, score
from autov.stats.summary import Summary, summarise

__all__ = [
    "Cell", "Scores", "Summary", "average_ranks", "critical_difference", "friedman", "holm", "mark", "rank_sum",
    "score", "summarise",
]  # fmt: skip
