"""Code of one robot's functions, compiled and imported."""


def generate(model, functions, language="C"):
    raise NotImplementedError
