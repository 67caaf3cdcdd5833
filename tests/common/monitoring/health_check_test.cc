#include "common/monitoring/health_check.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/listen.h"
#include "common/monitoring/admin_listener.h"
#include "common/monitoring/monitored_program.h"
#include "tests/support/status_matchers.h"

namespace carme::testing {
namespace {

class FakeHealthyProgram : public MonitoredProgram {
 public:
  std::string Metrics() const override { return ""; }
  absl::Status Alive() const override { return alive; }
  absl::Status Ready() const override { return absl::UnavailableError("no"); }
  absl::Status alive;
};

TEST_CASE("health check: fails without an address", "[monitoring]") {
  CHECK_THAT(CheckHealth(""), StatusIs(absl::StatusCode::kFailedPrecondition,
                                       "metrics_listen is empty"));
  CHECK_THAT(CheckHealth("example.org:1"),
             StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_CASE("health check: fails if no program listens", "[monitoring]") {
  CHECK_THAT(CheckHealth("127.0.0.1:1"),
             StatusIs(absl::StatusCode::kUnavailable, "refused"));
}

TEST_CASE("health check: fails if the program does not respond",
          "[monitoring]") {
  const auto silent = ListenTcp("127.0.0.1:0");
  REQUIRE_THAT(silent, IsOk());
  const std::string address =
      absl::StrCat("127.0.0.1:", *PortOf(silent->get()));
  CHECK_THAT(CheckHealth(address, absl::Milliseconds(20)),
             StatusIs(absl::StatusCode::kUnavailable, "timed out"));
}

TEST_CASE("health check: reports what the program responds", "[monitoring]") {
  FakeHealthyProgram program;
  const auto admin = AdminListener::Start("0.0.0.0:0", &program);
  REQUIRE_THAT(admin, IsOk());
  const std::string any = absl::StrCat("0.0.0.0:", (*admin)->port());
  // Not ready: it is alive all the same.
  CHECK_THAT(CheckHealth(any), IsOk());
  program.alive = absl::InternalError("stuck");
  CHECK_THAT(CheckHealth(absl::StrCat("127.0.0.1:", (*admin)->port())),
             StatusIs(absl::StatusCode::kUnavailable, "responds: stuck"));
}

}  // namespace
}  // namespace carme::testing
