"""The package as it is imported, and what its functions leave behind."""
import tempfile

import numpy as np
import pytest

import corio


def test_submodules_can_be_imported_from():
    from corio.mjcf import parse
    from corio.urdf import load
    from corio.zoo import serial_chain

    assert (parse, load, serial_chain) == (corio.mjcf.parse, corio.urdf.load, corio.zoo.serial_chain)


def test_public_names_belong_to_corio():
    assert {"generate", "urdf", "Model", "rnea"} <= set(dir(corio))
    assert not {"ctypes", "sys", "np", "os"} & set(dir(corio))


@pytest.mark.parametrize("robot, functions, error", [
    (None, ["rnea"], "robot is a NoneType"), ("arm", ["nonsense"], "nonsense"), ("arm", [1], "list of names"), ("arm", ["rnea"], "compile")])
def test_no_folder_stays_after_an_error(tmp_path, monkeypatch, robot, functions, error):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("CC", "false")
    with pytest.raises((corio.Error, TypeError), match=error) as raised:
        corio.generate(robot and corio.zoo.serial_chain(2), functions)
    assert "_generate(" not in str(raised.value) and not list(tmp_path.iterdir())


def test_the_folder_of_a_generated_module_goes_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    model = corio.zoo.serial_chain(2)
    code = corio.generate(model, "crba")
    assert code.crba(np.zeros(2)) == pytest.approx(corio.crba(model, np.zeros(2)))
    assert list(tmp_path.iterdir())
    del code
    assert not list(tmp_path.iterdir())
