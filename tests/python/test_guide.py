"""The snippets of guide/python.md run, one after the other."""
import re

from conftest import root


def test_snippets():
    blocks = re.findall(r"```python\n(.*?)```", (root / "include/corio/guide/python.md").read_text(), re.S)
    assert len(blocks) == 2
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["translation"][2] == -1
