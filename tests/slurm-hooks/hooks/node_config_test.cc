#include "slurm-hooks/node_config.h"

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"

namespace carme {
namespace {

constexpr char kNeeded[] =
    "backend = \"head:9444\"\nbackend_name = \"b\"\nca = \"/ca.pem\"\n";

absl::StatusOr<NodeConfig> LoadText(const std::string& text) {
  std::string path = "/tmp/carme-node-config-XXXXXX";
  close(mkstemp(path.data()));
  REQUIRE_THAT(WriteFile(path, text, 0600), IsOk());
  auto config = LoadNodeConfig(path);
  unlink(path.c_str());
  return config;
}

TEST_CASE("agent.toml: refuses unknown keys and invalid values",
          "[slurm-hooks]") {
  const char* const bad[] = {
      "unknown = 1\n",
      "runtime_directory = \"run/carme\"\n",
      "runtime_directory = \"\"\n",
      "runtime_directory = \"/234567890123456789012345678901234567890123456789"
      "0123456789012345\"\n",
      "port_first = 80\n",
      "port_first = 40000\nport_last = 39999\n",
      "feature = \"a&b\"\n",
      "feature = \"\"\n",
      "scratch_limit_gib = -1\n",
      "[job_storage]\nstart = [\"/b\"]\ndirectory = \"/m\"\n",
      "[job_storage]\nstart = [\"b\"]\nstop = [\"/b\"]\ndirectory = \"/m\"\n",
      "[job_storage]\nstart = [\"/b\"]\nstop = [\"/b\"]\ndirectory = \"m\"\n",
      "[job_storage]\ntime_limit_s = 0\n",
      "[gpu]\ndcgm_host_engine = \"head:5555\"\n",
      "[gpu]\ndcgm_host_engine = \"127.0.0.1\"\n",
      "[gpu]\ndcgm_host_engine = \"run/dcgm.socket\"\n",
  };
  for (const char* line : bad) {
    INFO(line);
    CHECK(absl::IsInvalidArgument(
        LoadText(std::string(kNeeded) + line).status()));
  }
}

TEST_CASE("agent.toml: refuses a backend without a port", "[slurm-hooks]") {
  for (const char* backend : {"head", "head:", ":9444", "head:0", "head:x"}) {
    INFO(backend);
    const auto config = LoadText(
        std::string("backend_name = \"b\"\nca = \"/c\"\nbackend = \"") +
        backend + "\"\n");
    CHECK(absl::IsInvalidArgument(config.status()));
  }
}

TEST_CASE("agent.toml: DCGM is used only where its host engine is named",
          "[slurm-hooks]") {
  CHECK(LoadText(kNeeded)->gpu.dcgm_host_engine.empty());
  for (const char* address : {"127.0.0.1:5555", "/run/nv-hostengine"}) {
    const auto config = LoadText(
        absl::StrCat(kNeeded, "[gpu]\ndcgm_host_engine = \"", address, "\"\n"));
    REQUIRE_THAT(config, IsOk());
    CHECK(config->gpu.dcgm_host_engine == address);
  }
}

TEST_CASE("agent.toml: an empty one names every key that is missing",
          "[slurm-hooks]") {
  const std::string text(LoadText("").status().message());
  for (const char* key : {"backend", "backend_name", "ca"}) {
    INFO(text);
    CHECK(text.find(key) != std::string::npos);
  }
}

TEST_CASE("agent.toml: the example is right and shows the defaults",
          "[slurm-hooks]") {
  const auto config = LoadNodeConfig(CARME_EXAMPLE_AGENT_TOML);
  INFO(config.status().ToString());
  REQUIRE_THAT(config, IsOk());
  const NodeConfig defaults;
  CHECK(config->runtime_directory == defaults.runtime_directory);
  CHECK(config->port_first == defaults.port_first);
  CHECK(config->port_last == defaults.port_last);
  CHECK(config->feature == defaults.feature);
  CHECK(config->gpu.dcgm_host_engine == defaults.gpu.dcgm_host_engine);
}

}  // namespace
}  // namespace carme
