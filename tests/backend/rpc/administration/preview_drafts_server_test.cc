#include <google/protobuf/util/message_differencer.h>

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "backend/rpc/administration/preview_drafts.h"
#include "backend/templates/template_proto.h"
#include "carme/v1/limit.grpc.pb.h"
#include "carme/v1/template.grpc.pb.h"
#include "tests/backend/rpc/administration/preview_calls.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;
using Draft = v1::PreviewStartFormRequest;
using google::protobuf::util::MessageDifferencer;

v1::LimitRule AdasLimit(v1::LimitMetric metric, int64_t max) {
  v1::LimitRule rule;
  rule.set_scope(v1::LIMIT_SCOPE_USER);
  rule.set_username("ada");
  rule.set_metric(metric);
  rule.set_max(max);
  return rule;
}

Draft Sets(const v1::LimitRule& rule) {
  Draft draft;
  *draft.mutable_limit_draft()->mutable_set() = rule;
  return draft;
}

Draft Removes(const v1::LimitRule& rule) {
  Draft draft;
  *draft.mutable_limit_draft()->mutable_remove() = rule;
  return draft;
}

// An empty id: a new template.
Draft Changes(const std::string& id, const JobTemplate& settings) {
  Draft draft;
  draft.mutable_template_draft()->set_template_id(id);
  Fill(settings, draft.mutable_template_draft()->mutable_settings());
  return draft;
}

// The tables of the database that a draft could touch.
std::vector<int64_t> RowsOf(PreviewCalls* site) {
  std::vector<int64_t> rows;
  for (const char* const table :
       {"templates", "template_projects", "quota_rules", "events", "deliveries",
        "jobs", "sessions"}) {
    rows.push_back(site->Rows(table));
  }
  return rows;
}

TEST_CASE("preview drafts: only an administrator's session has them",
          "[backend]") {
  PreviewCalls site;
  const Draft draft = Sets(AdasLimit(v1::LIMIT_METRIC_JOBS, 0));
  CHECK(site.Preview("ada", "ada", draft) == Code::PERMISSION_DENIED);
  CHECK(site.Preview("", "ada", draft) == Code::UNAUTHENTICATED);
  CHECK(site.directory_.lookups() == 0);
}

