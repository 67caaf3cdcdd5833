// The switch to a user, looked at from within: the child reads /proc/self.
#include <dirent.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/privsep/become_user.h"
#include "backend/privileged/privsep/child.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

Account Ada() {
  Account account;
  account.name = "ada";
  account.uid = 20001;
  account.gid = 20001;
  account.home = "/home/ada";
  account.groups = {20001, 20100};
  return account;
}

// What `run` returns in a child that has become `account`.
std::string InChild(const Account& account,
                    const std::function<std::string()>& run) {
  auto child = Child::Start([&](ChildPipe* pipe) {
    const absl::Status became = BecomeUser(account, pipe->fd());
    pipe->Respond(became.ok() ? run() : std::string(became.message()));
  });
  REQUIRE_THAT(child, IsOk());
  const ChildReport report = child->Await(absl::Now() + testing::kWaitTimeout);
  REQUIRE(report.responded);
  return report.response;
}

std::string OpenFds() {
  std::string fds;
  DIR* dir = opendir("/proc/self/fd");
  if (dir == nullptr) return "no /proc";
  while (const dirent* entry = readdir(dir)) {
    char target[256] = "";
    const std::string path = absl::StrCat("/proc/self/fd/", entry->d_name);
    if (readlink(path.c_str(), target, sizeof target - 1) <= 0) continue;
    // A directory of one's own that is not dumpable reads as root's.
    absl::StrAppend(&fds, entry->d_name, "=", target, "\n");
  }
  closedir(dir);
  return fds;
}

TEST_CASE("become user: refuses to become root", "[backend]") {
  Account account = Ada();
  account.uid = 0;
  CHECK_THAT(InChild(account, [] { return std::string("came through"); }),
             Catch::Contains("switch to root"));
  account = Ada();
  account.gid = 0;
  CHECK_THAT(InChild(account, [] { return std::string("came through"); }),
             Catch::Contains("switch to root"));
}

TEST_CASE("become user: refuses if capabilities would be kept", "[backend]") {
  auto child = Child::Start([&](ChildPipe* pipe) {
    prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
    pipe->Respond(std::string(BecomeUser(Ada(), pipe->fd()).message()));
  });
  REQUIRE_THAT(child, IsOk());
  const ChildReport report = child->Await(absl::Now() + testing::kWaitTimeout);
  CHECK_THAT(report.response, Catch::Contains("root could be regained") ||
                                  Catch::Contains("capabilities are left"));
}

TEST_CASE("become user: /proc/self/status shows the user", "[backend]") {
  const std::string status = InChild(
      Ada(), [] { return ReadFile("/proc/self/status").value_or("no /proc"); });
  for (const char* line :
       {"\nUid:\t20001\t20001\t20001\t20001\n",
        "\nGid:\t20001\t20001\t20001\t20001\n", "\nGroups:\t20001 20100 \n",
        "\nNoNewPrivs:\t1\n", "\nCapInh:\t0000000000000000\n",
        "\nCapPrm:\t0000000000000000\n", "\nCapEff:\t0000000000000000\n",
        "\nCapAmb:\t0000000000000000\n", "\nUmask:\t0077\n",
        "\nThreads:\t1\n"}) {
    CHECK_THAT(status, Catch::Contains(line));
  }
}

TEST_CASE("become user: root cannot be regained", "[backend]") {
  CHECK(InChild(Ada(), [] {
          return absl::StrCat(setuid(0), seteuid(0), setresuid(0, 0, 0),
                              setgid(0), setegid(0),
                              setgid(20100) == 0 ? "switched" : "-",
                              access("/etc/shadow", R_OK));
        }) == "-1-1-1-1-1--1");
}

TEST_CASE("become user: keeps nothing of root", "[backend]") {
  setenv("SLURM_CONF", "/elsewhere", 1);
  int sockets[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);  // no CLOEXEC
  const std::string found = InChild(Ada(), [] {
    char directory[256] = "";
    return absl::StrCat(environ == nullptr ? 0 : 1, " ",
                        getcwd(directory, sizeof directory), "\n", OpenFds());
  });
  close(sockets[0]);
  close(sockets[1]);
  unsetenv("SLURM_CONF");
  CHECK_THAT(found, Catch::StartsWith("0 /\n"));
  CHECK_THAT(found, Catch::Contains("0=/dev/null\n1=/dev/null\n2=/dev/null\n"));
  // stdin, stdout, stderr, the line to the parent, the directory being read.
  CHECK(std::count(found.begin(), found.end(), '\n') == 6);
  const size_t line = found.find("=socket:");
  CHECK(line != std::string::npos);
  CHECK(found.find("=socket:", line + 1) == std::string::npos);
}

}  // namespace
}  // namespace carme::impersonator
