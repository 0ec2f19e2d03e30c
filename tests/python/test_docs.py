"""What docs.py takes from the headers is about Python's functions: their arguments, and no words of C++."""
import inspect
import re
import subprocess
import sys

import pytest
from conftest import root, table

import corio

CPP = r"\w::\w|overwritten|changed in place|\bmodel\.body\(|template|const&|valid until|@returns data|codegen"


@pytest.fixture(scope="module")
def docs(tmp_path_factory):
    source, output = root / "include/corio/python", tmp_path_factory.mktemp("docs") / "docs.hpp"
    subprocess.run([sys.executable, "-B", source / "docs.py", root / "include", output, *(source / "src").glob("*.cpp")], check=True)
    return dict(re.findall(r'\{"([\w.]+)", R"doc\((.*?)\)doc"\}', output.read_text(encoding="utf-8"), re.S))


def test_parameters_of_functions_are_their_arguments(docs):
    strangers = {(name, parameter) for name in table for names in re.findall(r"^@param (\w+(?:, \w+)*)  ", docs[name], re.M)
                 for parameter in names.split(", ") if parameter not in inspect.signature(getattr(corio, name)).parameters}
    assert not strangers


def test_functions_and_members_are_documented(docs):
    words = {"excite": "@param limits", "hybrid_dynamics": "@param joints", "body_pose": "@param frame  name", "rnea": "@param external",
             "MomentumObserver": "@param gain", "MomentumObserver.update": "@param tau", "Model.lock_joints": "@param names",
             "ModelBuilder.build": "Model", "urdf.load": "file", "zoo.quadruped": "joints", "body_velocity": "'world_aligned'"}
    assert not (set(table) | set(words)) - set(docs)
    assert not {key for key in docs if f"urdf.{key}" in docs}
    assert not {key for key, word in words.items() if word not in docs[key]}


def test_no_words_of_cpp(docs):
    seen = {key: text for key, text in docs.items() if getattr(corio, key.partition(".")[0], None)}
    assert not {key: found[0] for key, text in seen.items() if (found := re.search(CPP, text))}
