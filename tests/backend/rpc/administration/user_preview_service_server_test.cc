#include <google/protobuf/util/message_differencer.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "carme/v1/cluster.grpc.pb.h"
#include "carme/v1/limit.grpc.pb.h"
#include "carme/v1/project.grpc.pb.h"
#include "carme/v1/template.grpc.pb.h"
#include "carme/v1/user_preview.grpc.pb.h"
#include "tests/backend/rpc/administration/preview_calls.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;
using google::protobuf::util::MessageDifferencer;

TEST_CASE("user preview service: only an administrator's session previews",
          "[backend]") {
  PreviewCalls site;
  CHECK(site.Preview("ada", "bob") == Code::PERMISSION_DENIED);
  CHECK(site.Preview("ada", "ada") == Code::PERMISSION_DENIED);
  CHECK(site.Preview("", "ada") == Code::UNAUTHENTICATED);
  CHECK(site.seen_.username().empty());
  CHECK(site.directory_.lookups() == 0);
  // Other machines than the frontend.
  site.stub_ = v1::UserPreviewService::NewStub(
      site.server_->Connect(Port::kClients, kProxyNames));
  CHECK(site.Preview("carol", "ada") == Code::PERMISSION_DENIED);
}

TEST_CASE("user preview service: refuses who may not log in, and records it",
          "[backend]") {
  PreviewCalls site;
  CHECK(site.Preview("carol", "") == Code::INVALID_ARGUMENT);
  CHECK(site.Preview("carol", "ada*)(uid=*") == Code::INVALID_ARGUMENT);
  CHECK(site.Preview("carol", std::string(65, 'a')) == Code::INVALID_ARGUMENT);
  CHECK(site.directory_.lookups() == 0);
  site.directory_.SetPerson("nosuch", absl::NotFoundError("no entry in ou=x"));
  CHECK(site.Preview("carol", "nosuch") == Code::NOT_FOUND);
  CHECK(site.status_.error_message().find("ou=x") == std::string::npos);
  site.directory_.SetPerson("slurm",
                            absl::NotFoundError("uid 64030 is below min_uid"));
  CHECK(site.Preview("carol", "slurm") == Code::NOT_FOUND);
  site.directory_.SetPerson("ada", absl::UnavailableError("ldaps://secret"));
  CHECK(site.Preview("carol", "ada") == Code::UNAVAILABLE);
  CHECK(site.status_.error_message().find("secret") == std::string::npos);
  CHECK(site.seen_.username().empty());
  const std::vector<AuditEntry> entries = site.Entries();
  REQUIRE(entries.size() == 6);
  for (const AuditEntry& entry : entries) {
    CHECK(entry.act == "admin-preview");
    CHECK(entry.decision == "refuse");
    CHECK(entry.actor == "carol");
  }
  CHECK(entries[4].subject == "slurm");
}

TEST_CASE("user preview service: at most two previews of one administrator",
          "[backend]") {
  PreviewCalls site;
  absl::Notification go;
  site.directory_.HoldUntil(&go);
  std::vector<std::thread> running;
  for (int i = 0; i < 2; ++i) {
    running.emplace_back([&site] {
      CallBy call("carol");
      v1::PreviewStartFormRequest request;
      request.set_username("ada");
      v1::PreviewStartFormResponse response;
      site.stub_->PreviewStartForm(&call, request, &response);
    });
  }
  site.directory_.AwaitLookups(2);
  CHECK(site.Preview("carol", "ada") == Code::RESOURCE_EXHAUSTED);
  go.Notify();
  for (std::thread& one : running) one.join();
  CHECK(site.Preview("carol", "ada") == Code::OK);
}

TEST_CASE("user preview service: shows what the user's own calls return",
          "[backend]") {
  PreviewCalls site;
  const std::string chem = site.AdasProject();
  site.Add({.name = "everybody", .max_gpus_per_node = 2}, "");
  site.Add({.name = "chem"}, chem);
  REQUIRE_THAT(site.quotas_->Set({.scope = v1::LIMIT_SCOPE_USER,
                                  .username = "ada",
                                  .metric = v1::LIMIT_METRIC_GPUS_PER_JOB,
                                  .max = 3},
                                 "carol"),
               IsOk());
  REQUIRE_THAT(site.Submit(site.ada_), IsOk());
  site.slurm_.Poll();
  REQUIRE(site.Preview("carol", "ada") == Code::OK);
  CHECK(site.seen_.username() == "ada");
  CHECK(site.seen_.role() == v1::ROLE_USER);

  CallBy of_cluster("ada");
  v1::GetClusterResponse cluster;
  REQUIRE_THAT(v1::ClusterService::NewStub(site.channel_)
                   ->GetCluster(&of_cluster, {}, &cluster),
               IsOk());
  CHECK(MessageDifferencer::Equals(site.seen_.cluster(), cluster));
  CHECK(cluster.limits().max_gpus_per_job() == 3);
  CHECK(cluster.limits().source() == "user ada");

  CallBy of_limits("ada");
  v1::GetLimitsResponse limits;
  REQUIRE_THAT(v1::LimitService::NewStub(site.channel_)
                   ->GetLimits(&of_limits, {}, &limits),
               IsOk());
  CHECK(MessageDifferencer::Equals(site.seen_.limits(), limits));

  CallBy of_templates("ada");
  v1::ListTemplatesResponse templates;
  REQUIRE_THAT(v1::TemplateService::NewStub(site.channel_)
                   ->ListTemplates(&of_templates, {}, &templates),
               IsOk());
  REQUIRE(templates.templates_size() == 2);
  REQUIRE(site.seen_.templates_size() == 2);
  for (int i = 0; i < 2; ++i) {
    CHECK(MessageDifferencer::Equals(site.seen_.templates(i),
                                     templates.templates(i)));
  }

  CallBy of_projects("ada");
  v1::ListProjectsResponse projects;
  REQUIRE_THAT(v1::ProjectService::NewStub(site.channel_)
                   ->ListProjects(&of_projects, {}, &projects),
               IsOk());
  REQUIRE(site.seen_.projects_size() == 1);
  CHECK(
      MessageDifferencer::Equals(site.seen_.projects(0), projects.projects(0)));
  CHECK(site.seen_.environments_offered());
}

