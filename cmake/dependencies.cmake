# Every library comes from the distribution; deploy/packages.txt names them.
find_package(Threads REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
find_package(absl REQUIRED)
find_package(Protobuf REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(GRPC REQUIRED IMPORTED_TARGET grpc++)
find_program(PROTOC protoc REQUIRED)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)

# Those that only some components need are looked up where they are used:
#   backend: libldap, liboath, libmunge, libslurm, SQLite
#   frontend: cpp-httplib      everything with a configuration: toml++
