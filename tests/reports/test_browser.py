"""Pages in a real browser, where Chromium is installed: no errors, no text upon other text, screenshots kept."""

import json
import re
import shutil
import subprocess

import pytest

from autov.reports import comparison_page
from tests.reports.made import FAILURE, made_comparison

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")]

# Asks the browser where it drew every text of every plot, and writes pairs that overlap into the title of the page.
PROBE = """<script>
window.faults = []; window.onerror = (text) => window.faults.push(text);
window.onload = () => {
  const found = [];
  document.querySelectorAll("svg").forEach((plot) => {
    const texts = [...plot.querySelectorAll("text")].map((t) => [t.textContent, t.getBoundingClientRect()]);
    texts.forEach(([a, p], i) => texts.slice(i + 1).forEach(([b, q]) => {
      const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (wide > 2 && high > 0.4 * Math.min(p.height, q.height)) found.push([a, b]);
    }));
  });
  const result = {overlaps: found, faults: window.faults, wide: document.documentElement.scrollWidth,
                  width: window.innerWidth, plots: document.querySelectorAll("svg").length};
  document.body.setAttribute("data-result", JSON.stringify(result));
};
</script>"""


def look(folder, width, *options):
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},2400", *options]
    page = (folder / "page.html").as_uri()
    return subprocess.run([*command, page], capture_output=True, text=True, timeout=300, check=True)


@pytest.mark.parametrize("width", [1200, 600])
def test_a_page_is_whole_and_readable(tmp_path, width):
    text = comparison_page(made_comparison([FAILURE]), "made")
    (tmp_path / "page.html").write_text(text.replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    done = look(tmp_path, width, "--dump-dom", "--enable-logging=stderr")
    found = re.search(r'data-result="([^"]*)"', done.stdout)
    result = json.loads(found[1].replace("&quot;", '"').replace("&lt;", "<").replace("&amp;", "&"))
    assert result["plots"] == 6
    assert result["overlaps"] == []
    assert result["faults"] == []
    assert result["wide"] <= result["width"], "the page itself does not scroll sideways"
    assert "CONSOLE" not in done.stderr
    look(tmp_path, width, f"--screenshot={tmp_path / 'page.png'}")
    assert (tmp_path / "page.png").stat().st_size > 10_000
