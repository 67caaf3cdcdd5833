#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/jobs/store/presets.h"
#include "backend/rpc/services/services.h"
#include "backend/slurm/scheduler.h"
#include "backend/templates/templates.h"
#include "carme/v1/preset.grpc.pb.h"
#include "carme/v1/template.grpc.pb.h"
#include "tests/backend/jobs/fake_slurm.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;
using Stub = v1::TemplateService::Stub;

class Served : public AccountSite {
 public:
  Served() {
    ServiceMap services;
    services["template"] =
        NewTemplateService(&templates_, &slurm_, audit_.get());
    services["preset"] = NewPresetService(&presets_);
    Serve(std::move(services));
    stub_ = v1::TemplateService::NewStub(AsFrontend());
    preset_stub_ = v1::PresetService::NewStub(AsFrontend());
  }

  // What comes back is in `template_`.
  template <typename Request, typename Response>
  Code Call(const std::string& token,
            grpc::Status (Stub::*rpc)(grpc::ClientContext*, const Request&,
                                      Response*),
            const Request& request) {
    CallWith call(token);
    Response response;
    status_ = (*stub_.*rpc)(&call, request, &response);
    template_ = response.template_();
    return status_.error_code();
  }
  Code Create(const std::string& token, const std::string& name) {
    v1::CreateTemplateRequest request;
    request.mutable_settings()->set_name(name);
    return Call(token, &Stub::CreateTemplate, request);
  }
  Code Attach(const std::string& token, const std::string& id) {
    v1::AttachTemplateRequest request;
    request.set_template_id(id);
    return Call(token, &Stub::AttachTemplate, request);
  }
  Code Detach(const std::string& token, const std::string& id) {
    v1::DetachTemplateRequest request;
    request.set_template_id(id);
    return Call(token, &Stub::DetachTemplate, request);
  }
  Code Retire(const std::string& token, const std::string& id) {
    v1::RetireTemplateRequest request;
    request.set_template_id(id);
    return Call(token, &Stub::RetireTemplate, request);
  }
  Code Reactivate(const std::string& token, const std::string& id) {
    v1::ReactivateTemplateRequest request;
    request.set_template_id(id);
    return Call(token, &Stub::ReactivateTemplate, request);
  }
  std::vector<std::string> List(const std::string& token, bool all = false) {
    CallWith call(token);
    v1::ListTemplatesRequest request;
    request.set_all(all);
    v1::ListTemplatesResponse response;
    status_ = stub_->ListTemplates(&call, request, &response);
    std::vector<std::string> names;
    for (const v1::Template& one : response.templates()) {
      names.push_back(one.settings().name());
    }
    return names;
  }
  v1::ProposeTemplatesResponse Propose(const std::string& token) {
    CallWith call(token);
    v1::ProposeTemplatesResponse response;
    status_ = stub_->ProposeTemplates(&call, {}, &response);
    return response;
  }
  Code Save(const std::string& token, const v1::Preset& preset) {
    CallWith call(token);
    v1::SavePresetRequest request;
    *request.mutable_preset() = preset;
    v1::SavePresetResponse response;
    return preset_stub_->SavePreset(&call, request, &response).error_code();
  }
  v1::ListPresetsResponse ListPresets(const std::string& token) {
    CallWith call(token);
    v1::ListPresetsResponse response;
    status_ = preset_stub_->ListPresets(&call, {}, &response);
    return response;
  }

  const std::unique_ptr<Templates> opened_ =
      Templates::Open(database_.get(), &clock_).value();
  Templates& templates_ = *opened_;
  Presets presets_{database_.get()};
  FakeSlurm slurm_{&clock_};
  std::unique_ptr<Stub> stub_;
  std::unique_ptr<v1::PresetService::Stub> preset_stub_;
  grpc::Status status_;
  v1::Template template_;
};

using Names = std::vector<std::string>;

TEST_CASE("template service: refuses partitions and QOS unknown to Slurm",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  SlurmSnapshot cluster;
  cluster.reachable = true;
  cluster.asked_at = site.clock_.Now();
  cluster.partitions = {{"main", true, true, std::nullopt, {}}};
  SlurmAccounting accounting;
  accounting.associations = {{.account = "chem"}};
  accounting.qos = {{.name = "short"}};
  cluster.accounting = std::make_shared<const SlurmAccounting>(accounting);
  cluster.enforcement = {.associations = true, .limits = true, .qos = true};
  site.slurm_.set_cluster(cluster);
  site.slurm_.Poll();
  v1::CreateTemplateRequest request;
  v1::TemplateSettings* settings = request.mutable_settings();
  settings->set_name("Courses");
  const auto create = [&] {
    return site.Call(carol, &Stub::CreateTemplate, request);
  };
  settings->set_partition("nopart");
  CHECK(create() == Code::INVALID_ARGUMENT);
  CHECK(site.status_.error_message() ==
        "partition \"nopart\" is not on this cluster: expected one of: "
        "\"main\"");
  settings->set_partition("main");
  settings->set_account("nixda");
  CHECK(create() == Code::INVALID_ARGUMENT);
  settings->set_account("chem");
  settings->set_qos("nixda");
  CHECK(create() == Code::INVALID_ARGUMENT);
  CHECK(site.List(carol, true).empty());
  settings->set_qos("short");
  CHECK(create() == Code::OK);
  v1::ChangeTemplateRequest change;
  change.set_template_id(site.template_.id());
  *change.mutable_settings() = *settings;
  change.mutable_settings()->set_partition("nopart");
  CHECK(site.Call(carol, &Stub::ChangeTemplate, change) ==
        Code::INVALID_ARGUMENT);
}

