#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/audit/audit_log.h"
#include "backend/projects/projects.h"
#include "backend/quotas/quotas.h"
#include "backend/rpc/services/services.h"
#include "backend/slurm/scheduler.h"
#include "carme/v1/limit.grpc.pb.h"
#include "tests/backend/jobs/fake_slurm.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;

class Served : public AccountSite {
 public:
  Served()
      : projects_({.database = database_.get(),
                   .clock = &clock_,
                   .audit = audit_.get(),
                   .directory = &directory_},
                  {}) {
    ServiceMap services;
    services["limit"] =
        NewLimitService({quotas_.get(), &projects_, &slurm_, audit_.get()});
    Serve(std::move(services));
    stub_ = v1::LimitService::NewStub(AsFrontend());
  }
  v1::LimitRule OfUser(const std::string& name, v1::LimitMetric metric,
                       int64_t max) {
    v1::LimitRule rule;
    rule.set_scope(v1::LIMIT_SCOPE_USER);
    rule.set_username(name);
    rule.set_metric(metric);
    rule.set_max(max);
    return rule;
  }
  Code Set(const std::string& token, const v1::LimitRule& rule) {
    CallWith call(token);
    v1::SetLimitRuleRequest request;
    *request.mutable_rule() = rule;
    v1::SetLimitRuleResponse response;
    status_ = stub_->SetLimitRule(&call, request, &response);
    kept_ = response.rule();
    return status_.error_code();
  }
  Code Remove(const std::string& token, const v1::LimitRule& rule) {
    CallWith call(token);
    v1::RemoveLimitRuleRequest request;
    *request.mutable_rule() = rule;
    v1::RemoveLimitRuleResponse response;
    status_ = stub_->RemoveLimitRule(&call, request, &response);
    return status_.error_code();
  }
  Code List(const std::string& token) {
    CallWith call(token);
    v1::ListLimitRulesResponse response;
    status_ = stub_->ListLimitRules(&call, {}, &response);
    rules_ = response.rules_size();
    return status_.error_code();
  }
  v1::GetLimitsResponse Get(const std::string& token) {
    CallWith call(token);
    v1::GetLimitsResponse response;
    CHECK_THAT(stub_->GetLimits(&call, {}, &response), IsOk());
    return response;
  }

  Projects projects_;
  FakeSlurm slurm_{&clock_};
  std::unique_ptr<Quotas> quotas_ = Quotas::Open({.database = database_.get(),
                                                  .clock = &clock_,
                                                  .person_lookup = &directory_,
                                                  .directory = &directory_},
                                                 {.max_gpus_per_job = 4}, {})
                                        .value();
  std::unique_ptr<v1::LimitService::Stub> stub_;
  grpc::Status status_;
  v1::LimitRule kept_;
  int rules_ = 0;
};

TEST_CASE("limit service: setting limits requires an administrator",
          "[backend]") {
  Served site;
  const v1::LimitRule rule = site.OfUser("ada", v1::LIMIT_METRIC_GPUS, 8);
  for (const char* name : {"ada", "sam"}) {
    const std::string token = site.LogIn(name).token;
    CHECK(site.Set(token, rule) == Code::PERMISSION_DENIED);
    CHECK(site.Remove(token, rule) == Code::PERMISSION_DENIED);
  }
  CHECK(site.List(site.LogIn("ada").token) == Code::PERMISSION_DENIED);
  CHECK(site.List(site.LogIn("sam").token) == Code::OK);
  CHECK(site.rules_ == 1);  // the configuration's
  const std::string carol = site.LogIn("carol").token;
  site.clock_.Advance(absl::Minutes(11));
  CHECK(site.Set(carol, rule) == Code::FAILED_PRECONDITION);
  CHECK(site.Ask("SELECT count(*) FROM quota_rules") == "0");
}

