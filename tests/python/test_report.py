"""The page of a robot, as robot_report writes it."""
import json
import re

import pytest

import corio


def test_the_page_has_the_robot(arm, tmp_path):
    page = arm.report(tmp_path / "pages")
    text = page.read_text()
    assert page.parent == tmp_path / "pages" and page.suffix == ".html" and "@DATA@" not in text
    data = json.loads(re.search('id="data">(.*?)</script>', text, re.S).group(1))
    assert data["name"] == arm.name and len(data["joints"]) == len(arm.joints) and len(data["sliders"]) == arm.nv
    assert data["mass"] == pytest.approx(sum(arm.inertia(b)[0] for b in arm.bodies))
    assert [name for name, *_ in data["times"]][:2] == ["rnea", "aba"] and all(us > 0 for _, us, _ in data["times"])
    assert not re.search(r"src=|href=", text)  # it needs nothing else


def test_a_folder_that_cannot_be_written(arm, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises((corio.Error, RuntimeError)):
        arm.report(tmp_path / "file")
