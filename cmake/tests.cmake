# carme_test(NAME LABEL [CLUSTER] SOURCES … LIBS …): a Catch2 program that ctest
# runs under LABEL (unit, server, root, attack). Exit code 77 is a skip. CLUSTER:
# it uses the cluster's Slurm or hosts, or changes them, so that no other such
# test runs beside it. Those go first, because they wait for one another.
carme_wants(tests CARME_WANTS_TESTS)
if(CARME_WANTS_TESTS OR BUILD_TESTING)
  include(CTest)
  find_package(Catch2 2 REQUIRED)
  add_library(carme_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/main.cc)
  target_link_libraries(carme_test_main PUBLIC carme_flags Catch2::Catch2)
endif()

function(carme_cluster_test name)
  set_tests_properties(${name} PROPERTIES RESOURCE_LOCK cluster COST 1000)
endfunction()

function(carme_test name label)
  cmake_parse_arguments(TEST "CLUSTER" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE carme_test_main ${TEST_LIBS})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${label}
    SKIP_RETURN_CODE 77 TIMEOUT 900)
  if(TEST_CLUSTER)
    carme_cluster_test(${name})
  endif()
endfunction()