TEST_CASE("limit service: refuses invalid limits and records the refusal",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  CHECK(site.Set(carol, {}) == Code::INVALID_ARGUMENT);
  CHECK(site.Set(carol, site.OfUser("ada", v1::LIMIT_METRIC_GPUS, -1)) ==
        Code::INVALID_ARGUMENT);
  v1::LimitRule late = site.OfUser("ada", v1::LIMIT_METRIC_GPUS, 1);
  late.mutable_expires_at()->set_seconds(INT64_MAX);
  CHECK(site.Set(carol, late) == Code::INVALID_ARGUMENT);
  site.directory_.SetPerson("nobody", absl::NotFoundError("no such person"));
  CHECK(site.Set(carol, site.OfUser("nobody", v1::LIMIT_METRIC_GPUS, 1)) ==
        Code::NOT_FOUND);
  // The configuration's is not changed by a page.
  v1::LimitRule configured;
  configured.set_scope(v1::LIMIT_SCOPE_ROLE);
  configured.set_name("user");
  configured.set_metric(v1::LIMIT_METRIC_GPUS_PER_JOB);
  CHECK(site.Remove(carol, configured) == Code::NOT_FOUND);
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE act LIKE 'limit-%' AND "
                 "decision = 'refuse'") == "5");
}

TEST_CASE("limit service: a limit from its setting to its end", "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const std::string carol = site.LogIn("carol").token;
  v1::LimitRule rule =
      site.OfUser("ada", v1::LIMIT_METRIC_GPU_HOURS_PER_DAY, 48);
  rule.set_note("for the paper");
  rule.set_set_by("nobody");  // not for the caller to say
  REQUIRE(site.Set(carol, rule) == Code::OK);
  CHECK(site.kept_.set_by() == "carol");
  CHECK(site.kept_.source() == "user ada");
  const v1::GetLimitsResponse own = site.Get(ada);
  REQUIRE(own.limits_size() == 2);
  CHECK(own.limits(0).limit() == "max_gpus_per_job");
  CHECK(own.limits(0).rule().source() == "role user");
  CHECK(own.limits(0).rule().set_by().empty());
  CHECK(own.limits(1).limit() == "max_gpu_hours_per_day");
  CHECK(own.limits(1).rule().max() == 48);
  CHECK(own.limits(1).rule().note() == "for the paper");
  CHECK(own.limits(1).used() == 0);
  CHECK(own.limits(1).window_ends_at().seconds() ==
        absl::ToUnixSeconds(DayOf(site.clock_.Now()).end));
  CHECK(site.Get(site.LogIn("bob").token).limits_size() == 1);
  CHECK(site.Ask("SELECT subject || '; ' || result FROM audit "
                 "WHERE act = 'limit-set'") ==
        "user ada; ok: max_gpu_hours_per_day 48 without expiry; note: for the "
        "paper");
  CHECK(site.Ask("SELECT count(*) FROM events") == "1");
  REQUIRE(site.Remove(carol, rule) == Code::OK);
  CHECK(site.Remove(carol, rule) == Code::NOT_FOUND);
  CHECK(site.Get(ada).limits_size() == 1);
}

TEST_CASE("limit service: a project's limits are shown to its members",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const std::string carol = site.LogIn("carol").token;
  const Person owner = site.directory_.LookUp("ada").value();
  const auto made = site.projects_.Create(owner, {.name = "Chem"});
  REQUIRE_THAT(made, IsOk());
  const std::string id = made->row.project.id.value();
  v1::LimitRule rule;
  rule.set_scope(v1::LIMIT_SCOPE_PROJECT);
  rule.set_project(id);
  rule.set_metric(v1::LIMIT_METRIC_GPU_HOURS);
  rule.set_max(1000);
  REQUIRE(site.Set(carol, rule) == Code::OK);
  CHECK(site.kept_.source() == "project Chem");
  const v1::GetLimitsResponse own = site.Get(ada);
  REQUIRE(own.projects_size() == 1);
  CHECK(own.projects(0).project() == id);
  CHECK(own.projects(0).project_name() == "Chem");
  REQUIRE(own.projects(0).limits_size() == 1);
  CHECK(own.projects(0).limits(0).rule().max() == 1000);
  CHECK(site.Get(site.LogIn("bob").token).projects().empty());
}

}  // namespace
}  // namespace carme::backend
