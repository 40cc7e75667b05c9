"""A backend of matplotlib whose ``show`` writes the current figure to the file that AUTOV_PICTURE names.

With ``MPLBACKEND=module://picture_backend`` an example is run as it stands, and its picture is kept.
"""

from __future__ import annotations

import os

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

FigureCanvas, FigureManager = FigureCanvasAgg, FigureManagerBase
STYLE = {"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "paper-h3", "axes.spines.top": False,
         "axes.spines.right": False}  # fmt: skip
mpl.rcParams.update(STYLE)


def show(*_args: object, **_options: object) -> None:
    """Keep the picture; the same figure gives the same bytes."""
    picture = os.environ["AUTOV_PICTURE"]
    plt.gcf().savefig(picture, metadata={"Date": None} if picture.endswith("svg") else None, bbox_inches="tight")
