"""What docs.py takes from the headers is about Python's functions: their arguments, and no words of C++."""
import inspect
import re
import subprocess
import sys

import pytest
from conftest import root, table

import corio

CPP = [r"\w::\w", "overwritten", "changed in place", r"\bmodel\.body\(", "template", "const&", "valid until", "@returns data", "codegen", r"of\s+another\s+model"]


@pytest.fixture(scope="module")
def docs(tmp_path_factory):
    source, output = root / "include/corio/python", tmp_path_factory.mktemp("docs") / "docs.hpp"
    subprocess.run([sys.executable, "-B", source / "docs.py", root / "include", output, *(source / "src").glob("*.cpp")], check=True)
    return dict(re.findall(r'\{"([\w.]+)", R"doc\((.*?)\)doc"\}', output.read_text(encoding="utf-8"), re.S))


def object_of(key):
    found = corio
    for name in key.split("."):
        found = inspect.getattr_static(found, name)
    return found


def arguments_of(key):
    found = object_of(key)
    if isinstance(found, property):
        return set()
    text = (found.__init__ if inspect.isclass(found) else found).__doc__ or ""
    if getattr(found, "__text_signature__", None) and not inspect.isclass(found):
        return set(inspect.signature(found).parameters)
    return set(re.findall(r"(\w+): ", text.partition(") ->")[0] + text.partition("Overloaded")[2].replace("->", "")))


def test_every_parameter_is_an_argument(docs):
    strangers = {(key, name) for key, text in docs.items() for names in re.findall(r"^@param (\w+(?:, \w+)*) ", text, re.M)
                 for name in names.split(", ") if name not in arguments_of(key)}
    assert not strangers


def test_functions_and_members_are_documented(docs):
    assert not set(table) - set(docs)
    assert {"MomentumObserver.update", "ComputedTorque.update", "Model.lock_joints", "ModelBuilder.build", "zoo.quadruped", "urdf.load", "excite"} <= set(docs)
    for key in docs:
        assert object_of(key) is not None
    for text, words in {"excite": "acceleration", "hybrid_dynamics": "@param joints", "body_pose": "@param frame  name", "prepare": "Hz",
                        "robust_weights": "a row for each sample", "MomentumObserver": "@param gain", "Excitation": "condition: "}.items():
        assert words in docs[text]


def test_no_words_of_cpp(docs):
    found = {(key, word) for key, text in docs.items() for word in CPP if re.search(word, text)}
    assert not found
    assert not [key for key, text in docs.items() if re.search(r"@throws *[,;.]|@throws *$|ModelError +[,;.]|, \.(?!\.)", text, re.M)]
