# Compiler settings that every target shares: the language, warnings, sanitizers and the compiler cache.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(FROND_CCACHE ccache)
if(FROND_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness settings are what ccache needs to cache files that use a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${FROND_CCACHE}")
endif()

add_library(frond_options INTERFACE)
target_compile_options(frond_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                               -Woverloaded-virtual -fpch-preprocess)
# Instrumented code confuses the flow analysis of g++ 12 (GCC 105329, 105651, 107852): the sanitizer builds leave these
# warnings, and the verdict on all others, to the release build.
if(FROND_WERROR AND NOT FROND_SANITIZE)
  target_compile_options(frond_options INTERFACE -Werror)
endif()

if(FROND_SANITIZE)
  if(FROND_SANITIZE MATCHES "thread" AND FROND_SANITIZE MATCHES "address")
    message(FATAL_ERROR "FROND_SANITIZE: address and thread cannot be combined")
  endif()
  target_compile_options(frond_options INTERFACE -fsanitize=${FROND_SANITIZE} -fno-omit-frame-pointer -O1
                                                 -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow
                                                 -Wno-stringop-overread -Wno-maybe-uninitialized)
  target_link_options(frond_options INTERFACE -fsanitize=${FROND_SANITIZE})
  if(FROND_SANITIZE MATCHES "undefined")
    target_compile_options(frond_options INTERFACE -fno-sanitize-recover=undefined)
  endif()
  if(FROND_SANITIZE MATCHES "thread")
    # Asio's fences are invisible to TSan and g++ 12 warns of them: chriskohlhoff/asio#1193.
    target_compile_options(frond_options INTERFACE -Wno-tsan)
  endif()
endif()
