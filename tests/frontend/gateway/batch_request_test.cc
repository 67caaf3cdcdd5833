#include "frontend/gateway/batch_request.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "frontend/gateway/portal_services.h"
#include "tests/support/status_matchers.h"

namespace carme::frontend {
namespace {

const MethodTable& Methods() {
  static const auto* const methods =
      new MethodTable(MethodTable::New(PortalServiceFiles()).value());
  return *methods;
}

std::string CallTo(const std::string& method) {
  return absl::StrCat(R"({"method":"carme.v1.)", method, R"(","body":"{}"})");
}

absl::Status ErrorOf(const std::string& calls) {
  return ParseBatch(Methods(), absl::StrCat(R"({"calls":[)", calls, "]}"))
      .status();
}

TEST_CASE("batch: refuses methods that do more than read", "[frontend]") {
  for (const char* method :
       {"AuthService/Login", "AuthService/VerifyFactor", "AuthService/Logout",
        "JobService/SubmitJob", "JobService/StopJob", "JobService/PreviewJob",
        "JobService/OpenApp", "JobService/WatchJobs",
        "NotificationService/MarkRead", "MaintenanceService/StartMaintenance",
        "MetricsService/GetJobMetrics"}) {
    INFO(method);
    CHECK_THAT(
        ErrorOf(absl::StrCat(CallTo("AuthService/GetSession"), ",",
                             CallTo(method))),
        StatusIs(absl::StatusCode::kInvalidArgument, "cannot be in a batch"));
  }
}

TEST_CASE("batch: refuses methods that do not exist or are not for browsers",
          "[frontend]") {
  for (const char* method : {"Batch", "JobService/Get", "JobService", "", "/",
                             "AuthService/CreateAssertion"}) {
    INFO(method);
    CHECK_THAT(
        ErrorOf(CallTo(method)),
        StatusIs(absl::StatusCode::kInvalidArgument, "cannot be in a batch"));
  }
}

TEST_CASE("batch: refuses no call and more than 16", "[frontend]") {
  CHECK_THAT(ErrorOf(""),
             StatusIs(absl::StatusCode::kInvalidArgument, "batch of 0 calls"));
  std::string calls = CallTo("JobService/ListJobs");
  for (int i = 1; i < 16; ++i) {
    absl::StrAppend(&calls, ",", CallTo("JobService/ListJobs"));
  }
  CHECK_THAT(ErrorOf(calls), IsOk());
  absl::StrAppend(&calls, ",", CallTo("JobService/ListJobs"));
  CHECK_THAT(ErrorOf(calls),
             StatusIs(absl::StatusCode::kInvalidArgument, "batch of 17 calls"));
}

TEST_CASE("batch: refuses calls that need no session alone", "[frontend]") {
  const std::string calls = CallTo("MaintenanceService/GetMaintenance");
  CHECK_THAT(ErrorOf(calls),
             StatusIs(absl::StatusCode::kInvalidArgument, "needs a session"));
  CHECK_THAT(ErrorOf(absl::StrCat(calls, ",", CallTo("JobService/ListJobs"))),
             IsOk());
}

TEST_CASE("batch: refuses what is not its format", "[frontend]") {
  for (const char* json :
       {"", "[]", "{", R"({"calls":{}})", R"({"calls":[{"method":1}]})",
        R"({"calls":[{"path":"x"}]})", R"({"more":1})"}) {
    INFO(json);
    CHECK_THAT(ParseBatch(Methods(), json).status(),
               StatusIs(absl::StatusCode::kInvalidArgument, ""));
  }
}

TEST_CASE("batch: keeps the order and the requests of its calls",
          "[frontend]") {
  const auto calls = ParseBatch(
      Methods(), R"({"calls":[{"method":"carme.v1.JobService/GetJob",)"
                 R"("body":"{\"jobId\":\"j-1\"}"},)"
                 R"({"method":"carme.v1.AuthService/GetSession"}]})");
  REQUIRE_THAT(calls, IsOk());
  REQUIRE(calls->size() == 2);
  CHECK(calls->at(0).method->path == "/carme.v1.JobService/GetJob");
  CHECK(calls->at(0).body == R"({"jobId":"j-1"})");
  CHECK(calls->at(1).method->path == "/carme.v1.AuthService/GetSession");
  CHECK(calls->at(1).body.empty());
}

}  // namespace
}  // namespace carme::frontend
