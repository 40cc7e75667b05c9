"""Statistics of runs: summaries, marks, effect sizes, average ranks, targets reached. Arrays in, plain numbers out."""

from autov.stats.floor import SOLVED, floored
from autov.stats.ranks import average_ranks, critical_difference, friedman
from autov.stats.ranksum import holm, least_p, mark, rank_sum
from autov.stats.scores import Score, Scores, score
from autov.stats.signedrank import Posterior, bayesian_signed_rank, least_signed_p, signed_rank
from autov.stats.summary import Summary, summarise
from autov.stats.targets import TARGETS, ecdf, ecdf_area, expected_running_time, hits, performance_profile
from autov.stats.versus import Versus, one_with_many, ratio_of_medians, versus
from autov.stats.welch import Moments, welch
from autov.stats.wins import wins

__all__ = [
    "SOLVED", "TARGETS", "Moments", "Posterior", "Score", "Scores", "Summary", "Versus", "average_ranks",
    "bayesian_signed_rank", "critical_difference", "ecdf", "ecdf_area", "expected_running_time", "floored",
    "friedman", "hits", "holm", "least_p", "least_signed_p", "mark", "one_with_many", "performance_profile",
    "rank_sum", "ratio_of_medians", "score", "signed_rank", "summarise", "versus", "welch", "wins",
]  # fmt: skip
