# What other builds need to link libpilgrim: find_package(Pilgrim) with targets
# pilgrim::instrument and Pilgrim::pilgrim, and pkg-config's pilgrim.pc. Written
# where runtime/ is built; the library itself is installed by its room. Both
# files find the library from where they lie, so an installed tree can be moved.

if(NOT EXISTS ${PROJECT_SOURCE_DIR}/runtime/CMakeLists.txt)
  return()
endif()

include(CMakePackageConfigHelpers)
set(PackageDir ${CMAKE_INSTALL_LIBDIR}/cmake/Pilgrim)
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/PilgrimConfig.cmake.in
  ${CMAKE_BINARY_DIR}/PilgrimConfig.cmake
  INSTALL_DESTINATION ${PackageDir}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
configure_file(${CMAKE_CURRENT_LIST_DIR}/PilgrimInstrument.cmake
  ${CMAKE_BINARY_DIR}/PilgrimInstrument.cmake COPYONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/PilgrimConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
# find_package(pilgrim) looks for this name.
file(WRITE ${CMAKE_BINARY_DIR}/pilgrim-config.cmake
  "# find_package(pilgrim): the same as find_package(Pilgrim).\n"
  "include(\"\${CMAKE_CURRENT_LIST_DIR}/PilgrimConfig.cmake\")\n"
  "if(DEFINED Pilgrim_FOUND AND NOT Pilgrim_FOUND)\n"
  "  set(pilgrim_FOUND FALSE)\n"
  "endif()\n")
configure_file(${CMAKE_BINARY_DIR}/PilgrimConfigVersion.cmake
  ${CMAKE_BINARY_DIR}/pilgrim-config-version.cmake COPYONLY)
install(FILES
  ${CMAKE_BINARY_DIR}/PilgrimConfig.cmake
  ${CMAKE_BINARY_DIR}/PilgrimConfigVersion.cmake
  ${CMAKE_BINARY_DIR}/pilgrim-config.cmake
  ${CMAKE_BINARY_DIR}/pilgrim-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/PilgrimInstrument.cmake
  DESTINATION ${PackageDir})

# From lib[/triplet]/pkgconfig up to the prefix.
file(RELATIVE_PATH PILGRIM_PC_TO_PREFIX
  /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PILGRIM_PC_TO_PREFIX "${PILGRIM_PC_TO_PREFIX}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/pilgrim.pc.in
  ${CMAKE_BINARY_DIR}/pilgrim.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/pilgrim.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Licence and documentation.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Debug information is for who develops Pilgrim: most of the bytes, and nobody's
# at run time. Last, when everything is there. -DPILGRIM_STRIP=OFF keeps it.
option(PILGRIM_STRIP "Install programs and libraries without debug information" ON)
if(PILGRIM_STRIP AND CMAKE_STRIP)
  set(Stripped ${CMAKE_INSTALL_LIBDIR}/libpilgrim.so ${CMAKE_INSTALL_LIBDIR}/pilgrim/pilgrim-pass.so)
  foreach(Name pilgrim pilgrim-cc pilgrim-cxx pilgrim-fort pilgrim-replay)
    list(APPEND Stripped ${CMAKE_INSTALL_BINDIR}/${Name})
  endforeach()
  install(CODE "
    foreach(Name ${Stripped})
      set(File \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${Name}\")
      if(EXISTS \"\${File}\")
        execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug \"\${File}\")
      endif()
    endforeach()")
endif()
