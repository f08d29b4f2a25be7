# The MPI to build for. FindMPI prefers whatever `mpicc` points at and mixes
# up installations that lie side by side; here one compiler wrapper names the
# MPI, and its own `-show` says what to pass.
#
#   PILGRIM_MPICC      the wrapper (cache; default mpicc.mpich, then mpicc, cc)
#   PILGRIM_MPICXX, PILGRIM_MPIFORT, PILGRIM_MPIEXEC   its kin (cache)
#   PILGRIM_MPI_FLAVOR mpich (and derivatives), openmpi or other
#   pilgrim_mpi        include directories and definitions
#   pilgrim_mpi_link   the same, and linked with the MPI library

find_program(PILGRIM_MPICC NAMES mpicc.mpich mpicc cc
  DOC "C compiler wrapper of the MPI to build for")
if(NOT PILGRIM_MPICC)
  message(FATAL_ERROR "No MPI compiler wrapper found: set PILGRIM_MPICC")
endif()

# A bare name becomes the path that it stands for.
find_program(MpiccPath ${PILGRIM_MPICC} NO_CACHE)
if(NOT MpiccPath)
  message(FATAL_ERROR "PILGRIM_MPICC: no program ${PILGRIM_MPICC}")
endif()
set_property(CACHE PILGRIM_MPICC PROPERTY VALUE ${MpiccPath})

# The wrapper's kin has its suffix and stands beside it.
get_filename_component(MpiBin ${PILGRIM_MPICC} DIRECTORY)
get_filename_component(MpiSuffix ${PILGRIM_MPICC} NAME)
if(MpiSuffix MATCHES "^mpicc(.*)$")
  set(MpiSuffix "${CMAKE_MATCH_1}")
else()
  set(MpiSuffix "")
endif()
find_program(PILGRIM_MPICXX NAMES mpicxx${MpiSuffix} mpic++${MpiSuffix}
  HINTS ${MpiBin} DOC "C++ compiler wrapper of the same MPI")
find_program(PILGRIM_MPIFORT NAMES mpifort${MpiSuffix} mpif90${MpiSuffix}
  HINTS ${MpiBin} DOC "Fortran compiler wrapper of the same MPI")
find_program(PILGRIM_MPIEXEC NAMES mpiexec${MpiSuffix} mpirun${MpiSuffix} srun
  HINTS ${MpiBin} DOC "Launcher of the same MPI")

# Sorts one compiler command into include directories, compile options and
# link options.
function(pilgrim_split_show Command Includes CompileOptions LinkOptions)
  # Some wrappers print preparatory commands first.
  string(STRIP "${Command}" Command)
  string(REGEX REPLACE ".*\n" "" Command "${Command}")
  separate_arguments(Words UNIX_COMMAND "${Command}")
  list(POP_FRONT Words)
  set(Inc "")
  set(Comp "")
  set(Link "")
  while(Words)
    list(POP_FRONT Words Word)
    if(Word STREQUAL "-I" OR Word STREQUAL "-isystem")
      list(POP_FRONT Words Word)
      list(APPEND Inc "${Word}")
    elseif(Word MATCHES "^-I(.+)$")
      list(APPEND Inc "${CMAKE_MATCH_1}")
    elseif(Word MATCHES "^-D")
      list(APPEND Comp "${Word}")
    elseif(Word STREQUAL "-pthread")
      list(APPEND Comp "${Word}")
      list(APPEND Link "${Word}")
    elseif(Word MATCHES "^-(L|l|Wl,)" OR Word MATCHES "\\.(a|so)$")
      list(APPEND Link "${Word}")
    elseif(Word STREQUAL "-Xlinker")
      list(POP_FRONT Words Word)
      list(APPEND Link "LINKER:${Word}")
    endif() # optimisation and hardening of whoever built the MPI is not ours
  endwhile()
  set(${Includes} "${Inc}" PARENT_SCOPE)
  set(${CompileOptions} "${Comp}" PARENT_SCOPE)
  set(${LinkOptions} "${Link}" PARENT_SCOPE)
endfunction()

execute_process(COMMAND ${PILGRIM_MPICC} -show
  OUTPUT_VARIABLE MpiShow ERROR_VARIABLE MpiShowError RESULT_VARIABLE MpiShowFailed)
if(MpiShowFailed)
  # Cray's cc has no -show and needs no flags: the compiler itself knows.
  message(STATUS "${PILGRIM_MPICC} -show failed: taking no flags from it")
  set(MpiShow "${PILGRIM_MPICC}")
endif()
pilgrim_split_show("${MpiShow}" MpiIncludes MpiCompileOptions MpiLinkOptions)

add_library(pilgrim_mpi INTERFACE)
target_include_directories(pilgrim_mpi SYSTEM INTERFACE ${MpiIncludes})
target_compile_options(pilgrim_mpi INTERFACE ${MpiCompileOptions})
# The C++ bindings of MPI 2 are gone from the standard, but not from headers.
target_compile_definitions(pilgrim_mpi INTERFACE
  MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX MPI_NO_CPPBIND)
add_library(pilgrim_mpi_link INTERFACE)
target_link_libraries(pilgrim_mpi_link INTERFACE pilgrim_mpi ${MpiLinkOptions})
# For the generator in api/, which reads mpi.h itself.
set(PILGRIM_MPI_INCLUDE_DIRS ${MpiIncludes})

include(CheckCSourceCompiles)
block(PROPAGATE PILGRIM_MPI_FLAVOR)
  # The answers hold for one wrapper: ask again when it changes.
  if(NOT "${PILGRIM_MPICC}" STREQUAL "${PILGRIM_MPI_CHECKED}")
    unset(PILGRIM_HAVE_MPI_H CACHE)
    unset(PILGRIM_MPI_IS_MPICH CACHE)
    unset(PILGRIM_MPI_IS_OPENMPI CACHE)
    set(PILGRIM_MPI_CHECKED "${PILGRIM_MPICC}" CACHE INTERNAL "")
  endif()
  set(CMAKE_REQUIRED_INCLUDES ${MpiIncludes})
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  check_c_source_compiles("#include <mpi.h>
    MPI_Comm Comm;" PILGRIM_HAVE_MPI_H)
  check_c_source_compiles("#include <mpi.h>
    #ifndef MPICH_NUMVERSION
    #error
    #endif
    MPI_Comm Comm;" PILGRIM_MPI_IS_MPICH)
  check_c_source_compiles("#include <mpi.h>
    #ifndef OMPI_MAJOR_VERSION
    #error
    #endif
    MPI_Comm Comm;" PILGRIM_MPI_IS_OPENMPI)
  if(PILGRIM_MPI_IS_MPICH)
    set(PILGRIM_MPI_FLAVOR mpich)
  elseif(PILGRIM_MPI_IS_OPENMPI)
    set(PILGRIM_MPI_FLAVOR openmpi)
  else()
    set(PILGRIM_MPI_FLAVOR other)
  endif()
endblock()
if(NOT PILGRIM_HAVE_MPI_H)
  message(FATAL_ERROR "mpi.h does not compile with the flags of ${PILGRIM_MPICC}:"
    " set PILGRIM_MPICC to the compiler wrapper of an MPI")
endif()
message(STATUS "MPI: ${PILGRIM_MPICC} (${PILGRIM_MPI_FLAVOR})")

# A second MPI, only for tests that say so.
set(PILGRIM_OPENMPI_PREFIX "" CACHE PATH
  "Prefix of an Open MPI installation to test with (optional)")
