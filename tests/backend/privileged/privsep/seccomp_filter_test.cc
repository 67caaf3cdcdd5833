#include "backend/privileged/privsep/seccomp_filter.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/privsep/child.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

constexpr char kKilled[] = "was killed for a forbidden system call";

// How `call` ends under the filter: its result, or why there is none.
std::string Under(const SeccompFilter& filter,
                  const std::function<long()>& call) {
  auto child = Child::Start([&](ChildPipe* pipe) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (!filter.Install().ok()) return;
    errno = 0;
    const long result = call();
    pipe->Respond(result >= 0 ? "done" : absl::StrCat("errno ", errno));
  });
  REQUIRE_THAT(child, IsOk());
  const ChildReport report = child->Await(absl::Now() + testing::kWaitTimeout);
  return report.responded ? report.response : report.end;
}

long NewSocket(int family) { return socket(family, SOCK_STREAM, 0); }

TEST_CASE("seccomp filter: no programs, processes or tracing", "[backend]") {
  const SeccompFilters filters = MakeSeccompFilters().value();
  for (const SeccompFilter* filter :
       {&filters.request, &filters.executor, &filters.storage_executor,
        &filters.storage_area}) {
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
  const SeccompFilter filter = SeccompFilter::ForExecutor().value();
  CHECK(Under(filter, [] { return kill(getppid(), 0); }) == kKilled);
  CHECK(Under(filter, [] { return NewSocket(AF_PACKET); }) == kKilled);
  CHECK(Under(filter, [] { return accept(0, nullptr, nullptr); }) == kKilled);
  CHECK(Under(filter, [] { return NewSocket(AF_INET); }) == "done");
}

TEST_CASE("seccomp filter: a storage area process opens no socket",
          "[backend]") {
  const SeccompFilter filter = SeccompFilter::ForStorageArea().value();
  CHECK(Under(filter, [] { return NewSocket(AF_INET); }) == kKilled);
  CHECK(Under(filter, [] { return NewSocket(AF_UNIX); }) == kKilled);
  CHECK(Under(filter, [] { return kill(getppid(), 0); }) == kKilled);
  CHECK(Under(filter, [] { return mkdirat(AT_FDCWD, "/", 0); }) == kKilled);
  // Of quotactl(2) only the reading of one's own is of use without root.
  CHECK(Under(filter, [] { return syscall(SYS_quotactl, 0, 0, 0, 0); }) ==
        kKilled);
  CHECK(Under(filter, [] { return open("/", O_PATH); }) == "done");
}

TEST_CASE("seccomp filter: a storage executor changes no ids", "[backend]") {
  const SeccompFilter filter = SeccompFilter::ForStorageExecutor().value();
  CHECK(Under(filter, [] { return syscall(SYS_setresuid, 1, 1, 1); }) ==
        kKilled);
  CHECK(Under(filter, [] { return setgroups(0, nullptr); }) == kKilled);
  CHECK(Under(filter, [] { return kill(getppid(), 0); }) == kKilled);
  CHECK(Under(filter, [] { return NewSocket(AF_UNIX); }) == "done");
}

}  // namespace
}  // namespace carme::impersonator
