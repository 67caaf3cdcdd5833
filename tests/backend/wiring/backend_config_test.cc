// deploy/config/backend.toml is the manual: it must say what the program reads.
#include "backend/wiring/backend_config.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

TEST_CASE("backend config: lists every missing key", "[backend]") {
  TempDir directory;
  REQUIRE_THAT(WriteFile(directory.File("x.toml"), "", 0600), IsOk());
  const auto config = LoadBackendConfig(directory.File("x.toml"));
  REQUIRE(absl::IsInvalidArgument(config.status()));
  for (const char* key : {"listen.clients", "tls.certificate", "ldap.url",
                          "portal.url", "portal.jobs_domain"}) {
    INFO(key);
    CHECK(config.status().message().find(absl::StrCat("\"", key, "\"")) !=
          std::string::npos);
  }
}

TEST_CASE("backend config: accepts the shipped example", "[backend]") {
  const auto config =
      LoadBackendConfig(CARME_SOURCE_DIR "/deploy/config/backend.toml");
  INFO(config.status().message());
  REQUIRE_THAT(config, IsOk());
  REQUIRE(config->jobs.apps.size() == 7);
  REQUIRE(config->jobs.images.size() == 1);
  CHECK(config->jobs.images[0].mounts.size() == 1);
  CHECK(config->jobs.apps[0].command.size() > 5);
  CHECK(config->jobs.LimitsOf(Role::kUser).max_gpus_per_job == 4);
  CHECK(config->jobs.LimitsOf(Role::kAdmin).max_gpus_per_job == 0);
}

TEST_CASE("backend config: refuses a metrics address without a port",
          "[backend]") {
  TempDir directory;
  REQUIRE_THAT(WriteFile(directory.File("x.toml"),
                         "metrics_listen = \"localhost\"\n", 0600),
               IsOk());
  const auto config = LoadBackendConfig(directory.File("x.toml"));
  CHECK(config.status().message().find("x.toml:1: \"metrics_listen\"") !=
        std::string::npos);
}

TEST_CASE("backend config: metrics need addresses with ports and an authority",
          "[backend]") {
  TempDir directory;
  const auto message = [&](const std::string& text) {
    REQUIRE_THAT(WriteFile(directory.File("x.toml"), text, 0600), IsOk());
    return std::string(
        LoadBackendConfig(directory.File("x.toml")).status().message());
  };
  for (const char* address : {"head", ":9446", "head:", "head:x", "a b:1"}) {
    INFO(address);
    CHECK(message(absl::StrCat("[metrics]\naddresses = [\"", address, "\"]\n"))
              .find("expected host:port") != std::string::npos);
  }
  CHECK(message("[metrics]\naddresses = [\"head:9446\"]\n")
            .find("needs \"ca\"") != std::string::npos);
  CHECK(message("[metrics]\ninterval_ms = 99\n").find("interval_ms") !=
        std::string::npos);
  CHECK(message("[metrics]\naddresses = [\"head:9446\"]\nca = \"/ca.pem\"\n")
            .find("metrics") == std::string::npos);
}

TEST_CASE("backend config: agents dial to addresses with ports", "[backend]") {
  const auto example = ReadFile(CARME_SOURCE_DIR "/deploy/config/backend.toml");
  REQUIRE_THAT(example, IsOk());
  const std::string line = "\ndial = []\n";
  const size_t at = example->find(line);
  REQUIRE(at != std::string::npos);
  TempDir directory;
  const auto load = [&](const std::string& dial) {
    std::string text = *example;
    text.replace(at, line.size(), "\ndial = " + dial + "\n");
    REQUIRE_THAT(WriteFile(directory.File("x.toml"), text, 0600), IsOk());
    return LoadBackendConfig(directory.File("x.toml"));
  };
  for (const char* refused :
       {"[\"proxy.example.org:8444\"]", "[\"192.0.2.10\"]",
        "[\"192.0.2.10:0\"]", "[\"\"]", "[\"192.0.2.1:1\", \"192.0.2.1:1\"]",
        "[\"192.0.2.1:1\", \"192.0.2.1:2\", \"192.0.2.1:3\", "
        "\"192.0.2.1:4\", \"192.0.2.1:5\", \"192.0.2.1:6\", "
        "\"192.0.2.1:7\", \"192.0.2.1:8\", \"192.0.2.1:9\"]"}) {
    INFO(refused);
    CHECK(load(refused).status().message().find("\"agents.dial\"") !=
          std::string::npos);
  }
  const auto good = load("[\"192.0.2.10:8444\", \"[2001:db8::1]:8444\"]");
  INFO(good.status());
  REQUIRE_THAT(good, IsOk());
  CHECK(good->tls.dial.size() == 2);
}

TEST_CASE("backend config: where the example names a default it is the one",
          "[backend]") {
  const BackendConfig left_out;
  const auto config =
      LoadBackendConfig(CARME_SOURCE_DIR "/deploy/config/backend.toml");
  REQUIRE_THAT(config, IsOk());
  CHECK(config->state_directory == left_out.state_directory);
  CHECK(config->tls.frontend_name == left_out.tls.frontend_name);
  CHECK(config->tls.proxy_name == left_out.tls.proxy_name);
  CHECK(config->tls.dial == left_out.tls.dial);
  CHECK(config->tls.max_agent_connections ==
        left_out.tls.max_agent_connections);
  CHECK(config->tls.max_agent_connections_per_address ==
        left_out.tls.max_agent_connections_per_address);
  CHECK(config->tls.agent_handshake_timeout ==
        left_out.tls.agent_handshake_timeout);
  CHECK(config->tls.agent_idle_timeout == left_out.tls.agent_idle_timeout);
  CHECK(config->projects.require_admin_approval ==
        left_out.projects.require_admin_approval);
  CHECK(config->projects.classifications == left_out.projects.classifications);
  CHECK(config->reservations.partitions == left_out.reservations.partitions);
  CHECK(config->reservations.roles == left_out.reservations.roles);
  CHECK(config->reservations.max_minutes == left_out.reservations.max_minutes);
  CHECK(config->history.retention_days == left_out.history.retention_days);
  CHECK(config->history.retention_jobs == left_out.history.retention_jobs);
  CHECK(config->history.ask_slurmdbd == left_out.history.ask_slurmdbd);
  CHECK(config->metrics.addresses == left_out.metrics.addresses);
  CHECK(config->metrics.server_name == left_out.metrics.server_name);
  CHECK(config->metrics.interval == left_out.metrics.interval);
  CHECK(config->metrics.gpu_interval == left_out.metrics.gpu_interval);
  CHECK(config->slurm.conf == left_out.slurm.conf);
  CHECK(config->slurm.poll_interval == left_out.slurm.poll_interval);
  CHECK(config->slurm.feature == left_out.slurm.feature);
  CHECK(config->impersonator.socket == left_out.impersonator.socket);
  CHECK(config->impersonator.timeout == left_out.impersonator.timeout);
  CHECK(config->storage_reader.socket == left_out.storage_reader.socket);
  CHECK(config->storage_reader.timeout == left_out.storage_reader.timeout);
  CHECK(config->identity.ldap.user_filter ==
        left_out.identity.ldap.user_filter);
  CHECK(config->identity.ldap.group_filter ==
        left_out.identity.ldap.group_filter);
  CHECK(config->identity.sessions.idle_timeout ==
        left_out.identity.sessions.idle_timeout);
  CHECK(config->identity.sessions.absolute_timeout ==
        left_out.identity.sessions.absolute_timeout);
}

}  // namespace
}  // namespace carme::backend