TEST_CASE(
    "preview drafts: an invalid draft is refused as by the call that "
    "saves it",
    "[backend]") {
  PreviewCalls site;
  const std::string chem = site.AdasProject();
  const JobTemplate one = site.Add({.name = "one"}, chem);
  auto templates = v1::TemplateService::NewStub(site.channel_);
  const auto save = [&](const std::string& id, const JobTemplate& settings) {
    CallBy call("carol");
    v1::CreateTemplateRequest creation;
    v1::CreateTemplateResponse created;
    Fill(settings, creation.mutable_settings());
    if (id.empty()) return templates->CreateTemplate(&call, creation, &created);
    v1::ChangeTemplateRequest change;
    v1::ChangeTemplateResponse changed;
    change.set_template_id(id);
    *change.mutable_settings() = creation.settings();
    return templates->ChangeTemplate(&call, change, &changed);
  };
  for (const auto& [id, settings] :
       std::vector<std::pair<std::string, JobTemplate>>{
           {"", {}},
           {"", {.name = "one"}},
           {"", {.name = std::string(100'000, 'x')}},
           {"", {.name = "x", .partition = "nosuch"}},
           {"",
            {.name = "x", .gpu_types = std::vector<std::string>(9999, "a")}},
           {one.id, {.name = "one", .max_nodes = -1}},
           {"0123456789abcdef", {.name = "x"}}}) {
    const grpc::Status saved = save(id, settings);
    REQUIRE_FALSE(saved.ok());
    CHECK(site.Preview("carol", "ada", Changes(id, settings)) ==
          saved.error_code());
    CHECK(site.status_.error_message() == saved.error_message());
    CHECK(site.status_.error_details() == saved.error_details());
    CHECK(site.seen_.username().empty());
  }

  auto limits = v1::LimitService::NewStub(site.channel_);
  v1::LimitRule no_project = AdasLimit(v1::LIMIT_METRIC_JOBS, 1);
  no_project.set_scope(v1::LIMIT_SCOPE_PROJECT);
  no_project.set_project("0123456789abcdef");
  no_project.clear_username();
  for (const v1::LimitRule& rule :
       {v1::LimitRule(), AdasLimit(v1::LIMIT_METRIC_JOBS, -1),
        AdasLimit(v1::LIMIT_METRIC_UNSPECIFIED, 1), no_project}) {
    CallBy call("carol");
    v1::SetLimitRuleRequest request;
    v1::SetLimitRuleResponse response;
    *request.mutable_rule() = rule;
    const grpc::Status saved = limits->SetLimitRule(&call, request, &response);
    REQUIRE_FALSE(saved.ok());
    CHECK(site.Preview("carol", "ada", Sets(rule)) == saved.error_code());
    CHECK(site.status_.error_message() == saved.error_message());
    CHECK(site.status_.error_details() == saved.error_details());
  }
}

TEST_CASE("preview drafts: refuses what is not there, or is not as it was",
          "[backend]") {
  PreviewCalls site;
  const std::string chem = site.AdasProject();
  const JobTemplate one = site.Add({.name = "one", .max_nodes = 2}, chem);
  Draft retires;
  retires.mutable_template_draft()->set_template_id("0123456789abcdef");
  retires.mutable_template_draft()->set_retired(true);
  CHECK(site.Preview("carol", "ada", retires) == Code::NOT_FOUND);
  retires.mutable_template_draft()->clear_retired();
  CHECK(site.Preview("carol", "ada", retires) == Code::NOT_FOUND);

  Draft changes = Changes(one.id, {.name = "one", .max_nodes = 1});
  Fill(one, changes.mutable_template_draft()->mutable_base());
  CHECK(site.Preview("carol", "ada", changes) == Code::OK);
  JobTemplate newer = one;
  newer.description = "changed by another administrator";
  REQUIRE_THAT(site.templates_->Change(one.id, newer), IsOk());
  CHECK(site.Preview("carol", "ada", changes) == Code::FAILED_PRECONDITION);

  CHECK(site.Preview("carol", "ada",
                     Removes(AdasLimit(v1::LIMIT_METRIC_JOBS, 0))) ==
        Code::NOT_FOUND);
  Draft attaches;
  attaches.mutable_template_draft()->set_template_id(one.id);
  attaches.mutable_template_draft()->add_attach("0123456789abcdef");
  CHECK(site.Preview("carol", "ada", attaches) == Code::NOT_FOUND);
  attaches.mutable_template_draft()->set_attach(0, chem);
  attaches.mutable_template_draft()->set_retired(true);
  CHECK(site.Preview("carol", "ada", attaches) == Code::FAILED_PRECONDITION);
  Draft empty;
  empty.mutable_limit_draft();
  CHECK(site.Preview("carol", "ada", empty) == Code::INVALID_ARGUMENT);
}

TEST_CASE("preview drafts: a hostile draft is bounded", "[backend]") {
  PreviewCalls site;
  const JobTemplate one = site.Add({.name = "one"}, "");
  Draft draft;
  draft.mutable_template_draft()->set_template_id(one.id);
  for (int i = 0; i < PreviewDrafts::kMaxProjects; ++i) {
    draft.mutable_template_draft()->add_detach("nosuch");
  }
  CHECK(site.Preview("carol", "ada", draft) == Code::OK);
  for (int i = 0; i < 10'000; ++i) {
    draft.mutable_template_draft()->add_detach("nosuch");
  }
  CHECK(site.Preview("carol", "ada", draft) == Code::INVALID_ARGUMENT);
  draft.mutable_template_draft()->mutable_settings()->set_name(
      std::string(50'000, '\n'));
  draft.mutable_template_draft()->set_template_id(std::string(50'000, 'x'));
  draft.mutable_limit_draft()->mutable_set()->set_note(
      std::string(50'000, 'x'));
  CHECK(site.Preview("carol", "ada", draft) == Code::INVALID_ARGUMENT);
  draft.mutable_template_draft()->mutable_settings()->set_description(
      std::string(1 << 20, 'x'));
  CHECK(site.Preview("carol", "ada", draft) == Code::RESOURCE_EXHAUSTED);
  const std::vector<AuditEntry> entries = site.Entries();
  CHECK(entries.size() == 3);  // the server does not read the last one
  for (const AuditEntry& entry : entries) {
    CHECK(entry.result.size() <= 320);
    CHECK(entry.subject == "ada");
  }
}

TEST_CASE("preview drafts: count among the previews that run", "[backend]") {
  PreviewCalls site;
  Draft draft = Sets(AdasLimit(v1::LIMIT_METRIC_JOBS, 0));
  draft.set_username("ada");
  absl::Notification go;
  site.directory_.HoldUntil(&go);
  std::vector<std::thread> running;
  running.reserve(2);
  for (int i = 0; i < 2; ++i) {
    running.emplace_back([&site, &draft] {
      CallBy call("carol");
      v1::PreviewStartFormResponse response;
      site.stub_->PreviewStartForm(&call, draft, &response);
    });
  }
  site.directory_.AwaitLookups(2);
  CHECK(site.Preview("carol", "ada", draft) == Code::RESOURCE_EXHAUSTED);
  go.Notify();
  for (std::thread& one : running) one.join();
  CHECK(site.Preview("carol", "ada", draft) == Code::OK);
}

TEST_CASE("preview drafts: an unsaved limit refuses, and nothing is saved",
          "[backend]") {
  PreviewCalls site;
  const std::vector<int64_t> before = RowsOf(&site);
  REQUIRE(site.Preview("carol", "ada",
                       Sets(AdasLimit(v1::LIMIT_METRIC_JOBS, 0))) == Code::OK);
  REQUIRE(site.Check("", "").violations_size() == 1);
  CHECK(site.Check("", "").violations(0).source() == "user ada");
  REQUIRE(site.seen_.saved().checks_size() == 1);
  CHECK(site.seen_.saved().checks(0).violations().empty());
  CHECK(site.seen_.limits().limits_size() ==
        site.seen_.saved().limits().limits_size() + 1);
  CHECK(RowsOf(&site) == before);
  REQUIRE(site.Preview("carol", "ada") == Code::OK);
  CHECK(site.Check("", "").violations().empty());
  CHECK_FALSE(site.seen_.has_saved());
  REQUIRE(site.Preview("carol", "bob",
                       Sets(AdasLimit(v1::LIMIT_METRIC_JOBS, 0))) == Code::OK);
  CHECK(site.Check("", "").violations().empty());
}

TEST_CASE("preview drafts: a limit that is removed allows", "[backend]") {
  PreviewCalls site;
  REQUIRE_THAT(site.quotas_->Set({.scope = v1::LIMIT_SCOPE_USER,
                                  .username = "ada",
                                  .metric = v1::LIMIT_METRIC_JOBS,
                                  .max = 0},
                                 "carol"),
               IsOk());
  const std::vector<int64_t> before = RowsOf(&site);
  REQUIRE(site.Preview("carol", "ada",
                       Removes(AdasLimit(v1::LIMIT_METRIC_JOBS, 0))) ==
          Code::OK);
  CHECK(site.Check("", "").violations().empty());
  CHECK(site.seen_.saved().checks(0).violations_size() == 1);
  CHECK(RowsOf(&site) == before);
}

TEST_CASE("preview drafts: the first limit of a group looks the groups up",
          "[backend]") {
  PreviewCalls site;
  site.directory_.SetFindGroup(
      [](std::string_view name) { return std::string(name); });
  v1::LimitRule rule = AdasLimit(v1::LIMIT_METRIC_JOBS, 0);
  rule.set_scope(v1::LIMIT_SCOPE_GROUP);
  rule.set_name("staff");
  rule.clear_username();
  REQUIRE(site.Preview("carol", "ada", Sets(rule)) == Code::OK);
  CHECK(site.Check("", "").violations_size() == 1);
  REQUIRE(site.Preview("carol", "bob", Sets(rule)) == Code::OK);
  CHECK(site.Check("", "").violations().empty());
}

TEST_CASE("preview drafts: a new template is offered where it is attached",
          "[backend]") {
  PreviewCalls site;
  const std::string chem = site.AdasProject();
  const std::vector<int64_t> before = RowsOf(&site);
  Draft draft = Changes("", {.name = "small", .no_gpus = true});
  REQUIRE(site.Preview("carol", "ada", draft) == Code::OK);
  REQUIRE(site.seen_.hidden_templates_size() == 1);
  CHECK(site.seen_.hidden_templates(0).template_().id() ==
        site.seen_.draft_template_id());
  CHECK(site.seen_.hidden_templates(0).problem() ==
        v1::TEMPLATE_PROBLEM_NOT_ATTACHED);

  draft.mutable_template_draft()->add_attach(chem);
  REQUIRE(site.Preview("carol", "ada", draft) == Code::OK);
  CHECK(site.seen_.hidden_templates().empty());
  const std::string id = site.seen_.draft_template_id();
  CHECK(site.Check(chem, id).violations().empty());
  CHECK(site.Check(chem, "").spec().template_() == id);
  CHECK(site.seen_.saved().templates().empty());
  REQUIRE(site.Preview("carol", "bob", draft) == Code::OK);
  REQUIRE(site.seen_.hidden_templates_size() == 1);
  CHECK(site.seen_.hidden_templates(0).problem() ==
        v1::TEMPLATE_PROBLEM_NOT_MEMBER);
  CHECK(RowsOf(&site) == before);
}

TEST_CASE("preview drafts: a changed and a retired template", "[backend]") {
  PreviewCalls site;
  const std::string chem = site.AdasProject();
  const JobTemplate one = site.Add({.name = "one"}, chem);
  REQUIRE(site.Preview("carol", "ada",
                       Changes(one.id, {.name = "renamed",
                                        .gpu_types = {"nosuch"}})) == Code::OK);
  REQUIRE(site.seen_.templates_size() == 1);
  CHECK(site.seen_.templates(0).settings().name() == "renamed");
  CHECK(site.seen_.draft_template_id() == one.id);
  CHECK(site.Check(chem, one.id).violations_size() > 0);
  REQUIRE(site.seen_.saved().templates_size() == 1);
  CHECK(site.seen_.saved().templates(0).settings().name() == "one");

  Draft retires;
  retires.mutable_template_draft()->set_template_id(one.id);
  retires.mutable_template_draft()->set_retired(true);
  REQUIRE(site.Preview("carol", "ada", retires) == Code::OK);
  CHECK(site.seen_.templates().empty());
  REQUIRE(site.seen_.hidden_templates_size() == 1);
  CHECK(site.seen_.hidden_templates(0).problem() ==
        v1::TEMPLATE_PROBLEM_RETIRED);
  CHECK(site.Check(chem, "").violations_size() == 1);
  CHECK(site.templates_->Of(Uid(20001)).value().size() == 1);
  CHECK(site.templates_->Find(one.id)->name == "one");
}

TEST_CASE("preview drafts: shows what is seen after the draft is saved",
          "[backend]") {
  PreviewCalls site;
  const std::string chem = site.AdasProject();
  const JobTemplate one = site.Add({.name = "one"}, chem);
  const JobTemplate narrow{.name = "narrow", .max_gpus_per_node = 1};
  Draft draft = Changes(one.id, narrow);
  *draft.mutable_limit_draft()->mutable_set() =
      AdasLimit(v1::LIMIT_METRIC_GPUS_PER_JOB, 2);
  REQUIRE(site.Preview("carol", "ada", draft) == Code::OK);
  v1::PreviewStartFormResponse unsaved = site.seen_;
  unsaved.clear_saved();
  unsaved.clear_draft_template_id();

  REQUIRE_THAT(site.templates_->Change(one.id, narrow), IsOk());
  REQUIRE_THAT(site.quotas_->Set({.scope = v1::LIMIT_SCOPE_USER,
                                  .username = "ada",
                                  .metric = v1::LIMIT_METRIC_GPUS_PER_JOB,
                                  .max = 2},
                                 "carol"),
               IsOk());
  REQUIRE(site.Preview("carol", "ada") == Code::OK);
  CHECK(unsaved.cluster().limits().max_gpus_per_job() == 2);
  CHECK(MessageDifferencer::Equals(unsaved, site.seen_));
}

TEST_CASE("preview drafts: one audit entry names the draft", "[backend]") {
  PreviewCalls site;
  const JobTemplate one = site.Add({.name = "one"}, "");
  Draft draft = Changes(one.id, {.name = "one", .max_nodes = 3});
  *draft.mutable_limit_draft()->mutable_set() =
      AdasLimit(v1::LIMIT_METRIC_JOBS, 5);
  REQUIRE(site.Preview("carol", "ada", draft) == Code::OK);
  const std::vector<AuditEntry> entries = site.Entries();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].act == "admin-preview");
  CHECK(entries[0].subject == "ada");
  CHECK(absl::StartsWith(entries[0].result,
                         absl::StrCat("ok; unsaved template ", one.id)));
  CHECK(absl::StrContains(entries[0].result, " changes max_nodes; "));
  CHECK(absl::StrContains(entries[0].result,
                          "limit of user ada: max_running_jobs 5"));
}

}  // namespace
}  // namespace carme::backend
