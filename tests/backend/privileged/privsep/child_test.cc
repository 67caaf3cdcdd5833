#include "backend/privileged/privsep/child.h"

#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "absl/time/clock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

using testing::kWaitTimeout;

ChildReport Run(absl::Duration timeout,
                const std::function<void(ChildPipe*)>& run) {
  auto child = Child::Start(run);
  REQUIRE_THAT(child, IsOk());
  child->Commit();
  return child->Await(absl::Now() + timeout);
}

TEST_CASE("child: is killed in time if it hangs", "[backend]") {
  ChildReport report;
  // As long as this machine needs for the beginning.
  for (auto time = absl::Milliseconds(50); !report.begun; time *= 2) {
    REQUIRE(time < kWaitTimeout);
    report = Run(time, [](ChildPipe* pipe) {
      pipe->Begin();
      while (true) pause();
    });
  }
  CHECK_FALSE(report.responded);
  CHECK(report.end == "timed out");
}

TEST_CASE("child: the report shows the last step of a killed child",
          "[backend]") {
  ChildReport report = Run(kWaitTimeout, [](ChildPipe*) { raise(SIGKILL); });
  CHECK_FALSE(report.begun);
  CHECK(report.end == "killed by signal 9");
  report = Run(kWaitTimeout, [](ChildPipe* pipe) {
    pipe->Begin();
    _exit(3);
  });
  CHECK(report.begun);
  CHECK(report.end == "ended with code 3");
}

TEST_CASE("child: is killed in time if it closes its socket and stays",
          "[backend]") {
  ChildReport report;
  report.end = "timed out";  // before it had closed it
  for (auto time = absl::Milliseconds(100); report.end == "timed out";
       time *= 2) {
    REQUIRE(time < kWaitTimeout);
    report = Run(time, [](ChildPipe* pipe) {
      close(pipe->fd());
      while (true) pause();
    });
  }
  CHECK(report.end == "killed by signal 9");
}

TEST_CASE("child: a response is bounded", "[backend]") {
  const ChildReport report = Run(kWaitTimeout, [](ChildPipe* pipe) {
    pipe->Respond(std::string(100 * kMaxReportBytes, 'x'));
  });
  CHECK(report.responded);
  CHECK(report.response.size() == kMaxReportBytes);
}

TEST_CASE("child: is killed if it floods the socket", "[backend]") {
  const ChildReport report = Run(kWaitTimeout, [](ChildPipe* pipe) {
    const std::string flood(1 << 20, 'x');
    while (write(pipe->fd(), flood.data(), flood.size()) > 0) {
    }
  });
  CHECK_FALSE(report.responded);
  CHECK(report.end == "killed by signal 9");
}

TEST_CASE("child: a response does not wait for the child's end", "[backend]") {
  const absl::Time start = absl::Now();
  const ChildReport report = Run(kWaitTimeout, [](ChildPipe* pipe) {
    pipe->Respond("done");
    while (true) pause();
  });
  CHECK(report.response == "done");
  CHECK(absl::Now() - start < kWaitTimeout / 2);
}

TEST_CASE("child: does not begin without a commit", "[backend]") {
  auto child = Child::Start([](ChildPipe* pipe) {
    pipe->Respond(pipe->Begin() ? "went" : "stayed");
  });
  REQUIRE_THAT(child, IsOk());
  CHECK(child->Await(absl::Now() + absl::Milliseconds(50)).end == "timed out");
}

TEST_CASE("child: begins after the commit", "[backend]") {
  auto child = Child::Start([](ChildPipe* pipe) {
    pipe->Respond(pipe->Begin() ? "went" : "stayed");
  });
  REQUIRE_THAT(child, IsOk());
  child->Commit();
  CHECK(child->Await(absl::Now() + kWaitTimeout).response == "went");
}

TEST_CASE("child: needs only one commit", "[backend]") {
  auto child = Child::Start([](ChildPipe* pipe) {
    if (!pipe->AwaitCommit()) return;
    pipe->Respond(pipe->Begin() ? "went" : "stayed");
  });
  REQUIRE_THAT(child, IsOk());
  CHECK(child->Await(absl::Now() + absl::Milliseconds(50)).end == "timed out");
  child->Commit();
  const ChildReport report = child->Await(absl::Now() + kWaitTimeout);
  CHECK(report.begun);
  CHECK(report.response == "went");
}

TEST_CASE("child: reports the permission before the response", "[backend]") {
  const absl::Time deadline = absl::Now() + kWaitTimeout;
  auto child = Child::Start([](ChildPipe* pipe) {
    pipe->Permit();
    if (pipe->Begin()) pipe->Respond("done");
  });
  REQUIRE_THAT(child, IsOk());
  const ChildReport first = child->AwaitPermission(deadline);
  CHECK(first.permitted);
  CHECK_FALSE(first.begun);
  child->Commit();
  const ChildReport last = child->Await(deadline);
  CHECK(last.permitted);
  CHECK(last.begun);
  CHECK(last.response == "done");
}

TEST_CASE("child: its death ends the wait for a permission", "[backend]") {
  const absl::Time deadline = absl::Now() + kWaitTimeout;
  auto child = Child::Start([](ChildPipe*) { _exit(3); });
  REQUIRE_THAT(child, IsOk());
  const ChildReport report = child->AwaitPermission(deadline);
  CHECK_FALSE(report.permitted);
  CHECK(report.end == "ended with code 3");
}

TEST_CASE("child: a response arrives", "[backend]") {
  const ChildReport report = Run(kWaitTimeout, [](ChildPipe* pipe) {
    pipe->Begin();
    pipe->Respond("done");
  });
  CHECK(report.begun);
  CHECK(report.responded);
  CHECK(report.response == "done");
}

}  // namespace
}  // namespace carme::impersonator
