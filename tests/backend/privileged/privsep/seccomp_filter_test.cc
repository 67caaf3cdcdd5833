#include "backend/privileged/privsep/seccomp_filter.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <initializer_list>

#include "backend/privileged/impersonator/server/seccomp_filters.h"
#include "backend/privileged/storage/seccomp_filters.h"
#include "tests/backend/privileged/privsep/filtered_call.h"

namespace carme {
namespace {

using testing::kKilled;
using testing::Under;

long NewSocket(int family) { return socket(family, SOCK_STREAM, 0); }

TEST_CASE("seccomp filter: no programs, processes or tracing", "[backend]") {
  const auto impersonator = impersonator::MakeImpersonatorFilters().value();
  const auto storage = storage_reader::MakeStorageReaderFilters().value();
  for (const SeccompFilter* filter :
       {&impersonator.request, &impersonator.executor, &storage.request,
        &storage.executor, &storage.area}) {
    for (const auto& call : std::initializer_list<std::function<long()>>{
             [] { return execl("/bin/true", "true", nullptr); },
             [] { return fork(); }, [] { return syscall(SYS_vfork); },
             [] { return ptrace(PTRACE_TRACEME, 0, 0, 0); },
             [] { return setuid(0); }, [] { return syscall(SYS_unshare, 0); },
             [] { return syscall(SYS_mount, 0, 0, 0, 0, 0); },
             [] { return syscall(SYS_bpf, 0, 0, 0); },
             [] { return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); },
             [] { return syscall(SYS_unlinkat, AT_FDCWD, "/nosuch", 0); },
             [] { return listen(0, 1); }}) {
      CHECK(Under(*filter, call) == kKilled);
    }
  }
}

TEST_CASE("seccomp filter: a request process opens no socket or file",
          "[backend]") {
  const SeccompFilter filter = SeccompFilter::ForRequest().value();
  for (const int family : {AF_INET, AF_INET6, AF_NETLINK, AF_UNIX}) {
    CHECK(Under(filter, [&] { return NewSocket(family); }) == kKilled);
  }
#ifndef __SANITIZE_ADDRESS__  // whose report is a file
  CHECK(Under(filter, [] { return open("/dev/null", O_WRONLY); }) == kKilled);
  CHECK(Under(filter, [] { return open("/etc/shadow", O_RDONLY); }) == kKilled);
#endif
  CHECK(Under(filter, [] { return mkdirat(AT_FDCWD, "/", 0); }) == kKilled);
  CHECK(Under(filter, [] { return connect(0, nullptr, 0); }) == kKilled);
  CHECK(Under(filter, [] { return access("/", F_OK); }) == "done");
}

TEST_CASE("seccomp filter: an executor may connect but not send signals",
          "[backend]") {
  const SeccompFilter filter =
      impersonator::MakeImpersonatorFilters().value().executor;
  CHECK(Under(filter, [] { return kill(getppid(), 0); }) == kKilled);
  CHECK(Under(filter, [] { return NewSocket(AF_PACKET); }) == kKilled);
  CHECK(Under(filter, [] { return accept(0, nullptr, nullptr); }) == kKilled);
  CHECK(Under(filter, [] { return NewSocket(AF_INET); }) == "done");
}

}  // namespace
}  // namespace carme
