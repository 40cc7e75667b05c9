"""Statistics of runs: summaries, rank-sum marks, average ranks, targets reached. Arrays in, plain numbers out."""

from autov.stats.ranks import average_ranks, critical_difference, friedman
from autov.stats.ranksum import holm, least_p, mark, rank_sum
from autov.stats.scores import Score, Scores, score
from autov.stats.summary import Summary, summarise
from autov.stats.targets import TARGETS, ecdf, ecdf_area, expected_running_time, hits, performance_profile
from autov.stats.wins import wins

__all__ = [
    "TARGETS", "Score", "Scores", "Summary", "average_ranks", "critical_difference", "ecdf", "ecdf_area",
    "expected_running_time", "friedman", "hits", "holm", "least_p", "mark", "performance_profile", "rank_sum", "score",
    "summarise", "wins",
]  # fmt: skip
