#include "backend/privileged/privsep/child.h"

#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "absl/time/clock.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

using testing::kPatience;

ChildReport Run(absl::Duration timeout,
                const std::function<void(ChildPipe*)>& act) {
  auto child = Child::Start(act);
  REQUIRE(child.ok());
  child->Commit();
  return child->Await(absl::Now() + timeout);
}

TEST_CASE("child: one that hangs is killed in time", "[backend]") {
  ChildReport report;
  // As long as this machine needs for the beginning.
  for (auto time = absl::Milliseconds(50); !report.begun; time *= 2) {
    REQUIRE(time < kPatience);
    report = Run(time, [](ChildPipe* pipe) {
      pipe->Begin();
      while (true) pause();
    });
  }
  CHECK_FALSE(report.responded);
  CHECK(report.end == "timed out");
}

TEST_CASE("child: one that dies says how far it came", "[backend]") {
  ChildReport report = Run(kPatience, [](ChildPipe*) { raise(SIGKILL); });
  CHECK_FALSE(report.begun);
  CHECK(report.end == "killed by signal 9");
  report = Run(kPatience, [](ChildPipe* pipe) {
    pipe->Begin();
    _exit(3);
  });
  CHECK(report.begun);
  CHECK(report.end == "ended with code 3");
}

TEST_CASE("child: one that closes its line and stays is killed in time",
          "[backend]") {
  ChildReport report;
  report.end = "timed out";  // before it had closed it
  for (auto time = absl::Milliseconds(100); report.end == "timed out";
       time *= 2) {
    REQUIRE(time < kPatience);
    report = Run(time, [](ChildPipe* pipe) {
      close(pipe->fd());
      while (true) pause();
    });
  }
  CHECK(report.end == "killed by signal 9");
}

TEST_CASE("child: an answer is bounded", "[backend]") {
  const ChildReport report = Run(kPatience, [](ChildPipe* pipe) {
    pipe->Respond(std::string(100 * kMaxReportBytes, 'x'));
  });
  CHECK(report.responded);
  CHECK(report.response.size() == kMaxReportBytes);
}

TEST_CASE("child: one that floods the pipe is ended", "[backend]") {
  const ChildReport report = Run(kPatience, [](ChildPipe* pipe) {
    const std::string flood(1 << 20, 'x');
    while (write(pipe->fd(), flood.data(), flood.size()) > 0) {
    }
  });
  CHECK_FALSE(report.responded);
  CHECK(report.end == "killed by signal 9");
}

TEST_CASE("child: an answer does not wait for the child's end", "[backend]") {
  const absl::Time start = absl::Now();
  const ChildReport report = Run(kPatience, [](ChildPipe* pipe) {
    pipe->Respond("done");
    while (true) pause();
  });
  CHECK(report.response == "done");
  CHECK(absl::Now() - start < kPatience / 2);
}

TEST_CASE("child: without a go it does not go on", "[backend]") {
  auto child = Child::Start([](ChildPipe* pipe) {
    pipe->Respond(pipe->Begin() ? "went" : "stayed");
  });
  REQUIRE(child.ok());
  CHECK(child->Await(absl::Now() + absl::Milliseconds(50)).end == "timed out");
}

TEST_CASE("child: goes on when it is told to", "[backend]") {
  auto child = Child::Start([](ChildPipe* pipe) {
    pipe->Respond(pipe->Begin() ? "went" : "stayed");
  });
  REQUIRE(child.ok());
  child->Commit();
  CHECK(child->Await(absl::Now() + kPatience).response == "went");
}

TEST_CASE("child: one go is enough for whoever has heard it", "[backend]") {
  auto child = Child::Start([](ChildPipe* pipe) {
    if (!pipe->AwaitCommit()) return;
    pipe->Respond(pipe->Begin() ? "went" : "stayed");
  });
  REQUIRE(child.ok());
  CHECK(child->Await(absl::Now() + absl::Milliseconds(50)).end == "timed out");
  child->Commit();
  const ChildReport report = child->Await(absl::Now() + kPatience);
  CHECK(report.begun);
  CHECK(report.response == "went");
}

TEST_CASE("child: a permission is heard before the answer", "[backend]") {
  const absl::Time deadline = absl::Now() + kPatience;
  auto child = Child::Start([](ChildPipe* pipe) {
    pipe->Permit();
    if (pipe->Begin()) pipe->Respond("done");
  });
  REQUIRE(child.ok());
  const ChildReport first = child->AwaitPermission(deadline);
  CHECK(first.permitted);
  CHECK_FALSE(first.begun);
  child->Commit();
  const ChildReport last = child->Await(deadline);
  CHECK(last.permitted);
  CHECK(last.begun);
  CHECK(last.response == "done");
}

TEST_CASE("child: who waits for a permission hears of a death", "[backend]") {
  const absl::Time deadline = absl::Now() + kPatience;
  auto child = Child::Start([](ChildPipe*) { _exit(3); });
  REQUIRE(child.ok());
  const ChildReport report = child->AwaitPermission(deadline);
  CHECK_FALSE(report.permitted);
  CHECK(report.end == "ended with code 3");
}

TEST_CASE("child: an answer arrives", "[backend]") {
  const ChildReport report = Run(kPatience, [](ChildPipe* pipe) {
    pipe->Begin();
    pipe->Respond("done");
  });
  CHECK(report.begun);
  CHECK(report.responded);
  CHECK(report.response == "done");
}

}  // namespace
}  // namespace carme::impersonator
