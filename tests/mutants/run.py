"""Builds the tests once against headers with switches, finds which test reaches which mutant, and lets each mutant meet
the tests that reach it, cheap ones first, until one fails. Called by tests/mutate.sh."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import generate

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
WORK = ROOT / "build" / "mutants"
ACCEPTED = Path(__file__).parent / "accepted.txt"
# Sources of one folder are compiled as one, as in tests/CMakeLists.txt, up to a number of lines that takes two
# gigabytes.
LINES_OF_UNIT = 1200
# Folders whose tests call the readers or define names that clash, and tests that are compiled alone there.
ALONE = re.compile("^(io|interop|guide|contracts|scalars)/|least_squares_test|loops/bad_input_test|operational_space_(contacts_|limits_)?test")
# Contracts over other scalars repeat the contracts over double. Tests with other libraries, and with the sanitizer of
# generated CUDA, take more memory than a run may have.
LEFT_OUT = re.compile("loops/mechanism_(contracts|allocations)|contracts/(?!(errors|state|bad_input)_test)|^(fuzz|guide|scalars)/|(yaml_loops|dart_loops|mujoco|other_libraries|write_cuda)_test")

# Test cases that take longer than these seconds run with --again only: a survivor meets all cases that reach it, so
# that the long cases would take most of the time of a run.
LONG = 0.5


def put(path, text, only_new=False):
    if path.exists() and (only_new or path.read_text() == text):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def key(mutant):
    return f"{mutant.file}: {mutant.change}"


class Mutants:
    def __init__(self, count):
        self.sources = generate.read(ROOT / "include")
        self.all = generate.select(self.sources, count)
        self.lock = threading.Lock()
        self.dropped_file = WORK / "dropped.json"
        self.dropped = set(json.loads(self.dropped_file.read_text())) if self.dropped_file.exists() else set()

    def living(self):
        return [m for m in self.all if key(m) not in self.dropped]

    def drop(self, mutants):
        with self.lock:
            self.dropped |= {key(m) for m in mutants}
            self.dropped_file.write_text(json.dumps(sorted(self.dropped), indent=1))
            self.write()

    def write(self):
        """The headers; those without mutants, too."""
        for path in (ROOT / "include").rglob("*.[hc]pp"):  # tests compile generate.cpp
            put(WORK / path.relative_to(ROOT), path.read_text(), only_new=True)
        # This text replaces tests/support/compiled.hpp, which declares functions that are compiled elsewhere.
        put(WORK / "include/support/compiled.hpp", '#pragma once\n#include <complex>\n'
            '#include "corio/core/compiled.hpp"\n#include "corio/corio.hpp"\n'
            "#undef CORIO_COMPILED_ALGORITHM\n#define CORIO_COMPILED_ALGORITHM(...)\n")
        generate.write(self.sources, self.living(), WORK / "include")


def culprits(log, mutants):
    """The mutants on the lines that errors name; where the error is elsewhere, on the nearest that led there."""
    by_file = {}
    for m in mutants.living():
        by_file.setdefault(m.file, []).append(m)
    place = re.compile(r"^[^ ]*include/(corio/[\w./]+\.hpp):(\d+):")
    context = re.compile(": error: |: fatal error: |: note: (in instantiation|in call|while)")

    found = []
    for error in re.split(r"^(?=[^ ]+ (?:fatal )?error: )", log, flags=re.M)[1:]:
        places = [(file, int(line)) for text in error.splitlines() if context.search(text)
                  for file, line in place.findall(text)]
        here = next((ms for ms in ([m for m in by_file.get(file, []) if m.line <= line <= m.last_line]
                                   for file, line in places) if ms), [])
        lost = re.search("undeclared identifier '(\\w+)'", error)
        if lost and places and not here:  # a declaration that was taken for a statement
            here = [m for m in by_file.get(places[0][0], []) if m.line < places[0][1] and
                    re.search(rf"\b{lost.group(1)}\b", m.text)]
        found += here
        if here and re.match("[^ ]+ error: (expected|extraneous)", error):
            break  # later failures are consequences
    return found


def flags():
    eigen = subprocess.run(["pkg-config", "--cflags", "eigen3"], text=True, capture_output=True).stdout.split()
    return ["-std=c++20", "-O0", "-w", "-ferror-limit=0", "-ftemplate-backtrace-limit=0",
            "-fno-caret-diagnostics", "-include", TESTS / "mutants/mutant.hpp", "-I", WORK / "include", "-I", TESTS,
            "-I", ROOT / "bench", *(eigen or ["-I/usr/include/eigen3"]), "-DEIGEN_RUNTIME_NO_MALLOC", "-DCORIO_TEST_ALL", "-DCORIO_TEST_MESH",
            f'-DCORIO_EXAMPLES_DIR="{ROOT}/examples"', f'-DCORIO_FUZZ_SEEDS="{TESTS}/fuzz/seeds"']


def compile_without_culprits(mutants, unit, output):
    """Mutants that do not compile are dropped, until the rest does."""
    for _ in range(20):
        before = len(mutants.dropped)
        result = subprocess.run(["clang++", *flags(), f"-DCORIO_MUTANTS={len(mutants.all)}", *output, unit], text=True,
                                stderr=subprocess.PIPE)
        unit.with_suffix(".log").write_text(result.stderr)
        if result.returncode == 0:
            return
        bad = culprits(result.stderr, mutants)
        if not bad and len(mutants.dropped) > before:
            continue  # by another unit, meanwhile
        if not bad:
            sys.exit(f"does not compile, and not by a mutant: see {unit.with_suffix('.log')}")
        mutants.drop(bad)
    sys.exit(f"mutants that do not compile are left: see {unit.with_suffix('.log')}")


def units(folders):
    """Name and sources of each executable."""
    found = {}
    for folder in folders:
        part, lines = 0, 0
        for path in sorted((TESTS / folder).glob("*_test.cpp")):
            name = f"{folder}/{path.name}"
            if LEFT_OUT.search(name):
                continue
            if ALONE.search(name):
                found[f"{folder}_{path.stem}"] = [path]
                continue
            length = path.read_text().count("\n")
            if lines and lines + length > LINES_OF_UNIT:
                part, lines = part + 1, 0
            lines += length
            found.setdefault(f"{folder}_{part}", []).append(path)
    # Adds the sources of the functions that the tests of a table call.
    for name, paths in found.items():
        for begin, more in (("contracts", "contracts/operations.cpp"), ("fuzz", "fuzz/entries.cpp")):
            if name.startswith(begin):
                paths.append(TESTS / more)
        if any("loops/mechanism_table.hpp" in path.read_text() for path in paths):
            paths.append(TESTS / "loops/mechanism_table.cpp")
    return found


def build(mutants, jobs, all_units):
    """What is not built yet, or from other sources, headers or mutants."""
    headers = "".join([s.text for s in mutants.sources] + [key(m) for m in mutants.all] +
                      [p.read_text() for p in sorted(TESTS.rglob("*.hpp"))])

    def of(name, includes, sources, output):
        unit = WORK / "units" / f"{name}.cpp"
        put(unit, "".join(f"#include {i}\n" for i in includes))
        stamp = hashlib.sha256((headers + "".join(s.read_text() for s in sources)).encode()).hexdigest()
        built = unit.with_suffix(".stamp")
        if not built.exists() or built.read_text() != stamp:
            compile_without_culprits(mutants, unit, output or ["-c", "-o", unit.with_suffix(".o")])
            unit.with_suffix("").unlink(missing_ok=True)
            built.write_text(stamp)
        return unit

    def object_of(item):
        name, sources = item
        return of(name, [f'"{s}"' for s in sources], sources, None)

    # Compiles all headers first, so that not every unit finds the same mutants that do not compile; headers that need
    # CasADi or Python are left out.
    of("headers", [f"<{s.name}>" for s in mutants.sources if not re.search("casadi|/python/", s.name)], [],
       ["-fsyntax-only"])
    support = [p for p in sorted((TESTS / "support").glob("*.cpp")) if not p.name.startswith("compiled")]
    shared = object_of(("support", [TESTS / "mutants/mutant.cpp", *support])).with_suffix(".o")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for unit in pool.map(object_of, all_units.items()):
            binary = unit.with_suffix("")
            if not binary.exists() or binary.stat().st_mtime < shared.stat().st_mtime:
                subprocess.run(["clang++", unit.with_suffix(".o"), shared, "-ltinyxml2", "-lqhull_r", "-pthread", "-o", binary], check=True)


def limits(cpu):
    def apply():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    return apply


def run(test, mutant, cases=None, cpu=600, log=None):
    """The last lines of what it says, and whether it passes."""
    environment = {**os.environ, "CORIO_MUTANT": str(mutant)}
    environment.pop("CORIO_MUTANT_LOG", None)
    if mutant:
        environment.pop("CORIO_WRITE_PAGES", None)
    if log:
        environment["CORIO_MUTANT_LOG"] = str(log)
    with tempfile.TemporaryDirectory() as folder:
        arguments = [WORK / "units" / test, "--abort"]
        if cases:
            names = Path(folder) / "cases"
            names.write_text("".join(re.sub(r"([\[\],\\\"*])", r"\\\1", c) + "\n" for c in cases))
            arguments += ["--input-file", names]
        try:
            result = subprocess.run(arguments, cwd=folder, env=environment, text=True, errors="replace",
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limits(int(cpu)),
                                    timeout=10 * cpu)
        except subprocess.TimeoutExpired:
            return "timeout", False
        return result.stdout, result.returncode == 0


def find_reach(tests, jobs):
    """For each test the list of (seconds, case, mutants reached)."""
    failed = []

    def of(test):
        log = WORK / "units" / f"{test}.reach"
        binary = WORK / "units" / test
        if not log.exists() or log.stat().st_mtime < binary.stat().st_mtime:
            log.write_text("")  # left empty by a test that reaches no mutant
            output, passed = run(test, 0, log=log, cpu=1200)
            if not passed:
                log.unlink(missing_ok=True)
                print(f"{test} fails without any change:\n{output[-3000:]}", flush=True)
                failed.append(test)
                return []
        lines = [line.split("\t", 2) for line in log.read_text().splitlines()]
        return [(float(t), name, {int(i) for i in ids.split()}) for t, ids, name in lines]

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        reach = dict(zip(tests, pool.map(of, tests)))
    if failed:
        sys.exit(f"{len(failed)} tests fail without any change")
    return reach


def meet(mutant, reach, longest):
    """How a mutant is found: by which test; or None. Cases that take longer, in seconds, are left out."""
    room = mutant.file.split("/")[1]
    order = sorted(reach, key=lambda test: (not test.startswith(f"{room}_"), test))
    batches = []
    for test in order:
        cases = sorted((t, name) for t, name, ids in reach[test] if mutant.number in ids)
        for limit, least in ((0.05, 0), (0.5, 0.05), (LONG, 0.5), (1e9, LONG)):
            part = [(t, name) for t, name in cases if least <= t < min(limit, longest)]
            if part:
                batches.append((limit, test, part))
    for _, test, part in sorted(batches, key=lambda b: b[0]):
        seconds = sum(t for t, _ in part)
        output, passed = run(test, mutant.number, [name for _, name in part], cpu=5 + 4 * seconds)
        if not passed:
            return test
    return None


def reasons():
    """Of accepted survivors."""
    accepted = {}
    for block in ACCEPTED.read_text().split("\n\n"):
        *lines, reason = [line for line in block.splitlines() if line and not line.startswith("#")] or [""]
        accepted |= {line: reason for line in lines}
    return accepted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=700, help="mutants, before those that do not compile are dropped")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="part of a header's path: only its mutants")
    parser.add_argument("--tests", default="", help="with commas between them, how the names of executables begin: folders of tests; all by default")
    parser.add_argument("--again", action="store_true", help="those that survived the last run, only")
    options = parser.parse_args()
    begin = time.time()
    WORK.mkdir(parents=True, exist_ok=True)
    mutants = Mutants(options.count)
    mutants.write()
    tests = units(sorted({p.parent.name for p in TESTS.glob("*/*_test.cpp")}))
    tests = {name: sources for part in options.tests.split(",") for name, sources in tests.items()
             if name.startswith(part)}
    build(mutants, options.jobs, tests)
    print(f"built, {len(mutants.living())} mutants, {time.time() - begin:.0f} s", flush=True)
    reach = find_reach(tests, options.jobs)
    print(f"tests pass unchanged, {time.time() - begin:.0f} s", flush=True)

    survivors_file = WORK / "survivors.json"
    before = json.loads(survivors_file.read_text()) if survivors_file.exists() else []
    reached = {number for cases in reach.values() for _, _, ids in cases for number in ids}
    # Mutants that no test reaches count only if all tests were built.
    chosen = [m for m in mutants.living() if options.only in m.file and (not options.again or key(m) in before)
              and (m.number in reached or not options.tests)]
    accepted = reasons()

    def tried(mutant):
        by = meet(mutant, reach, 1e9 if options.again else LONG) if mutant.number in reached else None
        name = key(mutant)
        if by and name in accepted:
            print(f"accepted, but found by {by}: {name}", flush=True)
        if not by and name not in accepted:
            how = "survives" if mutant.number in reached else "is not reached"
            print(f"{how}: include/{mutant.file}:{mutant.line}: {mutant.change}", flush=True)
        return by

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(tried, chosen))
    survivors = [key(m) for m, by in zip(chosen, found) if not by and key(m) not in accepted]
    (WORK / "survivors.json").write_text(json.dumps(survivors, indent=1))
    (WORK / "found.json").write_text(json.dumps({key(m): by for m, by in zip(chosen, found)}, indent=1))
    known = sum(1 for m, by in zip(chosen, found) if not by and key(m) in accepted)
    print(f"{len(chosen)} mutants: {len(chosen) - len(survivors) - known} found by tests, {known} accepted with a "
          f"reason, {len(survivors)} survive; {time.time() - begin:.0f} s")
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
