# End-to-end tests: each file holds a program or a command, how it is run and
# what must come out. Loaded through the lit.site.cfg.py of a build directory.
#
# Substitutions
#   %pilgrim        the tool
#   %pilgrim-cc %pilgrim-cxx %pilgrim-fort   the instrumenting compilers
#   %mpicc %mpicxx %mpifort      compiler wrappers of the MPI built for
#   %mpiexec        its launcher; ranks yield while they wait (shim/Yield.c)
#   %plainmpiexec   the launcher alone, for tests that set LD_PRELOAD themselves
#   %yield          the yield shim (empty where there is none)
#   %libpilgrim     the runtime library
#   %bindir %libdir where the build puts programs and libraries
#   %workloads      folder of built benchmark programs
#   %source         root of the sources
#   %python %clang  interpreter, compiler
#   %flang          the Fortran compiler of clang's LLVM (feature llvm-flang)
#   %pass           the compiler plugin (feature pass)
#   %list-tables    prints the tables in an object (test/pass/dump_tables.py)
#   %opt            of clang's LLVM
#   %openmpi_mpicc %openmpi_mpifort %openmpi_mpiexec   a second MPI (feature openmpi)
#   %openmpi_libpilgrim   the runtime library for it (feature openmpi-runtime)
#
# Features for REQUIRES and UNSUPPORTED
#   mpich or openmpi-built   flavour of the MPI built for
#   fortran, cxx, clang, llvm-flang, openmpi, openmpi-runtime, root, asan
#   cc       the instrumenting compilers, and the clang that they stand on
#   pass     the plugin
#   flang    the flang that pilgrim-fort stands on; flang-mpi, flang-f08: MPI modules for it
#   gcc, gfortran, cmake   other compilers, and a build tool, to use them with
#   openmp-runtime   OpenMP's library for that clang
#   mount    a small file system can be mounted
#   runtime, tool, compilers, workloads, virtual-ranks   parts of the build that are there
#   mutant   libpilgrim whose verification is given wrong copies (test/verify)
#   terminal   a pseudoterminal can be made
#   libdw    the tool finds lines in debug info
#   gpu      a GPU of NVIDIA's, with its driver

import os
import shutil
import subprocess

import lit.formats

# Seconds that one test may take.
limit = 600


# Tests run in bash, under `timeout`: lit's own limit needs psutil. (No class of
# our own, which lit could not hand to its workers.)
again = (
    'if test -z "$PILGRIM_TEST_TIMED"; then PILGRIM_TEST_TIMED=1 exec '
    f'timeout --verbose --kill-after=10 {limit} bash "$0"; fi'
)

