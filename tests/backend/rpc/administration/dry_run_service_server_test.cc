#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/rpc/administration/dry_run_service.h"
#include "carme/v1/dry_run.grpc.pb.h"
#include "tests/backend/dry_run/dry_run_site.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;

class Served : public AccountSite {
 public:
  Served() {
    ServiceMap services;
    services["dry runs"] = NewDryRunService({.reading = world_.database_.get(),
                                             .clock = &world_.clock_,
                                             .history = world_.history_.get(),
                                             .active = &world_.jobs_->active(),
                                             .quotas = world_.quotas_,
                                             .templates = world_.templates_,
                                             .users = &world_.users_,
                                             .directory = &world_.directory_});
    Serve(std::move(services));
    stub_ = v1::DryRunService::NewStub(AsFrontend());
  }
  Code TryRule(const std::string& token, const v1::LimitRule& rule) {
    CallWith call(token);
    v1::DryRunLimitRuleRequest request;
    *request.mutable_rule() = rule;
    v1::DryRunLimitRuleResponse response;
    const grpc::Status status =
        stub_->DryRunLimitRule(&call, request, &response);
    result_ = response.dry_run();
    return status.error_code();
  }
  Code TryTemplate(const std::string& token, const std::string& id,
                   const v1::TemplateSettings& settings) {
    CallWith call(token);
    v1::DryRunTemplateRequest request;
    request.set_template_id(id);
    *request.mutable_settings() = settings;
    v1::DryRunTemplateResponse response;
    const grpc::Status status =
        stub_->DryRunTemplate(&call, request, &response);
    result_ = response.dry_run();
    return status.error_code();
  }

  DryRunSite world_;
  std::unique_ptr<v1::DryRunService::Stub> stub_;
  v1::DryRun result_;
};

v1::LimitRule OfUsers(int64_t max) {
  v1::LimitRule rule;
  rule.set_scope(v1::LIMIT_SCOPE_ROLE);
  rule.set_name("user");
  rule.set_metric(v1::LIMIT_METRIC_GPUS_PER_JOB);
  rule.set_max(max);
  return rule;
}

TEST_CASE("dry run service: only administrators try limits and templates",
          "[backend]") {
  Served site;
  for (const char* name : {"ada", "sam"}) {
    const std::string token = site.LogIn(name).token;
    CHECK(site.TryRule(token, OfUsers(1)) == Code::PERMISSION_DENIED);
    CHECK(site.TryTemplate(token, "", {}) == Code::PERMISSION_DENIED);
  }
}

TEST_CASE("dry run service: refuses invalid limits and templates",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  CHECK(site.TryRule(carol, {}) == Code::INVALID_ARGUMENT);
  CHECK(site.TryTemplate(carol, "", {}) == Code::INVALID_ARGUMENT);
  v1::TemplateSettings settings;
  settings.set_name("x");
  CHECK(site.TryTemplate(carol, "nosuch", settings) == Code::NOT_FOUND);
}

TEST_CASE("dry run service: returns the refused jobs without second factor",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  const Job job = site.world_.Ran(site.world_.ada_, DryRunSite::Gpus(2), 5);
  REQUIRE(site.TryRule(carol, OfUsers(1)) == Code::OK);
  CHECK(site.result_.examined_jobs() == 1);
  CHECK(site.result_.refused_jobs() == 1);
  CHECK(site.result_.has_since());
  REQUIRE(site.result_.users_size() == 1);
  CHECK(site.result_.users(0).username() == "ada");
  REQUIRE(site.result_.jobs_size() == 1);
  CHECK(site.result_.jobs(0).id() == job.id.value());
  CHECK(site.result_.jobs(0).violation().limit() == "max_gpus_per_job");
  v1::TemplateSettings settings;
  settings.set_name("x");
  settings.set_no_gpus(true);
  REQUIRE(site.TryTemplate(carol, "", settings) == Code::OK);
  CHECK(site.result_.refused_jobs() == 1);
  site.clock_.Advance(absl::Minutes(11));  // no factor is fresh
  CHECK(site.TryRule(carol, OfUsers(2)) == Code::OK);
  CHECK(site.result_.refused_jobs() == 0);
}

}  // namespace
}  // namespace carme::backend
