# How everything here is compiled: one language standard, one set of warnings,
# and a stricter set for what ends up inside traced programs. A room uses
# pilgrim_add_library and pilgrim_add_tool, or links pilgrim_flags itself.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
# Static libraries of trace/ and runtime/core end up in libpilgrim.so.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(PILGRIM_SANITIZE "" CACHE STRING
  "Sanitizers to build with, as in -fsanitize= (address,undefined or thread)")
option(PILGRIM_WERROR "Make compiler warnings errors" OFF)

if(PILGRIM_SANITIZE)
  add_compile_options(-fsanitize=${PILGRIM_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PILGRIM_SANITIZE})
  # Objects of trace/ are made without RTTI, which this check would ask for.
  if(PILGRIM_SANITIZE MATCHES undefined)
    add_compile_options(-fno-sanitize=vptr)
  endif()
endif()

# Every target: warnings, and nothing visible that is not exported on purpose.
add_library(pilgrim_flags INTERFACE)
target_compile_options(pilgrim_flags INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-fvisibility=hidden>
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
  $<$<AND:$<BOOL:${PILGRIM_WERROR}>,$<COMPILE_LANGUAGE:C,CXX>>:-Werror>)
if(CMAKE_UNITY_BUILD) # whose objects hold several files; g++ takes these files for headers
  target_compile_options(pilgrim_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
target_compile_definitions(pilgrim_flags INTERFACE
  $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
target_include_directories(pilgrim_flags INTERFACE ${PROJECT_SOURCE_DIR})

# What is loaded into traced programs. No exception may cross into C, TLS must
# cost one load, and the program's libstdc++ (or its lack of one) must not
# matter.
add_library(pilgrim_runtime_flags INTERFACE)
target_link_libraries(pilgrim_runtime_flags INTERFACE pilgrim_flags)
target_compile_options(pilgrim_runtime_flags INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-fPIC;-ftls-model=initial-exec>
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti>)
target_link_options(pilgrim_runtime_flags INTERFACE
  $<$<LINK_LANGUAGE:CXX>:-static-libstdc++> -static-libgcc
  # Or a C++ program would find half of this libstdc++ before its own.
  LINKER:--exclude-libs,libstdc++.a:libgcc.a:libgcc_eh.a)

set(PILGRIM_OBJECTS_FROM "" CACHE PATH
  "Build folder of the same sources whose objects are taken where they do not depend on the MPI")

# pilgrim_add_library(NAME [SHARED|STATIC] [RUNTIME] SOURCES...)
# RUNTIME: the library is, or becomes part of, what traced programs load.
# No library that is made with this function depends on the MPI.
function(pilgrim_add_library Name)
  cmake_parse_arguments(PARSE_ARGV 1 Arg "SHARED;STATIC;RUNTIME" "" "")
  set(Kind STATIC)
  if(Arg_SHARED)
    set(Kind SHARED)
  endif()
  set(Sources ${Arg_UNPARSED_ARGUMENTS})
  if(PILGRIM_OBJECTS_FROM AND Arg_RUNTIME)
    file(RELATIVE_PATH Room ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    file(GLOB_RECURSE Sources ${PILGRIM_OBJECTS_FROM}/${Room}/CMakeFiles/${Name}.dir/*.o)
  endif()
  add_library(${Name} ${Kind} ${Sources})
  set_target_properties(${Name} PROPERTIES LINKER_LANGUAGE CXX)
  if(Arg_RUNTIME)
    target_link_libraries(${Name} PRIVATE $<BUILD_INTERFACE:pilgrim_runtime_flags>)
  else()
    target_link_libraries(${Name} PRIVATE $<BUILD_INTERFACE:pilgrim_flags>)
  endif()
endfunction()

# pilgrim_add_tool(NAME SOURCES...): a program that is built into bin/ and
# installed.
function(pilgrim_add_tool Name)
  add_executable(${Name} ${ARGN})
  target_link_libraries(${Name} PRIVATE pilgrim_flags)
  install(TARGETS ${Name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
