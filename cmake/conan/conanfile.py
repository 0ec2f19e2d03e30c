"""Recipe for the source tree that it lies in: conan create <corio>/cmake/conan --build=missing"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, load


class Corio(ConanFile):
    name = "corio"
    description = "Header-only rigid-body dynamics: Coriolis matrices, derivatives, closed loops, identification"
    license = "BSD-2-Clause"
    topics = ("robotics", "dynamics", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"files": [True, False]}
    default_options = {"files": True}
    no_copy_source = True

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._root, "include", "corio", "version.hpp"))
        self.version = ".".join(re.findall(r"#define CORIO_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "include/*", "cmake/*", "examples/*"):
            copy(self, pattern, self._root, self.export_sources_folder)

    def requirements(self):
        self.requires("eigen/3.4.0", transitive_headers=True)
        if self.options.files:
            self.requires("tinyxml2/[>=6 <12]", transitive_headers=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        self.info.clear()

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables[f"CORIO_BUILD_{part}"] = False
        toolchain.cache_variables["CORIO_INSTALL"] = True
        toolchain.cache_variables["CORIO_WITH_FILES"] = "ON" if self.options.files else "OFF"
        toolchain.generate()

    def package(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # corio's own package files serve find_package(corio), with components and corio_add_compiled.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("share", "cmake", "corio")]
        self.cpp_info.bindirs = self.cpp_info.libdirs = []