TEST_CASE("template service: only administrators change templates",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  REQUIRE(site.Create(carol, "Courses") == Code::OK);
  const std::string id = site.template_.id();
  for (const char* name : {"ada", "sam"}) {
    const std::string token = site.LogIn(name).token;
    CHECK(site.Create(token, "Mine") == Code::PERMISSION_DENIED);
    CHECK(site.Attach(token, id) == Code::PERMISSION_DENIED);
    CHECK(site.Detach(token, id) == Code::PERMISSION_DENIED);
    CHECK(site.Retire(token, id) == Code::PERMISSION_DENIED);
    CHECK(site.Reactivate(token, id) == Code::PERMISSION_DENIED);
    v1::ChangeTemplateRequest change;
    change.set_template_id(id);
    change.mutable_settings()->set_name("Mine");
    CHECK(site.Call(token, &Stub::ChangeTemplate, change) ==
          Code::PERMISSION_DENIED);
    site.Propose(token);
    CHECK(site.status_.error_code() == Code::PERMISSION_DENIED);
  }
  CHECK(site.List(carol, true) == Names{"Courses"});
}

TEST_CASE("template service: changes require reauthentication", "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  site.clock_.Advance(absl::Hours(1));
  CHECK(site.Create(carol, "Courses") == Code::FAILED_PRECONDITION);
  CHECK(site.List(carol, true).empty());
}

TEST_CASE("template service: users see their templates, support sees all",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  const std::string ada = site.LogIn("ada").token;
  const std::string sam = site.LogIn("sam").token;
  REQUIRE(site.Create(carol, "Everybody's") == Code::OK);
  const std::string id = site.template_.id();
  REQUIRE(site.Create(carol, "Nobody's") == Code::OK);
  REQUIRE(site.Attach(carol, id) == Code::OK);
  CHECK(site.template_.everybody());
  CHECK(site.List(ada) == Names{"Everybody's"});
  CHECK(site.List(ada, true).empty());
  CHECK(site.status_.error_code() == Code::PERMISSION_DENIED);
  CHECK(site.List(sam, true) == Names{"Everybody's", "Nobody's"});
  REQUIRE(site.Retire(carol, id) == Code::OK);
  CHECK(site.template_.retired());
  CHECK(site.List(ada).empty());
  CHECK(site.List(sam, true).size() == 2);
  REQUIRE(site.Reactivate(carol, id) == Code::OK);
  CHECK_FALSE(site.template_.retired());
  CHECK(site.List(ada) == Names{"Everybody's"});
}

TEST_CASE("template service: reports errors and records changes", "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  CHECK(site.Create(carol, "") == Code::INVALID_ARGUMENT);
  CHECK(site.status_.error_message() ==
        "name: expected 1 to 64 printable characters");
  REQUIRE(site.Create(carol, "Courses") == Code::OK);
  const std::string id = site.template_.id();
  CHECK(site.Create(carol, "Courses") == Code::ALREADY_EXISTS);
  CHECK(site.Attach(carol, "none") == Code::NOT_FOUND);
  REQUIRE(site.Attach(carol, id) == Code::OK);
  REQUIRE(site.Detach(carol, id) == Code::OK);
  CHECK_FALSE(site.template_.everybody());
  CHECK(site.Ask("SELECT group_concat(act || ' ' || subject, ', ') FROM audit "
                 "WHERE act LIKE 'template-%' AND decision='allow'") ==
        "template-create " + id + ", template-attach " + id +
            " everybody, template-detach " + id + " everybody");
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE act LIKE 'template-%' AND "
                 "decision='refuse'") == "3");
  CHECK(site.Ask("SELECT result FROM audit WHERE act='template-create' AND "
                 "decision='allow'") ==
        "ok: \"Courses\", partition \"\", GPUs  at most 0 a node, nodes 0, "
        "walltime 0 min, account \"\", QOS \"\", reservation \"\"");
}

TEST_CASE("template service: proposes templates without creating them",
          "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  site.slurm_.Poll();
  const v1::ProposeTemplatesResponse proposed = site.Propose(carol);
  REQUIRE_THAT(site.status_, IsOk());
  REQUIRE(proposed.proposals_size() > 0);
  CHECK(site.List(carol, true).empty());
  v1::CreateTemplateRequest take;
  *take.mutable_settings() = proposed.proposals(0).settings();
  CHECK_FALSE(proposed.proposals(0).known());
  REQUIRE(site.Call(carol, &Stub::CreateTemplate, take) == Code::OK);
  CHECK(site.Propose(carol).proposals(0).known());
}

TEST_CASE("preset service: returns only the user's presets", "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const std::string bob = site.LogIn("bob").token;
  v1::Preset preset;
  CHECK(site.Save(ada, preset) == Code::INVALID_ARGUMENT);
  preset.set_name("Nachtlauf 🌙");
  preset.mutable_spec()->set_nodes(2);
  REQUIRE(site.Save(ada, preset) == Code::OK);
  CHECK(site.ListPresets(bob).presets().empty());
  const v1::ListPresetsResponse kept = site.ListPresets(ada);
  REQUIRE(kept.presets_size() == 1);
  CHECK(kept.presets(0).name() == "Nachtlauf 🌙");
  CHECK(kept.presets(0).spec().nodes() == 2);
}

}  // namespace
}  // namespace carme::backend
