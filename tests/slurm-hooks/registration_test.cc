#include "slurm-hooks/agent/registration.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "carme/v1/agent.pb.h"

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

TEST_CASE("registration: refuses an answer that cannot be used", "[agent]") {
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
      [](auto* r) { (*r->mutable_apps(0)->mutable_environment())["A=B"] = ""; },
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

TEST_CASE("registration: a good answer is taken whole", "[agent]") {
  const auto registration = CheckRegistration(GoodResponse());
  INFO(registration.status().ToString());
  REQUIRE(registration.ok());
  CHECK(registration->rules.job == JobId("abcdefgh23456789"));
  REQUIRE(registration->plan.apps.size() == 2);
  CHECK(registration->rules.apps == std::set<std::string>{"code", "jupyter"});
  CHECK(registration->plan.apps[0].ready_path == "/api");
  CHECK(registration->plan.environment.image == "/images/base.sif");
}

}  // namespace
}  // namespace carme::agent
