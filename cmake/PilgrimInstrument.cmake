# pilgrim::instrument, which does for a target what the compiler wrappers do: it
# is compiled with the plugin, and linked with libpilgrim before any MPI library.
# Part of the installed package, and of the build itself.

# Says what keeps a language's code from being instrumented, once, and leaves
# the plugin away there.
function(pilgrim_check_compiler Language Id Major)
  if(NOT CMAKE_${Language}_COMPILER_ID OR PILGRIM_CHECKED_${Language})
    return()
  endif()
  set(PILGRIM_CHECKED_${Language} TRUE CACHE INTERNAL "")
  if(NOT CMAKE_${Language}_COMPILER_ID STREQUAL Id)
    message(STATUS "pilgrim::instrument: ${CMAKE_${Language}_COMPILER} is ${CMAKE_${Language}_COMPILER_ID}, not ${Id}:"
      " ${Language} code is traced without its structure")
  elseif(NOT CMAKE_${Language}_COMPILER_VERSION MATCHES "^${Major}\\.")
    message(WARNING "pilgrim::instrument: ${CMAKE_${Language}_COMPILER} is ${Id} ${CMAKE_${Language}_COMPILER_VERSION},"
      " but the plugin is for LLVM ${Major}: ${Language} code is traced without its structure."
      " Set CMAKE_${Language}_COMPILER to one of LLVM ${Major}.")
  endif()
endfunction()

# pilgrim_define_instrument(LIBRARY PLUGIN MAJOR): paths of libpilgrim.so and of
# the plugin, "" where there is none, and the version of LLVM that it fits.
function(pilgrim_define_instrument Library Plugin Major)
  add_library(pilgrim::instrument INTERFACE IMPORTED GLOBAL)
  # First, whatever order the target names its libraries in; and the MPI must
  # stay linked, though all that is used of it is found in libpilgrim.
  get_filename_component(LibraryDir "${Library}" DIRECTORY)
  set_target_properties(pilgrim::instrument PROPERTIES
    INTERFACE_LINK_OPTIONS "LINKER:--no-as-needed;LINKER:${Library};LINKER:-rpath,${LibraryDir}"
    INTERFACE_LINK_DEPENDS "${Library}")
  if(NOT Plugin)
    message(STATUS "pilgrim::instrument: there is no plugin: code is traced without its structure")
    return()
  endif()
  math(EXPR Next "${Major} + 1")
  foreach(Pair C=Clang CXX=Clang Fortran=LLVMFlang)
    string(REGEX MATCH "^(.*)=(.*)$" Pair ${Pair})
    set(Language ${CMAKE_MATCH_1})
    set(Id ${CMAKE_MATCH_2})
    pilgrim_check_compiler(${Language} ${Id} ${Major})
    set(Version "$<${Language}_COMPILER_VERSION>")
    if(Language STREQUAL Fortran AND NOT CMAKE_Fortran_COMPILER_VERSION)
      set(Version ${Major}) # CMake does not always learn it
    endif()
    set(Fits "$<COMPILE_LANG_AND_ID:${Language},${Id}>"
      "$<VERSION_GREATER_EQUAL:${Version},${Major}>" "$<VERSION_LESS:${Version},${Next}>")
    list(JOIN Fits "," Fits)
    set_property(TARGET pilgrim::instrument APPEND PROPERTY
      INTERFACE_COMPILE_OPTIONS "$<$<AND:${Fits}>:-fpass-plugin=${Plugin}>")
  endforeach()
endfunction()
