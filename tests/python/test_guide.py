"""The snippets of guide/python.md run, one after the other, in an empty folder."""
import re

from conftest import root


def test_snippets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (root / "include/corio/guide/python.md").read_text(), re.S)
    assert len(blocks) == 6
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["translation"][2] == -1
    assert names["whole"].converged and abs(names["push"]).max() < 1 and (tmp_path / names["page"]).exists()
    beta = names["base"].project(names["whole"].parameters)
    assert abs(beta - names["found"].beta).max() < 0.01 * abs(beta).max()