TEST_CASE("user preview service: tells why a template is refused or hidden",
          "[backend]") {
  PreviewCalls site;
  const std::string chem = site.AdasProject();
  const JobTemplate good = site.Add({.name = "a good"}, chem);
  const JobTemplate down =
      site.Add({.name = "b type", .gpu_types = {"nosuch"}}, chem);
  const JobTemplate nowhere = site.Add({.name = "c nowhere"}, "", false);
  const JobTemplate old = site.Add({.name = "d old"}, chem);
  REQUIRE_THAT(site.templates_->Retire(old.id, true), IsOk());

  REQUIRE(site.Preview("carol", "ada") == Code::OK);
  CHECK(site.Check("", "").violations().empty());
  CHECK(site.Check(chem, "").spec().template_() == good.id);
  CHECK(site.Check(chem, good.id).violations().empty());
  REQUIRE(site.Check(chem, down.id).violations_size() > 0);
  CHECK(site.Check(chem, down.id).violations(0).field() == "gpuType");
  REQUIRE(site.seen_.hidden_templates_size() == 2);
  CHECK(site.seen_.hidden_templates(0).template_().id() == nowhere.id);
  CHECK(site.seen_.hidden_templates(0).problem() ==
        v1::TEMPLATE_PROBLEM_NOT_ATTACHED);
  CHECK(site.seen_.hidden_templates(1).problem() ==
        v1::TEMPLATE_PROBLEM_RETIRED);

  REQUIRE(site.Preview("carol", "bob") == Code::OK);
  CHECK(site.seen_.projects().empty());
  CHECK(site.seen_.templates().empty());
  CHECK(site.seen_.checks_size() == 1);
  REQUIRE(site.seen_.hidden_templates_size() == 4);
  CHECK(site.seen_.hidden_templates(0).problem() ==
        v1::TEMPLATE_PROBLEM_NOT_MEMBER);
}

TEST_CASE("user preview service: a quota that is used up refuses each start",
          "[backend]") {
  PreviewCalls site;
  REQUIRE_THAT(site.quotas_->Set({.scope = v1::LIMIT_SCOPE_USER,
                                  .username = "ada",
                                  .metric = v1::LIMIT_METRIC_JOBS,
                                  .max = 0},
                                 "carol"),
               IsOk());
  REQUIRE(site.Preview("carol", "ada") == Code::OK);
  REQUIRE(site.Check("", "").violations_size() == 1);
  CHECK(site.Check("", "").violations(0).source() == "user ada");
  REQUIRE(site.Preview("carol", "bob") == Code::OK);
  CHECK(site.Check("", "").violations().empty());
}

TEST_CASE("user preview service: shows nothing that only the user may see",
          "[backend]") {
  PreviewCalls site;
  REQUIRE_THAT(site.environments_->Save(site.ada_, "secret-work",
                                        "image = \"base:1\"\n", 0),
               IsOk());
  REQUIRE(site.Preview("carol", "ada") == Code::OK);
  CHECK(site.seen_.SerializeAsString().find("secret-work") ==
        std::string::npos);
}

TEST_CASE("user preview service: changes nothing, and leaves one audit entry",
          "[backend]") {
  PreviewCalls site;
  REQUIRE(site.Preview("carol", "ada") == Code::OK);
  CHECK(site.Rows("jobs") == 0);
  CHECK(site.Rows("sessions") == 0);
  CHECK(site.Rows("users") == 0);
  CHECK(site.slurm_.Jobs().empty());
  const std::vector<AuditEntry> entries = site.Entries();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].act == "admin-preview");
  CHECK(entries[0].actor == "carol");
  CHECK(entries[0].subject == "ada");
  CHECK(entries[0].decision == "allow");
}

}  // namespace
}  // namespace carme::backend
