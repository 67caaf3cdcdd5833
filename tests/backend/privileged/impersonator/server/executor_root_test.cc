// The executor does not trust its parent: a compromised parent
// can request anything, and gets what the policy allows.
#include <catch2/catch.hpp>
#include <string>

#include "absl/time/clock.h"
#include "backend/privileged/impersonator/protocol/exec_request.h"
#include "backend/privileged/impersonator/server/executor.h"
#include "carme/privileged/v1/storage.pb.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::Request;
using privileged::v1::Response;

struct Answer {
  bool permitted = false;
  Response response;
};

Answer AnswerTo(const std::string& order, bool offers_reservations = false) {
  ImpersonatorConfig config;
  if (offers_reservations) config.reservations.partitions = {"main"};
  config.policy.allowed_group = "carme-users";
  config.policy.denied_users = {"carol"};
  const ImpersonatorFilters filters = MakeImpersonatorFilters().value();
  auto executor = StartExecutor(config, filters, false);
  REQUIRE_THAT(executor, IsOk());
  executor->SendRequest(order);
  executor->Commit();
  const ChildReport report =
      executor->Await(absl::Now() + testing::kWaitTimeout);
  Answer answer{report.permitted, {}};
  INFO(report.end);
  REQUIRE(answer.response.ParseFromString(report.response));
  return answer;
}

std::string OrderFor(const std::string& user, uint32_t uid) {
  Request request = ValidSubmit();
  request.set_user(user);
  request.set_uid(uid);
  return EncodeExecRequest(user, Uid(uid), request.SerializeAsString());
}

TEST_CASE("executor: refuses users that the policy refuses", "[backend]") {
  struct Case {
    std::string user;
    uint32_t uid;
    std::string why;
  };
  for (const Case& row :
       {Case{"root", 0, "is root"}, Case{"daemon", 1, "min_uid"},
        Case{"eve", 20004, "not in allowed_group"},
        Case{"ada", 20002, "has uid 20001"}, Case{"ada", 0, "is root"},
        Case{"carol", 20003, "denied_users"},
        Case{"nosuchuser", 20001, "does not exist"},
        Case{"a da", 20001, "invalid user name"}}) {
    INFO(row.user);
    const Answer answer = AnswerTo(OrderFor(row.user, row.uid));
    CHECK(answer.response.outcome() == OUTCOME_REFUSED);
    CHECK_THAT(answer.response.message(), Catch::Contains(row.why));
    CHECK_FALSE(answer.permitted);
  }
}

TEST_CASE("executor: refuses invalid requests and those of other users",
          "[backend]") {
  Request bobs = ValidSubmit();
  bobs.set_user("bob");
  Request foreign_uid = ValidSubmit();
  foreign_uid.set_uid(20002);
  Request unbounded = ValidSubmit();
  unbounded.mutable_submit()->set_walltime_min(INT32_MAX);
  // A storage request names a user and no operation.
  privileged::v1::StorageRequest storage;
  storage.set_request_id("r1");
  storage.set_user("ada");
  storage.set_uid(20001);
  for (const std::string& request :
       {std::string(), std::string("\xff\xff\xff"), storage.SerializeAsString(),
        bobs.SerializeAsString(), foreign_uid.SerializeAsString(),
        unbounded.SerializeAsString()}) {
    const Answer answer =
        AnswerTo(EncodeExecRequest("ada", Uid(20001), request));
    CHECK(answer.response.outcome() == OUTCOME_REFUSED);
  }
  CHECK(OutputOf("squeue -h").empty());
}

TEST_CASE("executor: does not run users' operations as SlurmUser",
          "[backend]") {
  const std::string submit = ValidSubmit().SerializeAsString();
  const Answer off =
      AnswerTo(EncodeExecRequest("ada", Uid(20001), submit, true));
  CHECK(off.response.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(off.response.message(), Catch::Contains("offers no operation"));
  CHECK_FALSE(off.permitted);
  const Answer on =
      AnswerTo(EncodeExecRequest("ada", Uid(20001), submit, true), true);
  CHECK(on.response.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(on.response.message(),
             Catch::Contains("disagree about SlurmUser"));
  const Answer as_user = AnswerTo(
      EncodeExecRequest("ada", Uid(20001), ValidReserve().SerializeAsString()),
      true);
  CHECK(as_user.response.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(as_user.response.message(),
             Catch::Contains("disagree about SlurmUser"));
  // Nor for users that the policy refuses.
  CHECK_FALSE(AnswerTo(EncodeExecRequest("eve", Uid(20004), submit, true), true)
                  .permitted);
  CHECK(OutputOf("squeue -h").empty());
}

TEST_CASE("executor: runs operations of allowed users", "[backend]") {
  const EndJobs end;
  const Answer answer = AnswerTo(OrderFor("ada", 20001));
  INFO(answer.response.message());
  CHECK(answer.permitted);
  CHECK(answer.response.outcome() == privileged::v1::OUTCOME_OK);
}

}  // namespace
}  // namespace carme::impersonator
