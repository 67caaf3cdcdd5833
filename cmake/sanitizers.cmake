# CARME_SANITIZE: what every program is built with. Each program brings its own
# options (tests/support/sanitizer_options.cc) and writes what is found into
# CARME_SANITIZER_REPORTS, as whichever user it runs.
set(CARME_SANITIZE "" CACHE STRING "address,undefined or thread; empty: none")

# carme_protobuf_struct(SOURCE…): these read google.protobuf.Struct, a message of
# the distribution's library. Where __SANITIZE_THREAD__ is set, Protobuf's headers
# give each map two members more than that library has. They are judged as others.
function(carme_protobuf_struct)
  if(CARME_SANITIZE STREQUAL thread)
    set_source_files_properties(${ARGN} PROPERTIES
      COMPILE_OPTIONS -U__SANITIZE_THREAD__)
  endif()
endfunction()

if(NOT CARME_SANITIZE)
  return()
endif()

set(CARME_SANITIZER_REPORTS ${PROJECT_BINARY_DIR}/reports)
execute_process(COMMAND install -d -m 1777 ${CARME_SANITIZER_REPORTS}
  COMMAND_ERROR_IS_FATAL ANY)
add_compile_options(-fsanitize=${CARME_SANITIZE} -fno-omit-frame-pointer)
add_link_options(-fsanitize=${CARME_SANITIZE})
if(CARME_SANITIZE MATCHES undefined)
  add_compile_options(-fno-sanitize-recover=undefined)
endif()

add_library(carme_sanitizer OBJECT tests/support/sanitizer_options.cc)
target_compile_definitions(carme_sanitizer PRIVATE
  CARME_SANITIZER_REPORTS="${CARME_SANITIZER_REPORTS}")
if(CARME_SANITIZE STREQUAL thread)
  target_sources(carme_sanitizer PRIVATE tests/support/abseil_locks.cc)
endif()
set(is_program $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
target_sources(carme_flags INTERFACE
  $<${is_program}:$<TARGET_OBJECTS:carme_sanitizer>>)
