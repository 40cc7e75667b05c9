"""What a page does in a browser: values on hover, lines hidden by a click, copy buttons. No server, nothing loaded.

Artists that `canvas.series` has named become elements with the attribute ``data-series``. A plot has tables of places
and values of its axes in ``data-x`` and ``data-y``, with which the script turns places into values.
"""

from __future__ import annotations

import html
import json
import re

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autov.reports.canvas import SERIES

SAMPLES = 33


def with_values(text: str, figure: Figure) -> str:
    """The SVG of a figure of one axes with tables of its axes; others as they are."""
    text = re.sub(rf' id="{SERIES}([^"]*)"', lambda found: f' class="series" data-series="{found[1]}"', text)
    if len(figure.axes) != 1 or 'class="series"' not in text:
        return text
    ax = figure.axes[0]
    kind = "points" if len(ax.collections) and not any(_named(line) for line in ax.lines) else "lines"
    tables = {
        "data-x": _table(ax, 0),
        "data-y": _table(ax, 1),
        "data-kind": kind,
        "data-name": ax.get_xlabel(),
        "data-label": ax.get_ylabel(),
    }
    told = "".join(f' {name}="{html.escape(str(value))}"' for name, value in tables.items())
    return text.replace("<svg ", f"<svg{told} ", 1)


def _named(artist: object) -> bool:
    return str(getattr(artist, "get_gid", lambda: "")() or "").startswith(SERIES)


def _table(ax: Axes, axis: int) -> str:
    """Places on an axis in units of the SVG, and the values there."""
    low, high = ax.bbox.get_points()[:, axis]
    places = np.linspace(low, high, SAMPLES)
    points = np.zeros((SAMPLES, 2)) + ax.bbox.get_points()[0]
    points[:, axis] = places
    values = ax.transData.inverted().transform(points)[:, axis]
    scale = 72.0 / ax.figure.dpi
    shown = places * scale if axis == 0 else ax.figure.bbox.height * scale - places * scale
    return json.dumps([[round(float(a), 2), float(f"{b:.6g}")] for a, b in zip(shown, values, strict=True)])


SCRIPT = """
(() => {
  const show = (value) => value === 0 ? "0" : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3
    ? value.toExponential(2) : String(+value.toPrecision(4));
  const look = (table, at) => {
    const rising = table[table.length - 1][0] > table[0][0];
    for (let i = 1; i < table.length; i++) {
      const [a, v] = table[i - 1], [b, w] = table[i];
      if (rising ? at <= b : at >= b) {
        const t = Math.max(0, Math.min(1, (at - a) / (b - a)));
        return v > 0 && w > 0 ? v * Math.pow(w / v, t) : v + t * (w - v);
      }
    }
    return table[table.length - 1][1];
  };
  const box = document.createElement("div");
  box.className = "values"; box.hidden = true; document.body.append(box);
  const points = (path) => [...path.getAttribute("d").matchAll(/[ML] ?(-?[\\d.]+) (-?[\\d.]+)/g)]
    .map((m) => [+m[1], +m[2]]);
  document.querySelectorAll("svg[data-x]").forEach((svg) => {
    const x = JSON.parse(svg.dataset.x), y = JSON.parse(svg.dataset.y), own = svg.dataset.kind === "points";
    const parts = [...svg.querySelectorAll("g.series[data-series]")];
    const courses = parts.filter((g) => g.querySelector(":scope > path[clip-path]"))
      .map((g) => [g, points(g.querySelector("path"))]).filter(([g, p]) => !own && p.length > 1);
    svg.addEventListener("pointerleave", () => { box.hidden = true; });
    svg.addEventListener("pointermove", (event) => {
      const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      let text = "";
      if (own) {
        let least = 8;
        svg.querySelectorAll("g.series use").forEach((dot) => {
          const far = Math.hypot(dot.x.baseVal.value - p.x, dot.y.baseVal.value - p.y);
          if (far < least) {
            least = far;
            text = dot.closest("g.series").dataset.series + ": " + show(look(x, dot.x.baseVal.value));
          }
        });
      } else if (p.x >= x[0][0] && p.x <= x[x.length - 1][0]) {
        const rows = courses.filter(([g]) => !g.classList.contains("off")).map(([g, course]) => {
          let i = 0;
          while (i < course.length - 1 && course[i + 1][0] <= p.x) i++;
          const [a, b] = [course[i], course[Math.min(i + 1, course.length - 1)]];
          const t = b[0] > a[0] ? Math.max(0, Math.min(1, (p.x - a[0]) / (b[0] - a[0]))) : 0;
          return [look(y, a[1] + t * (b[1] - a[1])), g.dataset.series];
        });
        rows.sort((a, b) => a[0] - b[0]);
        const head = svg.dataset.label + ", " + svg.dataset.name + " " + show(look(x, p.x));
        if (rows.length) text = [head, ...rows.map(([v, n]) => n + ": " + show(v))].join("\\n");
      }
      box.hidden = !text; box.textContent = text;
      box.style.left = Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8) + "px";
      box.style.top = Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8) + "px";
    });
    if (!own) parts.forEach((part) => part.addEventListener("click", () => {
      const off = !part.classList.contains("off");
      parts.filter((g) => g.dataset.series === part.dataset.series).forEach((g) => g.classList.toggle("off", off));
    }));
  });
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details.printed").forEach((part) => { part.open = true; });
  });
  document.querySelectorAll("button.copy").forEach((button) => button.addEventListener("click", () => {
    const text = button.parentElement.querySelector("pre").textContent;
    const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done);
    else {
      const area = document.createElement("textarea");
      area.value = text; document.body.append(area); area.select(); document.execCommand("copy"); area.remove(); done();
    }
  }));
})();
"""