config.name = "pilgrim"
config.test_format = lit.formats.ShTest(
    execute_external=True, preamble_commands=[again]
)
config.suffixes = [".test", ".c", ".cpp", ".f90"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(config.pilgrim_build_dir, "test", "lit", "out")

bindir = os.path.join(config.pilgrim_build_dir, "bin")
libdir = os.path.join(config.pilgrim_build_dir, "lib")
libpilgrim = os.path.join(libdir, "libpilgrim.so")
pilgrim = os.path.join(bindir, "pilgrim")
yield_shim = os.path.join(libdir, "libpilgrim-test-yield.so")
if not os.path.exists(yield_shim):
    yield_shim = ""

plugin = os.path.join(libdir, "pilgrim-pass.so")
# Of the same LLVM as clang, which the plugin is for.
clang_folder = os.path.dirname(os.path.realpath(shutil.which(config.clang) or "clang"))
flang = os.path.join(clang_folder, "flang-new")

# FileCheck and not by their bare names, as everywhere in LLVM.
tools = {os.path.dirname(config.filecheck), os.path.dirname(config.not_tool)}
config.environment["PATH"] = os.pathsep.join(
    [bindir, os.environ["PATH"]] + sorted(tools - {""})
)
config.environment["LC_ALL"] = "C"
config.environment["HOME"] = os.environ.get("HOME", "/")
# What a rank looks for when it starts, and no test needs: networks, and PCI devices (a third of MPICH's time to start).
config.environment["UCX_TLS"] = "self,posix"
config.environment["UCX_MODULES"] = ""
config.environment["HWLOC_COMPONENTS"] = "-linux:pci,-pci"
# MPICH's ranks of one node wait for each other in MPI_Init without giving up the core: with 16 ranks on two cores a
# third of the time that they take. Tests of memory that ranks share unset this.
config.environment["MPIR_CVAR_NOLOCAL"] = "1"
if config.sanitize:
    # An MPI library leaks by itself, and what a preloaded runtime finds there
    # is not ours.
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0"
    # UCX looks for changes of mappings in a way that sanitizers do not stand.
    config.environment["UCX_MEM_MMAP_HOOK_MODE"] = "none"

# What the ranks must load: a sanitizer's runtime first.
preload = [p for p in (config.sanitizer_runtime, yield_shim) if p]
mpiexec = config.mpiexec
if preload and config.mpi_flavor == "mpich":
    mpiexec += " -genv LD_PRELOAD " + ":".join(preload)
elif preload and config.mpi_flavor == "openmpi":
    mpiexec += " -x LD_PRELOAD=" + ":".join(preload)

substitutions = {
    "pilgrim": pilgrim,
    "pilgrim-cc": pilgrim + "-cc",
    "pilgrim-cxx": pilgrim + "-cxx",
    "pilgrim-fort": pilgrim + "-fort",
    "mpicc": config.mpicc,
    "mpicxx": config.mpicxx,
    "mpifort": config.mpifort,
    "mpiexec": mpiexec,
    "plainmpiexec": config.mpiexec,
    "yield": yield_shim,
    "libpilgrim": libpilgrim,
    "bindir": bindir,
    "libdir": libdir,
    "workloads": config.workloads_dir,
    "source": config.pilgrim_source_dir,
    "python": config.python,
    "clang": config.clang,
    "flang": flang,
    "pass": plugin,
    "list-tables": f"{config.python} {config.pilgrim_source_dir}/test/pass/dump_tables.py",
    "opt": os.path.join(clang_folder, "opt"),
    "symbolizer": os.path.join(clang_folder, "llvm-symbolizer"),
    "openmpi_mpicc": os.path.join(config.openmpi_prefix, "bin", "mpicc"),
    "openmpi_mpifort": os.path.join(config.openmpi_prefix, "bin", "mpifort"),
    "openmpi_libpilgrim": os.path.join(
        config.pilgrim_build_dir, "openmpi", "lib", "libpilgrim.so"
    ),
    "openmpi_mpiexec": os.path.join(config.openmpi_prefix, "bin", "mpiexec")
    + " --oversubscribe --allow-run-as-root",
}
for name, value in substitutions.items():
    # Not the beginning of a longer name.
    config.substitutions.append((rf"%{name}\b(?!-)", value.replace("\\", r"\\")))



def canMount():
    try:
        words = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
        return subprocess.run(words, capture_output=True).returncode == 0
    except OSError:
        return False


def canMakeTerminal():
    try:
        for end in os.openpty():
            os.close(end)
        return True
    except OSError:
        return False


def canRun(*words):
    try:
        return subprocess.run(words, capture_output=True).returncode == 0
    except OSError:
        return False


def hasGpu():
    import ctypes

    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return canRun("nvidia-smi", "-L")


def hasOpenMp():
    """Clang knows where the library is, or says its bare name."""
    words = [config.clang, "-print-file-name=libomp.so"]
    try:
        found = subprocess.run(words, capture_output=True, text=True).stdout
    except OSError:
        return False
    return os.path.isabs(found.strip())


hasCc = os.path.exists(pilgrim + "-cc") and bool(shutil.which(config.clang))
modules = os.path.join(libdir, "pilgrim", "flang")

features = {
    "mpich": config.mpi_flavor == "mpich",
    "openmpi-built": config.mpi_flavor == "openmpi",
    "fortran": bool(shutil.which(config.fortran) and shutil.which(config.mpifort)),
    "cxx": bool(shutil.which(config.mpicxx)),
    "clang": bool(shutil.which(config.clang)),
    "openmpi": bool(config.openmpi_prefix)
    and os.path.exists(substitutions["openmpi_mpicc"]),
    "openmpi-runtime": bool(config.openmpi_prefix)
    and os.path.exists(substitutions["openmpi_libpilgrim"]),
    "llvm-flang": os.path.exists(flang),
    "root": os.geteuid() == 0,
    "mount": canMount(),
    "asan": "address" in config.sanitize,
    "runtime": os.path.exists(libpilgrim),
    "tool": os.path.exists(pilgrim),
    "mutant": os.path.exists(os.path.join(libdir, "mutant", "libpilgrim.so")),
    "compilers": os.path.exists(pilgrim + "-cc"),
    "workloads": os.path.isdir(config.workloads_dir),
    "virtual-ranks": os.path.exists(os.path.join(bindir, "virtual-ranks")),
    "terminal": canMakeTerminal(),
    "gpu": hasGpu(),
    "libdw": bool(config.libdw) and not config.libdw.endswith("NOTFOUND"),
    "cc": hasCc,
    "pass": os.path.exists(os.path.join(libdir, "pilgrim-pass.so")),
    "flang": hasCc and canRun(pilgrim + "-fort", "--version"),
    "flang-mpi": os.path.exists(os.path.join(modules, "mpi.mod")),
    "flang-f08": os.path.exists(os.path.join(modules, "mpi_f08.mod")),
    "valgrind": bool(shutil.which("valgrind")),
    "gcc": bool(shutil.which("gcc")),
    "gfortran": bool(shutil.which("gfortran")),
    "cmake": bool(shutil.which("cmake")),
    "openmp-runtime": hasOpenMp(),
}
config.available_features.update(name for name, there in features.items() if there)
