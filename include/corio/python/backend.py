"""The build backend of pip (PEP 517), in the standard library alone: CMake compiles the module, zipfile writes the wheel."""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

here = pathlib.Path(__file__).resolve().parent
VERSION = ".".join(re.findall(r"#define CORIO_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", (here / "../version.hpp").read_text()))
INFO = f"corio-{VERSION}.dist-info"
_python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
TAG = f"{_python}-{_python}-" + re.sub("[-.]", "_", sysconfig.get_platform())
METADATA = f"Metadata-Version: 2.1\nName: corio\nVersion: {VERSION}\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
WHEEL = f"Wheel-Version: 1.0\nGenerator: corio\nRoot-Is-Purelib: false\nTag: {TAG}\n"


def _write(path, files):
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            wheel.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        wheel.writestr(f"{INFO}/RECORD", "\n".join([*record, f"{INFO}/RECORD,,"]) + "\n")
    return path.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    options = [f"-D{name}={value}" for name, value in (config_settings or {}).items()]
    with tempfile.TemporaryDirectory() as build:
        subprocess.run(["cmake", "-S", here, "-B", build, f"-DPython_EXECUTABLE={sys.executable}", *options], check=True)
        subprocess.run(["cmake", "--build", build, "--parallel", str(os.cpu_count() or 1)], check=True)
        files = {f"corio/{f.name}": f.read_bytes() for f in sorted(pathlib.Path(build, "package/corio").iterdir()) if f.is_file()}
    files |= {f"{INFO}/METADATA": METADATA.encode(), f"{INFO}/WHEEL": WHEEL.encode()}
    return _write(pathlib.Path(wheel_directory, f"corio-{VERSION}-{TAG}.whl"), files)


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without it pip would compile twice: once for the metadata alone."""
    info = pathlib.Path(metadata_directory, INFO)
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    (info / "WHEEL").write_text(WHEEL)
    return info.name
