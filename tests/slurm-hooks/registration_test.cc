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
  response.add_command("app");
  response.set_ready_path("/api");
  response.set_public_host("x.jobs.example:8443");
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
      [](auto* r) { r->clear_command(); },
      [](auto* r) { r->set_command(0, ""); },
      [](auto* r) { r->add_command(std::string("a\0b", 3)); },
      [](auto* r) { r->add_command(std::string(5000, 'a')); },
      [](auto* r) { r->set_ready_path("api"); },
      [](auto* r) { r->set_ready_path("/a HTTP/1.1\r\nX: y"); },
      [](auto* r) { r->set_public_host("x\r\nX: y"); },
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
  CHECK(registration->command == std::vector<std::string>{"app"});
  CHECK(registration->ready_path == "/api");
}

}  // namespace
}  // namespace carme::agent
