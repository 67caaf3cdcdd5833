#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "backend/privileged/storage/seccomp_filters.h"
#include "tests/backend/privileged/privsep/filtered_call.h"

namespace carme::storage_reader {
namespace {

using testing::kKilled;
using testing::Under;

long OpenSocket(int family) { return socket(family, SOCK_STREAM, 0); }

TEST_CASE("storage filter: a process that reads an area opens no socket",
          "[backend]") {
  const SeccompFilter filter = MakeStorageReaderFilters().value().area;
  CHECK(Under(filter, [] { return OpenSocket(AF_INET); }) == kKilled);
  CHECK(Under(filter, [] { return OpenSocket(AF_UNIX); }) == kKilled);
  CHECK(Under(filter, [] { return kill(getppid(), 0); }) == kKilled);
  CHECK(Under(filter, [] { return mkdirat(AT_FDCWD, "/", 0); }) == kKilled);
  // Of quotactl(2) only the reading of one's own is of use without root.
  CHECK(Under(filter, [] { return syscall(SYS_quotactl, 0, 0, 0, 0); }) ==
        kKilled);
  CHECK(Under(filter, [] { return open("/", O_PATH); }) == "done");
}

TEST_CASE("storage filter: an executor changes no ids and no files",
          "[backend]") {
  const SeccompFilter filter = MakeStorageReaderFilters().value().executor;
  CHECK(Under(filter, [] { return syscall(SYS_setresuid, 1, 1, 1); }) ==
        kKilled);
  CHECK(Under(filter, [] { return setgroups(0, nullptr); }) == kKilled);
  CHECK(Under(filter, [] { return kill(getppid(), 0); }) == kKilled);
  CHECK(Under(filter, [] { return mkdirat(AT_FDCWD, "/", 0); }) == kKilled);
  CHECK(Under(filter, [] { return syscall(SYS_quotactl_fd, 0, 0, 0, 0); }) ==
        kKilled);
  CHECK(Under(filter, [] { return OpenSocket(AF_UNIX); }) == "done");
}

}  // namespace
}  // namespace carme::storage_reader
