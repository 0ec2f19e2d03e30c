"""Looks for pages of the site that scroll sideways: check_widths.py SITE FOLDER [CHROMIUM]

Measures the guides and some pages of functions and classes at the widths of a phone and of a desktop, and keeps screenshots
of a few of them, light and dark, in FOLDER. Fails for a page that is wider than its window."""
import glob
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

site, folder = (os.path.abspath(p) for p in sys.argv[1:3])
browser = sys.argv[3] if len(sys.argv) > 3 else shutil.which("chromium") or shutil.which("google-chrome")
if not browser:
    sys.exit("check_widths.py: no chromium")
guides = [p for p in sorted(glob.glob(site + "/*.html")) if re.match(r"(index|page_(?!f_))", os.path.basename(p))]
others = sorted(glob.glob(site + "/page_f_*.html"))[::12] + sorted(glob.glob(site + "/classcorio*.html"))[::20]
pages = [os.path.basename(p) for p in guides + others]
widths = [375, 1280]

MEASURE = """<body><script>
const jobs = %s, found = [];
async function all() {
  for (const [page, width] of jobs) {
    const frame = document.createElement("iframe");
    frame.style.cssText = `width: ${width}px; height: 800px; border: 0`;
    await new Promise((done) => { frame.onload = done; frame.src = page; document.body.append(frame); });
    await new Promise((done) => setTimeout(done, 50));
    const text = frame.contentDocument, wide = Math.max(text.documentElement.scrollWidth, text.body.scrollWidth);
    // What is cut off: beyond the window, and in no box that scrolls by itself.
    const scrolls = (element) => element && element !== text.body &&
      (/auto|scroll/.test(text.defaultView.getComputedStyle(element).overflowX) && !element.matches("#doc-content") ||
       scrolls(element.parentElement));
    const cut = [...text.querySelectorAll(".contents *")].find((x) =>
      x.getBoundingClientRect().right > width + 1 && x.getBoundingClientRect().width > 0 && !scrolls(x));
    found.push([page, width, wide, cut ? cut.tagName + " " + cut.className : ""]);
    frame.remove();
  }
  const out = document.createElement("pre");
  out.id = "found";
  out.textContent = JSON.stringify(found);
  document.body.append(out);
}
all();
</script></body>"""


def run(*arguments, seconds=600):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                               "--allow-file-access-from-files", f"--user-data-dir={profile}", *arguments],
                              capture_output=True, text=True, timeout=seconds, check=True).stdout


measure = os.path.join(site, "widths.html")
with open(measure, "w", encoding="utf-8") as file:
    file.write(MEASURE % json.dumps([[page, width] for page in pages for width in widths]))
out = run("--virtual-time-budget=600000", "--dump-dom", "--window-size=1400,900", "file://" + measure)
os.remove(measure)
found = json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', out, flags=re.S).group(1)))
wide = [f"{page} is {at} pixels wide in a window of {width} {cut}" for page, width, at, cut in found if at > width or cut]
os.makedirs(folder, exist_ok=True)
for page in ("index.html", "page_guide_tasks.html", "page_guide_coming_from.html", "page_f_coriolis_matrix.html"):
    for width in widths:
        for scheme, name in ((1, "light"), (0, "dark")):
            run(f"--window-size={width},1000", f"--blink-settings=preferredColorScheme={scheme}", "--virtual-time-budget=5000",
                f"--screenshot={folder}/{page[:-5]}_{width}_{name}.png", f"file://{site}/{page}")
print(f"{len(pages)} pages at {widths} pixels, {len(wide)} of them too wide; screenshots in {folder}")
if wide:
    sys.exit("\n".join(wide))
