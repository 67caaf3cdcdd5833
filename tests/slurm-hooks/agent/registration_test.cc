#include "slurm-hooks/agent/control/registration.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "carme/v1/agent.pb.h"
#include "tests/support/status_matchers.h"

namespace carme::agent {
namespace {

carme::v1::RegisterResponse GoodResponse() {
  carme::v1::RegisterResponse response;
  response.set_job_id("abcdefgh23456789");
  response.set_app("jupyter");
  response.set_certificate_pem("pem");
  response.set_proxy_ca_pem("pem");
  response.set_proxy_name("dmz");
  response.set_ticket_public_key(
      SigningKey::FromSeed(std::string(32, 'b'))->PublicKey());
  for (const char* id : {"jupyter", "code"}) {
    carme::v1::AppPlan* app = response.add_apps();
    app->set_id(id);
    app->add_command("app");
    app->set_ready_path("/api");
    app->set_public_host("x.jobs.example:8443");
  }
  carme::v1::EnvironmentPlan* environment = response.mutable_environment();
  environment->set_runtime(carme::v1::RUNTIME_APPTAINER);
  environment->set_image("/images/base.sif");
  environment->set_image_sha256(std::string(64, 'a'));
  return response;
}

TEST_CASE("registration: refuses an invalid response", "[agent]") {
  using Response = carme::v1::RegisterResponse;
  const std::function<void(Response*)> changes[] = {
      [](auto* r) { r->set_job_id("../../etc/passwd"); },
      [](auto* r) { r->clear_app(); },
      [](auto* r) { r->clear_certificate_pem(); },
      [](auto* r) { r->clear_proxy_ca_pem(); },
      [](auto* r) { r->clear_proxy_name(); },
      [](auto* r) { r->set_ticket_public_key("short"); },
      [](auto* r) { r->clear_apps(); },
      [](auto* r) { r->mutable_apps(0)->set_id("code"); },
      [](auto* r) { r->mutable_apps()->SwapElements(0, 1); },
      [](auto* r) { r->mutable_apps(1)->set_id("../code"); },
      [](auto* r) { r->mutable_apps(1)->set_id(std::string(32, 'a')); },
      [](auto* r) { r->mutable_apps(0)->clear_command(); },
      [](auto* r) { r->mutable_apps(0)->set_command(0, ""); },
      [](auto* r) { r->mutable_apps(0)->add_command(std::string("a\0b", 3)); },
      [](auto* r) { r->mutable_apps(0)->add_command(std::string(5000, 'a')); },
      [](auto* r) { r->mutable_apps(0)->set_ready_path("api"); },
      [](auto* r) { r->mutable_apps(0)->set_ready_path("/a b\r\nX: y"); },
      [](auto* r) { r->mutable_apps(0)->set_public_host("x\r\nX: y"); },
      [](auto* r) { r->mutable_apps(0)->set_base_path("/x"); },
      [](auto* r) { r->mutable_apps(0)->set_base_path("x/"); },
      [](auto* r) { r->mutable_apps(0)->set_base_path("/x y/"); },
      [](auto* r) { r->mutable_apps(0)->set_base_path("/x\r\nX: y/"); },
      [](auto* r) { (*r->mutable_apps(0)->mutable_environment())["A=B"] = ""; },
      [](auto* r) { r->add_dial("proxy.example.org:8444"); },
      [](auto* r) { r->add_dial("192.0.2.10"); },
      [](auto* r) { r->add_dial("192.0.2.10:0"); },
      [](auto* r) { r->add_dial("192.0.2.10:84444"); },
      [](auto* r) {
        for (int i = 0; i < 9; ++i) r->add_dial("192.0.2.10:8444");
      },
      [](auto* r) { r->clear_environment(); },
      [](auto* r) { r->mutable_environment()->set_image("base.sif"); },
      [](auto* r) { r->mutable_environment()->set_image("/a:/etc"); },
      [](auto* r) { r->mutable_environment()->set_image_sha256("abc"); },
      [](auto* r) {
        carme::v1::Bind* bind = r->mutable_environment()->add_binds();
        bind->set_source("/data");
        bind->set_target("/data,/etc");
      },
  };
  for (const auto& change : changes) {
    Response response = GoodResponse();
    change(&response);
    INFO(response.ShortDebugString());
    CHECK(absl::IsInvalidArgument(CheckRegistration(response).status()));
  }
}

TEST_CASE("registration: refuses an environment that cannot be", "[agent]") {
  using Edf = carme::v1::EdfPlan;
  const std::function<void(Edf*)> changes[] = {
      [](auto*) {},
      [](auto* e) { e->set_rendered(""); },
      [](auto* e) { e->set_rendered(std::string((64 << 10) + 1, ' ')); },
      [](auto* e) { e->set_path(""); },
      [](auto* e) { e->set_path("job.toml"); },
      [](auto* e) { e->set_path("~bob/job.toml"); },
      [](auto* e) { e->set_path("/a\nb"); },
      [](auto* e) { e->set_path("/" + std::string(5000, 'a')); },
      [](auto* e) {
        e->set_path("/a.toml");
        e->set_image_sha256(std::string(64, 'a'));
      },
      [](auto* e) {
        e->set_rendered("image = \"/a\"");
        e->set_image_sha256("abc");
      },
  };
  for (const auto& change : changes) {
    carme::v1::RegisterResponse response = GoodResponse();
    carme::v1::EnvironmentPlan* plan = response.mutable_environment();
    plan->set_runtime(carme::v1::RUNTIME_EDF);
    change(plan->mutable_edf());
    INFO(response.ShortDebugString());
    CHECK(absl::IsInvalidArgument(CheckRegistration(response).status()));
  }
}

TEST_CASE("registration: an environment is a text or a file", "[agent]") {
  carme::v1::RegisterResponse response = GoodResponse();
  carme::v1::EnvironmentPlan* plan = response.mutable_environment();
  plan->set_runtime(carme::v1::RUNTIME_EDF);
  plan->mutable_edf()->set_rendered("image = \"/a\"");
  const auto text = CheckRegistration(response);
  REQUIRE_THAT(text, IsOk());
  CHECK(text->plan.environment.runtime == v1::RUNTIME_EDF);
  CHECK(text->plan.environment.edf == "image = \"/a\"");
  CHECK(text->plan.environment.image.empty());
  plan->mutable_edf()->set_path("~/job.toml");
  const auto file = CheckRegistration(response);
  REQUIRE_THAT(file, IsOk());
  CHECK(file->plan.environment.edf.empty());
  CHECK(file->plan.environment.edf_path == "~/job.toml");
}

TEST_CASE("registration: reads all fields of a valid response", "[agent]") {
  const auto registration = CheckRegistration(GoodResponse());
  INFO(registration.status().ToString());
  REQUIRE_THAT(registration, IsOk());
  CHECK(registration->rules.job == JobId("abcdefgh23456789"));
  REQUIRE(registration->plan.apps.size() == 2);
  CHECK(registration->rules.apps == std::set<std::string>{"code", "jupyter"});
  CHECK(registration->plan.apps[0].ready_path == "/api");
  CHECK(registration->plan.environment.image == "/images/base.sif");
  CHECK(registration->dial.empty());
}

TEST_CASE("registration: returns the proxies to dial", "[agent]") {
  carme::v1::RegisterResponse response = GoodResponse();
  response.add_dial("192.0.2.10:8444");
  response.add_dial("[2001:db8::1]:8444");
  const auto registration = CheckRegistration(response);
  REQUIRE_THAT(registration, IsOk());
  REQUIRE(registration->dial.size() == 2);
  CHECK(registration->dial[0].ToString() == "192.0.2.10:8444");
  CHECK(registration->dial[1].ToString() == "[2001:db8::1]:8444");
}

carme::v1::RegisterResponse BuildResponse() {
  carme::v1::RegisterResponse response = GoodResponse();
  response.clear_app();
  response.clear_apps();
  response.clear_environment();
  carme::v1::ImageBuildPlan* plan = response.mutable_image_build();
  plan->set_name("ada/x:1");
  plan->set_source(carme::v1::IMAGE_SOURCE_OCI_ARCHIVE);
  plan->set_path("~/x.tar");
  plan->set_output("x@1.sif");
  return response;
}

TEST_CASE("registration: an image that cannot be made is refused", "[agent]") {
  using Plan = carme::v1::ImageBuildPlan;
  const std::function<void(Plan*)> changes[] = {
      [](auto* p) { p->clear_source(); },
      [](auto* p) { p->clear_path(); },
      [](auto* p) { p->set_path("x.tar"); },
      [](auto* p) { p->set_path("~root/x.tar"); },
      [](auto* p) { p->set_path("/a:/etc"); },
      [](auto* p) { p->clear_output(); },
      [](auto* p) { p->set_output("../x.sif"); },
      [](auto* p) { p->set_output(".bashrc"); },
      [](auto* p) { p->set_output("a b"); },
  };
  for (const auto& change : changes) {
    carme::v1::RegisterResponse response = BuildResponse();
    change(response.mutable_image_build());
    INFO(response.ShortDebugString());
    CHECK(absl::IsInvalidArgument(CheckRegistration(response).status()));
  }
  carme::v1::RegisterResponse both = GoodResponse();
  *both.mutable_image_build() = BuildResponse().image_build();
  CHECK(absl::IsInvalidArgument(CheckRegistration(both).status()));
  const auto registration = CheckRegistration(BuildResponse());
  INFO(registration.status().ToString());
  REQUIRE_THAT(registration, IsOk());
  REQUIRE(registration->plan.build.has_value());
  CHECK(registration->plan.build->source == v1::IMAGE_SOURCE_OCI_ARCHIVE);
  CHECK(registration->plan.build->output == "x@1.sif");
}

// An image of packages.
carme::v1::RegisterResponse RecipeResponse() {
  carme::v1::RegisterResponse response = BuildResponse();
  carme::v1::ImageBuildPlan* plan = response.mutable_image_build();
  plan->set_source(carme::v1::IMAGE_SOURCE_DEFINITION);
  plan->clear_path();
  carme::v1::ImageRecipePlan* recipe = plan->mutable_recipe();
  recipe->set_base_path("/images/base.sif");
  recipe->set_base_sha256(std::string(64, 'a'));
  recipe->set_pip_index_url("https://pip.example/simple");
  recipe->mutable_recipe()->add_pip_packages("torch>=2.7");
  return response;
}

TEST_CASE("registration: an image of other packages than names is refused",
          "[agent]") {
  using Plan = carme::v1::ImageBuildPlan;
  const auto recipe = [](Plan* plan) { return plan->mutable_recipe(); };
  const std::function<void(Plan*)> changes[] = {
      [](auto* p) { p->set_path("~/x.def"); },
      [](auto* p) { p->set_output("../x.sif"); },
      [](auto* p) { p->set_source(carme::v1::IMAGE_SOURCE_SIF); },
      [&](auto* p) { recipe(p)->set_base_path("/a\n%post\n id"); },
      [&](auto* p) { recipe(p)->set_base_path("images/base.sif"); },
      [&](auto* p) { recipe(p)->clear_base_sha256(); },
      [&](auto* p) { recipe(p)->set_pip_index_url("https://x/ --pre"); },
      [&](auto* p) { recipe(p)->clear_pip_index_url(); },
      [&](auto* p) { recipe(p)->mutable_recipe()->add_pip_packages("-r x"); },
      [&](auto* p) {
        recipe(p)->mutable_recipe()->add_pip_packages("x\n--pre");
      },
      [&](auto* p) {
        for (int i = 0; i < 100; ++i) {
          recipe(p)->mutable_recipe()->add_pip_packages("x");
        }
      },
      // Without their sources.
      [&](auto* p) {
        recipe(p)->mutable_recipe()->add_debian_packages("r-base-core");
      },
      [&](auto* p) {
        recipe(p)->mutable_recipe()->add_conda_packages("numpy");
      },
  };
  for (const auto& change : changes) {
    carme::v1::RegisterResponse response = RecipeResponse();
    change(response.mutable_image_build());
    INFO(response.ShortDebugString());
    CHECK(absl::IsInvalidArgument(CheckRegistration(response).status()));
  }
  const auto registration = CheckRegistration(RecipeResponse());
  REQUIRE_THAT(registration, IsOk());
  REQUIRE(registration->plan.build->recipe.has_value());
  CHECK(registration->plan.build->recipe->recipe().pip_packages(0) ==
        "torch>=2.7");
}

}  // namespace
}  // namespace carme::agent
