# What the rooms need besides MPI. Required: zstd, the header of xxHash,
# threads, Python. Each optional one that is missing gets one line that says
# what is left out; rooms ask for its target (if(TARGET GTest::gtest_main)...).
#
#   pilgrim_zstd         zstd, shared where there is a choice
#   pilgrim_zstd_static  zstd from an archive, for a shared library that keeps it
#                        to itself (absent where the archive cannot be used so)
#   pilgrim_xxhash       xxHash, inlined: no library to load
#   pilgrim_libdw        elfutils' reader of debug info (optional)

find_package(Threads REQUIRED)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
# Some are scripts that first look for the interpreter: builds and tests, which run it many times, take that one.
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
  OUTPUT_VARIABLE RealPython OUTPUT_STRIP_TRAILING_WHITESPACE)
if(RealPython)
  set(Python3_EXECUTABLE ${RealPython})
endif()

find_path(ZSTD_INCLUDE_DIR zstd.h)
find_library(ZSTD_LIBRARY zstd)
find_library(ZSTD_STATIC_LIBRARY libzstd.a)
if(NOT ZSTD_INCLUDE_DIR OR NOT (ZSTD_LIBRARY OR ZSTD_STATIC_LIBRARY))
  message(FATAL_ERROR "zstd not found: install libzstd-dev, or point"
    " CMAKE_PREFIX_PATH at it")
endif()
add_library(pilgrim_zstd INTERFACE)
target_include_directories(pilgrim_zstd SYSTEM INTERFACE ${ZSTD_INCLUDE_DIR})
if(ZSTD_LIBRARY)
  target_link_libraries(pilgrim_zstd INTERFACE ${ZSTD_LIBRARY})
else()
  target_link_libraries(pilgrim_zstd INTERFACE ${ZSTD_STATIC_LIBRARY})
endif()

if(ZSTD_STATIC_LIBRARY)
  # Debian's archive is compiled for executables (-fPIE): it goes into a shared
  # library only when its symbols are hidden there, which is what we want.
  # Archives of others may not go in at all.
  set(ZstdHidden -Wl,--exclude-libs,libzstd.a)
  if(NOT DEFINED PILGRIM_ZSTD_STATIC_FITS)
    file(WRITE ${CMAKE_BINARY_DIR}/CMakeFiles/ZstdPic/Use.c
      "#include <zstd.h>\nunsigned use(void *D, unsigned N, void *S) {\n"
      "  return ZSTD_decompress(D, N, S, ZSTD_compress(S, N, D, N, 3));\n}\n")
    execute_process(
      COMMAND ${CMAKE_C_COMPILER} -shared -fPIC -I${ZSTD_INCLUDE_DIR}
        ${CMAKE_BINARY_DIR}/CMakeFiles/ZstdPic/Use.c ${ZSTD_STATIC_LIBRARY}
        ${ZstdHidden} -Wl,-z,text
        -o ${CMAKE_BINARY_DIR}/CMakeFiles/ZstdPic/use.so
      RESULT_VARIABLE ZstdFailed OUTPUT_QUIET ERROR_QUIET)
    if(ZstdFailed)
      set(PILGRIM_ZSTD_STATIC_FITS OFF CACHE INTERNAL "")
    else()
      set(PILGRIM_ZSTD_STATIC_FITS ON CACHE INTERNAL "")
    endif()
  endif()
  if(PILGRIM_ZSTD_STATIC_FITS)
    add_library(pilgrim_zstd_static INTERFACE)
    target_include_directories(pilgrim_zstd_static SYSTEM INTERFACE ${ZSTD_INCLUDE_DIR})
    target_link_libraries(pilgrim_zstd_static INTERFACE ${ZSTD_STATIC_LIBRARY})
    target_link_options(pilgrim_zstd_static INTERFACE ${ZstdHidden})
  endif()
endif()
if(NOT TARGET pilgrim_zstd_static)
  message(STATUS "zstd: no archive that fits into a shared library: libpilgrim needs libzstd.so at run time")
endif()

find_path(XXHASH_INCLUDE_DIR xxhash.h)
if(NOT XXHASH_INCLUDE_DIR)
  message(FATAL_ERROR "xxhash.h not found: install libxxhash-dev, or point"
    " CMAKE_PREFIX_PATH at it")
