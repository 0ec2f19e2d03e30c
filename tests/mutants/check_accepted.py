"""Fails if a row of accepted.txt quotes text that its header no longer has: such a row accepts nothing."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def plain(text):
    """Text with single blanks, in which a mutant is quoted."""
    return re.sub(r"\s+", " ", text).strip()


def is_stale(header, quoted):
    path = ROOT / "include" / header
    return not path.is_file() or plain(quoted) not in plain(path.read_text(encoding="utf-8"))


rows = [re.fullmatch(r"(corio/\S+): .* in: (.*)", line)
        for line in (Path(__file__).parent / "accepted.txt").read_text(encoding="utf-8").splitlines()]
stale = [row[0] for row in rows if row and is_stale(row[1], row[2])]
for row in stale:
    print("matches nothing:", row)
if not any(rows):
    sys.exit("accepted.txt has no rows")
sys.exit(bool(stale))
