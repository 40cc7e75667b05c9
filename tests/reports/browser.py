"""A real browser, where there is one: what it says about a page, and screenshots, kept in build/screenshots."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
REASON = "no Chromium here; install the package chromium"
KEPT = Path(__file__).parents[2] / "build" / "screenshots"

# Asks the browser where it drew every text of every plot, and which parts of the page stick out.
PROBE = """<script>
window.faults = []; window.onerror = (text) => window.faults.push(text);
window.onload = () => {
  const found = [], outside = [], hidden = [];
  document.querySelectorAll("svg").forEach((plot) => {
    const frame = plot.getBoundingClientRect();
    const texts = [...plot.querySelectorAll("text")].map((t) => [t.textContent.trim(), t.getBoundingClientRect()]);
    texts.forEach(([a, p], i) => {
      if (p.left < frame.left - 2 || p.right > frame.right + 2) outside.push(a);
      texts.slice(i + 1).forEach(([b, q]) => {
        const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
        const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
        if (wide > 2 && high > 0.4 * Math.min(p.height, q.height)) found.push([a, b]);
      });
    });
  });
  document.querySelectorAll(".scroll").forEach((box) => {
    if (box.scrollWidth > box.clientWidth + 1) hidden.push(box.scrollWidth - box.clientWidth);
  });
  const high = [...document.querySelectorAll("svg text")].map((t) => {
    const size = t.getBBox(), shown = t.getScreenCTM();
    return size.height * Math.hypot(shown.a, shown.b);
  });
  const rows = [...document.querySelectorAll("th[scope=row]")].map((head) => head.getBoundingClientRect());
  const heads = [...document.querySelectorAll("h1, .factor")].map((part) => part.getBoundingClientRect().bottom);
  const result = {overlaps: found, outside: outside, hidden: hidden, faults: window.faults,
                  wide: document.documentElement.scrollWidth, width: window.innerWidth,
                  plots: document.querySelectorAll("svg").length, tallest: Math.max(0, ...rows.map((r) => r.height)),
                  first: Math.max(0, ...heads), smallest: Math.min(99, ...high)};
  document.body.setAttribute("data-result", JSON.stringify(result));
};
</script>"""


def chromium(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it once, without a screen."""
    assert CHROMIUM is not None
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)


def seen(text: str, folder: Path, name: str, width: int, dark: bool = False) -> dict:
    """What the browser says about a page; a screenshot is kept under that name."""
    path = folder / f"{name}.html"
    path.write_text(text.replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    options = [f"--window-size={width},1400"]
    if dark:
        options.append("--blink-settings=preferredColorScheme=0")
    done = chromium(*options, "--dump-dom", "--enable-logging=stderr", path.as_uri())
    found = re.search(r'data-result="([^"]*)"', done.stdout)
    assert found, "the page did not finish loading"
    KEPT.mkdir(parents=True, exist_ok=True)
    target = KEPT / f"{name}-{width}{'-dark' if dark else ''}.png"
    chromium(*options, f"--screenshot={target}", path.as_uri())
    told = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(html.unescape(found[1])) | {"console": told, "bytes": target.stat().st_size}


def printed(text: str, folder: Path, name: str) -> Path:
    """The page as it is printed, a PDF."""
    path, target = folder / f"{name}.html", folder / f"{name}.pdf"
    path.write_text(text, encoding="utf-8")
    chromium("--no-pdf-header-footer", f"--print-to-pdf={target}", path.as_uri())
    return target
