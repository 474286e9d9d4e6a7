# frond_room(NAME [ASIO] SOURCES ... [USES room...] [LIBRARIES target...])
# One room: a folder under src/, a static library frond_NAME and the alias frond::NAME.
# USES names the rooms it may use; ASIO gives it Asio, Beast and the precompiled header.
function(frond_room name)
  cmake_parse_arguments(ROOM "ASIO" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  add_library(frond_${name} STATIC ${ROOM_SOURCES})
  add_library(frond::${name} ALIAS frond_${name})
  target_include_directories(frond_${name} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(frond_${name} PRIVATE frond_options)
  foreach(used IN LISTS ROOM_USES)
    target_link_libraries(frond_${name} PUBLIC frond::${used})
  endforeach()
  target_link_libraries(frond_${name} PUBLIC ${ROOM_LIBRARIES})
  if(ROOM_ASIO)
    frond_use_asio(frond_${name})
  endif()
endfunction()

# Gives a target Asio and Beast (compiled once, in frond_asio) and the precompiled header that goes with them.
function(frond_use_asio target)
  target_link_libraries(${target} PUBLIC frond_asio)
  target_precompile_headers(${target} REUSE_FROM frond_asio)
  # False positives of g++ 12 in coroutine frames: erigontech/silkworm#2046, cppalliance/corosio#293.
  target_compile_options(${target} PRIVATE -Wno-mismatched-new-delete -Wno-maybe-uninitialized)
endfunction()

# frond_test(NAME [ASIO] SOURCES ... USES room... [LIBRARIES target...])
# The unit tests of one room: tests/NAME/, one GoogleTest program test_NAME, one ctest entry.
function(frond_test name)
  cmake_parse_arguments(TEST "ASIO" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  add_executable(test_${name} ${TEST_SOURCES})
  target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(test_${name} PRIVATE frond_options GTest::gtest GTest::gmock GTest::gtest_main
                                             ${TEST_LIBRARIES})
  foreach(used IN LISTS TEST_USES)
    target_link_libraries(test_${name} PRIVATE frond::${used})
  endforeach()
  if(TEST_ASIO)
    frond_use_asio(test_${name})
  endif()
  add_test(NAME ${name} COMMAND test_${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600)
endfunction()
