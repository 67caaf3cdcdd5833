#include "backend/policy/spec/violation.h"

#include <catch2/catch.hpp>

#include "google/rpc/error_details.pb.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

template <typename Message>
Message DetailOf(const absl::Status& status) {
  Message message;
  const auto payload = status.GetPayload("type.googleapis.com/" +
                                         Message::descriptor()->full_name());
  if (payload) REQUIRE(message.ParseFromString(std::string(*payload)));
  return message;
}

TEST_CASE("violation: none is OK", "[backend]") {
  CHECK_THAT(StatusOf({}), IsOk());
}

TEST_CASE("violation: each is an object of the status that refuses a job",
          "[backend]") {
  const absl::Status status = StatusOf(
      {{Refusal::kExhausted, "", "max_running_jobs", "2", "role user",
        "2 jobs run: expected at most 1"},
       {Refusal::kForbidden, "gpusPerNode", "max_gpus_per_job", "4",
        "role user", "8 GPUs: expected at most 4"},
       {Refusal::kImpossible, "nodes", "", "", "cluster",
        "9 nodes: there are 2"},
       {Refusal::kInvalid, "walltime", "", "", "", "walltime is negative"}});
  CHECK(absl::IsInvalidArgument(status));
  CHECK(status.message() ==
        "2 jobs run: expected at most 1; 8 GPUs: expected at most 4; "
        "9 nodes: there are 2; walltime is negative");
  const auto request = DetailOf<google::rpc::BadRequest>(status);
  REQUIRE(request.field_violations_size() == 1);
  CHECK(request.field_violations(0).field() == "spec.walltime");
  const auto quota = DetailOf<google::rpc::QuotaFailure>(status);
  REQUIRE(quota.violations_size() == 2);
  CHECK(quota.violations(1).subject() == "role user");
  CHECK(quota.violations(1).description() == "8 GPUs: expected at most 4");
  const auto precondition = DetailOf<google::rpc::PreconditionFailure>(status);
  REQUIRE(precondition.violations_size() == 1);
  CHECK(precondition.violations(0).subject() == "spec.nodes");
  const auto info = DetailOf<google::rpc::ErrorInfo>(status);
  CHECK(info.domain() == "carme");
  CHECK(info.reason() == "SPEC_INVALID");
  CHECK(info.metadata().at("field") == "spec.walltime");
}

TEST_CASE("violation: maintenance decides over every other", "[backend]") {
  const absl::Status status = StatusOf(
      {{Refusal::kInvalid, "walltime", "", "", "", "walltime is negative"},
       {Refusal::kMaintenance, "", "", "2027-01-15T10:00:00Z", "",
        "no new jobs during maintenance"}});
  CHECK(absl::IsFailedPrecondition(status));
  const auto info = DetailOf<google::rpc::ErrorInfo>(status);
  CHECK(info.reason() == "MAINTENANCE");
  CHECK(info.metadata().at("message") == "no new jobs during maintenance");
  CHECK(info.metadata().at("until") == "2027-01-15T10:00:00Z");
}

}  // namespace
}  // namespace carme::backend
