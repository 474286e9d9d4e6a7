# SOCI 4.0 as Debian packs it, which comes without a CMake package. Defines SOCI::soci with the SQLite and MySQL
# back ends and the client libraries that their headers need.
find_path(SOCI_INCLUDE_DIR soci/soci.h)
find_library(SOCI_CORE_LIBRARY soci_core)
find_library(SOCI_SQLITE3_LIBRARY soci_sqlite3)
find_library(SOCI_MYSQL_LIBRARY soci_mysql)
find_path(SOCI_MYSQL_INCLUDE_DIR mysql.h PATH_SUFFIXES mariadb mysql)
find_library(SOCI_MARIADB_LIBRARY mariadb)
find_library(SOCI_SQLITE_LIBRARY sqlite3)

if(SOCI_INCLUDE_DIR)
  file(STRINGS "${SOCI_INCLUDE_DIR}/soci/version.h" SOCI_VERSION REGEX "define SOCI_LIB_VERSION \"")
  string(REGEX REPLACE ".*\"([0-9]+)_([0-9]+)_([0-9]+)\".*" "\\1.\\2.\\3" SOCI_VERSION "${SOCI_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SOCI VERSION_VAR SOCI_VERSION
                                  REQUIRED_VARS SOCI_INCLUDE_DIR SOCI_CORE_LIBRARY SOCI_SQLITE3_LIBRARY
                                  SOCI_MYSQL_LIBRARY SOCI_MYSQL_INCLUDE_DIR SOCI_MARIADB_LIBRARY SOCI_SQLITE_LIBRARY)
if(SOCI_FOUND AND NOT TARGET SOCI::soci)
  add_library(SOCI::soci INTERFACE IMPORTED)
  target_include_directories(SOCI::soci SYSTEM INTERFACE "${SOCI_INCLUDE_DIR}" "${SOCI_MYSQL_INCLUDE_DIR}")
  target_link_libraries(SOCI::soci INTERFACE "${SOCI_MYSQL_LIBRARY}" "${SOCI_SQLITE3_LIBRARY}" "${SOCI_CORE_LIBRARY}"
                                             "${SOCI_MARIADB_LIBRARY}" "${SOCI_SQLITE_LIBRARY}")
endif()
mark_as_advanced(SOCI_INCLUDE_DIR SOCI_CORE_LIBRARY SOCI_SQLITE3_LIBRARY SOCI_MYSQL_LIBRARY SOCI_MYSQL_INCLUDE_DIR
                 SOCI_MARIADB_LIBRARY SOCI_SQLITE_LIBRARY)
