# Every library comes from the distribution; deploy/packages.txt names them.
find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(PkgConfig REQUIRED)
find_program(PROTOC protoc REQUIRED)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)

# carme_library(TARGET MODULE…): pkg-config's MODULEs as a target, which is the
# distribution's archives for a program that carme_lean() names, and its shared
# libraries for all others.
function(carme_library target module)
  pkg_check_modules(FOUND_${module} REQUIRED ${module} ${ARGN})
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  foreach(library ${FOUND_${module}_LINK_LIBRARIES})
    string(REGEX REPLACE
      "/lib(absl_|address_sorting|gpr|grpc|protobuf|re2|upb)([^/]*)\\.so$"
      "/lib\\1\\2.a" archive ${library})
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES
      "$<IF:${CARME_IS_LEAN},${archive},${library}>")
  endforeach()
endfunction()

foreach(part flat_hash_map flat_hash_set hash status statusor strings
    synchronization time)
  carme_library(absl::${part} absl_${part})
endforeach()
carme_library(protobuf::libprotobuf protobuf)
# gRPC's module does not say what the archive of RE2 needs; that of Debian 13
# needs Abseil's logging.
carme_library(PkgConfig::GRPC grpc++ re2)

# OpenSSL, as archives for a program that carme_static() names.
foreach(part SSL Crypto)
  string(TOLOWER ${part} name)
  string(TOUPPER ${part} upper)
  string(REGEX REPLACE "\\.so$" ".a" archive "${OPENSSL_${upper}_LIBRARY}")
  add_library(carme_${name} INTERFACE)
  target_link_libraries(carme_${name} INTERFACE
    "$<IF:${CARME_IS_STATIC},${archive},OpenSSL::${part}>")
endforeach()

# The HTTP server of the frontend and of metrics. The module's flags decide the
# layout of the library's classes: link this target, never the name alone.
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET GLOBAL cpp-httplib)

# Those that only some components need are looked up where they are used:
#   backend: libldap, liboath, libmunge, libslurm, SQLite
#   everything with a configuration: toml++
