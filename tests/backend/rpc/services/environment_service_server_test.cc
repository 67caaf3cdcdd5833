#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/audit/audit_log.h"
#include "backend/environments/environments.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/environment.grpc.pb.h"
#include "common/file.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/fake_home_lookup.h"
#include "tests/support/fake_usable_images.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;

class Served : public AccountSite {
 public:
  Served() {
    REQUIRE_THAT(WriteFile(dir_.File("site.toml"), "image = \"/s\"\n", 0644),
                 IsOk());
    config_.offered = true;
    config_.system_directories = {dir_.path()};
    environments_ = std::make_unique<Environments>(
        Environments::Parts{.database = database_.get(),
                            .clock = &clock_,
                            .homes = &homes_,
                            .images = &images_},
        config_);
    ServiceMap services;
    services["environment"] =
        NewEnvironmentService(environments_.get(), audit_.get());
    Serve(std::move(services));
    stub_ = v1::EnvironmentService::NewStub(AsFrontend());
  }
  ~Served() { server_.reset(); }
  grpc::Status Save(const std::string& token, const std::string& name,
                    const std::string& text, int64_t revision = 0,
                    v1::SaveEnvironmentResponse* saved = nullptr) {
    CallWith call(token);
    v1::SaveEnvironmentRequest request;
    request.set_name(name);
    request.set_text(text);
    request.set_revision(revision);
    v1::SaveEnvironmentResponse response;
    return stub_->SaveEnvironment(&call, request,
                                  saved == nullptr ? &response : saved);
  }
  Code Delete(const std::string& token, const std::string& name) {
    CallWith call(token);
    v1::DeleteEnvironmentRequest request;
    request.set_name(name);
    v1::DeleteEnvironmentResponse response;
    return stub_->DeleteEnvironment(&call, request, &response).error_code();
  }
  Code Get(const std::string& token, const std::string& name, bool site,
           std::string* text = nullptr) {
    CallWith call(token);
    v1::GetEnvironmentRequest request;
    request.set_name(name);
    request.set_site(site);
    v1::GetEnvironmentResponse response;
    const Code code =
        stub_->GetEnvironment(&call, request, &response).error_code();
    if (text != nullptr) *text = response.text();
    return code;
  }
  v1::ListEnvironmentsResponse List(const std::string& token) {
    CallWith call(token);
    v1::ListEnvironmentsResponse response;
    REQUIRE_THAT(stub_->ListEnvironments(&call, {}, &response), IsOk());
    return response;
  }
  v1::RenderEnvironmentResponse Render(const std::string& token,
                                       const std::string& text) {
    CallWith call(token);
    v1::RenderEnvironmentRequest request;
    request.set_text(text);
    v1::RenderEnvironmentResponse response;
    REQUIRE_THAT(stub_->RenderEnvironment(&call, request, &response), IsOk());
    return response;
  }

  TempDir dir_;
  EnvironmentsConfig config_;
  FakeHomeLookup homes_;
  FakeUsableImages images_;
  std::unique_ptr<Environments> environments_;
  std::unique_ptr<v1::EnvironmentService::Stub> stub_;
};

TEST_CASE(
    "environment service: files of other users are not found, with any role",
    "[backend]") {
  Served site;
  REQUIRE_THAT(site.Save(site.LogIn("ada").token, "mine", "image = \"/a\""),
               IsOk());
  for (const char* other : {"bob", "sam", "carol"}) {
    INFO(other);
    const std::string token = site.LogIn(other).token;
    CHECK(site.Get(token, "mine", false) == Code::NOT_FOUND);
    CHECK(site.Get(token, "mine", true) == Code::NOT_FOUND);
    CHECK(site.Delete(token, "mine") == Code::NOT_FOUND);
    CHECK(site.List(token).environments_size() == 1);  // the site's
  }
}

TEST_CASE("environment service: refuses changes of the site's", "[backend]") {
  Served site;
  const std::string carol = site.LogIn("carol").token;
  CHECK(site.Delete(carol, "site") == Code::NOT_FOUND);
  std::string text;
  CHECK(site.Get(carol, "site", true, &text) == Code::OK);
  CHECK(text == "image = \"/s\"\n");
  CHECK(site.Get(carol, "../site", true) == Code::NOT_FOUND);
}

