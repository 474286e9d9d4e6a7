# The ZooKeeper C client as Debian packs it, which comes without a CMake package. Defines ZooKeeper::zookeeper_mt: the
# multi-threaded library, with the synchronous calls that its header hides without THREADED.
find_path(ZooKeeper_INCLUDE_DIR zookeeper/zookeeper.h)
find_library(ZooKeeper_MT_LIBRARY zookeeper_mt)

if(ZooKeeper_INCLUDE_DIR)
  file(STRINGS "${ZooKeeper_INCLUDE_DIR}/zookeeper/zookeeper_version.h" ZooKeeper_VERSION REGEX "define ZOO_VERSION ")
  string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" ZooKeeper_VERSION "${ZooKeeper_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ZooKeeper VERSION_VAR ZooKeeper_VERSION
                                  REQUIRED_VARS ZooKeeper_INCLUDE_DIR ZooKeeper_MT_LIBRARY)
if(ZooKeeper_FOUND AND NOT TARGET ZooKeeper::zookeeper_mt)
  add_library(ZooKeeper::zookeeper_mt INTERFACE IMPORTED)
  target_include_directories(ZooKeeper::zookeeper_mt SYSTEM INTERFACE "${ZooKeeper_INCLUDE_DIR}")
  target_compile_definitions(ZooKeeper::zookeeper_mt INTERFACE THREADED)
  target_link_libraries(ZooKeeper::zookeeper_mt INTERFACE "${ZooKeeper_MT_LIBRARY}" Threads::Threads)
endif()
mark_as_advanced(ZooKeeper_INCLUDE_DIR ZooKeeper_MT_LIBRARY)