endif()
add_library(pilgrim_xxhash INTERFACE)
target_include_directories(pilgrim_xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_compile_definitions(pilgrim_xxhash INTERFACE XXH_INLINE_ALL)

# pilgrim_optional_package(PACKAGE TARGET LEFT_OUT)
function(pilgrim_optional_package Package Target LeftOut)
  find_package(${Package} QUIET)
  if(NOT TARGET ${Target})
    message(STATUS "${Package} not found: ${LeftOut}")
  endif()
endfunction()

# Packages' targets must be seen by all rooms, which find_package in a function
# grants only with this.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
pilgrim_optional_package(CLI11 CLI11::CLI11 "the pilgrim tool is left out")
pilgrim_optional_package(nlohmann_json nlohmann_json::nlohmann_json "the pilgrim tool is left out")
pilgrim_optional_package(fmt fmt::fmt "the pilgrim tool is left out")
pilgrim_optional_package(GTest GTest::gtest_main "unit tests are left out")
pilgrim_optional_package(benchmark benchmark::benchmark "microbenchmarks are left out")
unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)

# For --timing zfp. libzfp is loaded when it is asked for, so only its header and its name are needed.
find_path(ZFP_INCLUDE_DIR zfp.h)
find_library(ZFP_LIBRARY zfp)
if(ZFP_INCLUDE_DIR AND ZFP_LIBRARY)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${ZFP_LIBRARY} OUTPUT_VARIABLE ZfpHead ERROR_QUIET)
  if(ZfpHead MATCHES "SONAME[ \t]+([^ \t\n]+)")
    set(PILGRIM_ZFP_SONAME ${CMAKE_MATCH_1})
  endif()
endif()
if(NOT PILGRIM_ZFP_SONAME)
  message(STATUS "libzfp not found: --timing zfp is left out")
endif()
find_package(SZ3 QUIET)
if(NOT TARGET SZ3::SZ3)
  message(STATUS "SZ3 not found: --timing sz is left out")
endif()

# For lines of code; pilgrim_libdw.
find_path(LIBDW_INCLUDE_DIR elfutils/libdw.h)
find_library(LIBDW_LIBRARY dw)
find_library(LIBELF_LIBRARY elf)
if(LIBDW_INCLUDE_DIR AND LIBDW_LIBRARY AND LIBELF_LIBRARY)
  add_library(pilgrim_libdw INTERFACE)
  target_include_directories(pilgrim_libdw SYSTEM INTERFACE ${LIBDW_INCLUDE_DIR})
  target_link_libraries(pilgrim_libdw INTERFACE ${LIBDW_LIBRARY} ${LIBELF_LIBRARY})
else()
  message(STATUS "libdw not found: call sites of programs without structure are shown as module and offset")
endif()

include(CheckLanguage)
check_language(Fortran)
if(CMAKE_Fortran_COMPILER)
  enable_language(Fortran)
else()
  message(STATUS "Fortran compiler not found: Fortran bindings and their tests are left out")
endif()

# Tools of the tests, in any LLVM that is here, newest tested first.
set(PilgrimLlvmHints "")
foreach(Version 19 20 18 17 16)
  list(APPEND PilgrimLlvmHints /usr/lib/llvm-${Version}/bin)
endforeach()
find_program(PILGRIM_FILECHECK FileCheck HINTS ${PilgrimLlvmHints}
  DOC "LLVM's FileCheck, for tests")
find_program(PILGRIM_NOT not HINTS ${PilgrimLlvmHints} DOC "LLVM's not, for tests")
find_program(PILGRIM_LIT NAMES lit.py lit llvm-lit
  HINTS /usr/lib/llvm-19/build/utils/lit /usr/lib/llvm-20/build/utils/lit
        /usr/lib/llvm-18/build/utils/lit /usr/lib/llvm-17/build/utils/lit
        /usr/lib/llvm-16/build/utils/lit
  DOC "LLVM's lit, for tests")
find_program(PILGRIM_CLANG NAMES clang-19 clang-20 clang-18 clang-17 clang-16 clang
  DOC "clang, for tests and for the pass")
if(NOT PILGRIM_LIT OR NOT PILGRIM_FILECHECK OR NOT PILGRIM_NOT)
  message(STATUS "lit, FileCheck or not not found: end-to-end tests are left out")
endif()
if(NOT PILGRIM_CLANG)
  message(STATUS "clang not found: tests that compile with it are left out")
endif()
include(PilgrimWrappers) # kin of that clang