TEST_CASE("environment service: errors of the disk have no details",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  REQUIRE_THAT(site.database_->Query([](Database& db) {
    return db.Prepare("DROP TABLE environments")->Run();
  }),
               IsOk());
  const grpc::Status saved = site.Save(ada, "x", "");
  CHECK(saved.error_code() == Code::UNAVAILABLE);
  CHECK(saved.error_message() ==
        "your environments cannot be reached now; try again");
  CHECK(site.Get(ada, "x", false) == Code::UNAVAILABLE);
  const auto rendered = site.Render(ada, "base_environment = \"x\"");
  REQUIRE(rendered.problems_size() == 1);
  CHECK(rendered.problems(0).text().find("SELECT") == std::string::npos);
  const v1::TextCode& unreadable = rendered.problems(0).text_code();
  CHECK(unreadable.code() == "EDF_UNREADABLE");
  REQUIRE(unreadable.parameters_size() == 2);
  CHECK(unreadable.parameters(1).code().code() == "ENVIRONMENT_UNREADABLE");
}

TEST_CASE("environment service: audits creation, change and deletion",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  v1::SaveEnvironmentResponse saved;
  REQUIRE_THAT(site.Save(ada, "torch", "image = \"/a\"", 0, &saved), IsOk());
  CHECK(site.Save(ada, "torch", "").error_code() == Code::ALREADY_EXISTS);
  CHECK(site.Save(ada, "../x", "").error_code() == Code::INVALID_ARGUMENT);
  const int64_t revision = saved.environment().revision();
  REQUIRE_THAT(site.Save(ada, "torch", "image = \"/b\"", revision), IsOk());
  CHECK(site.Save(ada, "torch", "", revision).error_code() ==
        Code::FAILED_PRECONDITION);
  CHECK(site.Delete(ada, "torch") == Code::OK);
  CHECK(site.Ask("SELECT group_concat(act || ' ' || subject || ' ' || decision)"
                 " FROM (SELECT * FROM audit WHERE act LIKE '%environment' "
                 "ORDER BY sequence)") ==
        "save-environment torch allow,save-environment torch refuse,"
        "save-environment ../x refuse,save-environment torch allow,"
        "save-environment torch refuse,delete-environment torch allow");
  // A text may hold secrets: none of it is there.
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE subject || result LIKE "
                 "'%image%'") == "0");
}

TEST_CASE("environment service: a text is rendered as it is written",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const auto faulty =
      site.Render(ada, "image = \"/a\"\n\nmounts = [\"/a:/b:/c:/d\"]\nx = 1");
  CHECK(faulty.rendered().empty());
  REQUIRE(faulty.problems_size() == 1);
  CHECK(faulty.problems(0).number() == 8);
  CHECK(faulty.problems(0).line() == 3);
  CHECK(faulty.problems(0).file().empty());
  CHECK(faulty.problems(0).text_code().code() == "EDF_REFUSED");
  REQUIRE(faulty.problems(0).text_code().parameters_size() == 3);
  CHECK(faulty.problems(0).text_code().parameters(2).code().code() ==
        "EDF_MOUNT_FIELD_COUNT");
  REQUIRE(faulty.warnings_size() == 1);
  CHECK(faulty.warnings(0).line() == 4);
  CHECK(faulty.warnings(0).text_code().code() == "EDF_UNKNOWN_KEY");
  const auto whole = site.Render(
      ada, "base_environment = \"site\"\nworkdir = \"/home/${USER}\"");
  CHECK(whole.problems_size() == 0);
  CHECK(whole.rendered().find("image = \"/s\"") != std::string::npos);
  CHECK(whole.rendered().find("workdir = \"/home/ada\"") != std::string::npos);
  CHECK(site.List(ada).environments_size() == 1);  // kept nothing
}

}  // namespace
}  // namespace carme::backend
