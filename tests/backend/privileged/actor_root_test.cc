// The actor does not trust its parent's order.
#include <catch2/catch.hpp>
#include <string>

#include "absl/time/clock.h"
#include "backend/privileged/actor.h"
#include "tests/backend/privileged/valid_request.h"

namespace carme {
namespace {

using privileged::v1::Request;
using privileged::v1::Response;

Response AnswerTo(const Request& request, gid_t gid) {
  ImpersonatorConfig config;
  config.policy.allowed_group = "carme-users";
  config.policy.refused_users = {"carol"};
  const SystemCallFilters filters = MakeSystemCallFilters().value();
  auto actor = StartActor(config, filters, false);
  REQUIRE(actor.ok());
  Account account;
  account.gid = gid;
  account.home = "/home/ada";
  account.groups = {gid};
  OrderAct(request, account, &*actor);
  const ChildReport report = actor->Await(absl::Now() + absl::Seconds(10));
  Response response;
  INFO(report.end);
  REQUIRE(response.ParseFromString(report.answer));
  return response;
}

TEST_CASE("actor: refuses what its parent should have refused", "[backend]") {
  struct Case {
    std::string user;
    uint32_t uid;
    gid_t gid;
    std::string why;
  };
  for (const Case& row :
       {Case{"root", 0, 0, "is root"}, Case{"ada", 20001, 0, "root's group"},
        Case{"daemon", 1, 1, "min_uid"},
        Case{"carol", 20003, 20003, "refused_users"},
        Case{"a da", 20001, 20001, "field \"user\""}}) {
    Request request = ValidSubmit();
    request.set_user(row.user);
    request.set_uid(row.uid);
    const Response response = AnswerTo(request, row.gid);
    CHECK(response.outcome() == privileged::v1::OUTCOME_REFUSED);
    CHECK_THAT(response.message(), Catch::Contains(row.why));
  }
}

}  // namespace
}  // namespace carme
