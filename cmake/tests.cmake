# carme_test(NAME LABEL [SIZE] [CLUSTER] SOURCES … LIBS …): a Catch2 program that
# ctest runs under LABEL (unit, server, root, attack). SIZE: see carme_test_size;
# unit tests are SMALL, others MEDIUM unless it is given. Exit code 77 is a skip.
# CLUSTER: it uses the cluster's Slurm or hosts, or changes them, so that no
# other such test runs beside it. Those go first, because they wait for one
# another.
carme_wants(tests CARME_WANTS_TESTS)
if(CARME_WANTS_TESTS OR BUILD_TESTING)
  include(CTest)
  # The third version (Debian 13) with the header and names of the second.
  add_library(carme_catch2 INTERFACE)
  find_package(Catch2 3 QUIET)
  if(Catch2_FOUND)
    target_include_directories(carme_catch2 SYSTEM INTERFACE
      ${PROJECT_SOURCE_DIR}/tests/support/catch2_v3)
  else()
    find_package(Catch2 2 REQUIRED)
  endif()
  target_link_libraries(carme_catch2 INTERFACE Catch2::Catch2)
  add_library(carme_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/main.cc)
  target_link_libraries(carme_test_main PUBLIC carme_common_concurrency carme_flags carme_catch2)
endif()

# tests/bench/run switches it on; no test needs it.
option(CARME_BENCHMARKS "build the benchmarks in tests/bench" OFF)

function(carme_cluster_test name)
  set_tests_properties(${name} PROPERTIES RESOURCE_LOCK cluster COST 1000)
endfunction()

# carme_test_size(NAME LABEL SIZE): SMALL takes less than 5 s on two idle cores,
# MEDIUM less than 60 s, LARGE more. The size is a second label, and sets the
# time-out, which leaves room for a busy machine; sanitizers need LARGE's.
function(carme_test_size name label size)
  set(timeout_SMALL 120)
  set(timeout_MEDIUM 400)
  set(timeout_LARGE 900)
  set(timeout ${timeout_${size}})
  if(CARME_SANITIZE)
    set(timeout ${timeout_LARGE})
  endif()
  string(TOLOWER ${size} size)
  set_tests_properties(${name} PROPERTIES LABELS "${label};${size}"
    TIMEOUT ${timeout})
endfunction()

function(carme_test name label)
  cmake_parse_arguments(TEST "CLUSTER;SMALL;MEDIUM;LARGE" "" "SOURCES;LIBS"
    ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE carme_test_main ${TEST_LIBS})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  set(size MEDIUM)
  if(label STREQUAL unit)
    set(size SMALL)
  endif()
  foreach(given SMALL MEDIUM LARGE)
    if(TEST_${given})
      set(size ${given})
    endif()
  endforeach()
  carme_test_size(${name} ${label} ${size})
  if(TEST_CLUSTER)
    carme_cluster_test(${name})
  endif()
endfunction()
