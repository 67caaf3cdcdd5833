#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>

#include "backend/privileged/impersonator/authz/config.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::impersonator {
namespace {

constexpr char kMinimalConfig[] =
    "peer_user = \"carme\"\n"
    "agent = \"/opt/carme/libexec/carme/carme-agent\"\n"
    "allowed_group = \"carme-users\"\n";

std::string ErrorOf(const std::string& text) {
  const auto config = ParseImpersonatorConfig(text, "x.toml");
  return config.ok() ? "" : std::string(config.status().message());
}

TEST_CASE("impersonator configuration: refuses to serve by default",
          "[backend]") {
  const std::string error = ErrorOf("");
  for (const char* key : {"peer_user", "agent", "allowed_group"}) {
    CHECK_THAT(error, Catch::Contains(key));
  }
}

TEST_CASE("impersonator configuration: refuses paths that sh would read",
          "[backend]") {
  for (const std::string path :
       {"carme-agent", "/opt/a b", "/opt/$(id)", "/opt/a;id", "/opt/a'b"}) {
    CHECK_THAT(ErrorOf(std::string(kMinimalConfig) + "agent_config = \"" +
                       path + "\"\n"),
               Catch::Contains("x.toml:4: \"agent_config\""));
  }
}

TEST_CASE("impersonator configuration: reports every error at once",
          "[backend]") {
  const std::string error =
      ErrorOf(std::string(kMinimalConfig) +
              "min_uid = 0\nmax_operations = 0\nmin_uids = 1\n"
              "operation_timeout_s = 1\nfeature = \"a&b\"\n");
  for (const char* part :
       {":4: \"min_uid\"", ":5: \"max_operations\"", "unknown key \"min_uids\"",
        ":7: \"operation_timeout_s\"", ":8: \"feature\""}) {
    CHECK_THAT(error, Catch::Contains(part));
  }
}

TEST_CASE("impersonator configuration: disables reservations by default",
          "[backend]") {
  CHECK_FALSE(ParseImpersonatorConfig(kMinimalConfig, "x.toml")
                  ->reservations.IsOffered());
  CHECK_FALSE(ParseImpersonatorConfig(std::string(kMinimalConfig) +
                                          "[reservations]\nmax_nodes = 2\n",
                                      "x.toml")
                  ->reservations.IsOffered());
  const auto config = ParseImpersonatorConfig(
      std::string(kMinimalConfig) + "[reservations]\npartitions = [\"main\"]\n",
      "x.toml");
  CHECK(config->reservations.IsOffered());
  CHECK_THAT(ErrorOf(std::string(kMinimalConfig) +
                     "[reservations]\nmax_minutes = 0\n"),
             Catch::Contains("max_minutes"));
}

TEST_CASE(
    "impersonator configuration: disables maintenance reservations by default",
    "[backend]") {
  CHECK_FALSE(ParseImpersonatorConfig(std::string(kMinimalConfig) +
                                          "[reservations]\n"
                                          "partitions = [\"main\"]\n",
                                      "x.toml")
                  ->maintenance.IsOffered());
  const auto config = ParseImpersonatorConfig(
      std::string(kMinimalConfig) + "[maintenance]\ngroup = \"operators\"\n",
      "x.toml");
  REQUIRE_THAT(config, IsOk());
  CHECK(config->maintenance.group == "operators");
  CHECK_FALSE(config->reservations.IsOffered());
}

TEST_CASE("impersonator configuration: disables changes of nodes by default",
          "[backend]") {
  CHECK_FALSE(
      ParseImpersonatorConfig(kMinimalConfig, "x.toml")->nodes.IsOffered());
  const auto config = ParseImpersonatorConfig(
      std::string(kMinimalConfig) +
          "[nodes]\ngroup = \"operators\"\nmax_drained_percent = 5\n",
      "x.toml");
  REQUIRE_THAT(config, IsOk());
  CHECK(config->nodes.group == "operators");
  CHECK(config->nodes.max_drained_percent == 5);
  const auto all = ParseImpersonatorConfig(
      std::string(kMinimalConfig) + "[nodes]\nmax_drained_percent = 101\n",
      "x.toml");
  CHECK_THAT(std::string(all.status().message()),
             Catch::Contains("max_drained_percent"));
}

TEST_CASE("impersonator configuration: disables extensions by default",
          "[backend]") {
  CHECK_FALSE(ParseImpersonatorConfig(kMinimalConfig, "x.toml")
                  ->extensions.IsOffered());
  const auto config = ParseImpersonatorConfig(
      std::string(kMinimalConfig) + "[extensions]\nmax_walltime_min = 90\n",
      "x.toml");
  CHECK(config->extensions.max_walltime == absl::Minutes(90));
  CHECK_THAT(ErrorOf(std::string(kMinimalConfig) +
                     "[extensions]\nmax_walltime_min = -1\n"),
             Catch::Contains("max_walltime_min"));
}

TEST_CASE("impersonator configuration: rate limit admits the largest array",
          "[backend]") {
  CHECK_THAT(ErrorOf(std::string(kMinimalConfig) +
                     "max_array_tasks = 500\n"
                     "array_tasks_per_minute_per_user = 499\n"),
             Catch::Contains("expected max_array_tasks or more, 500"));
  CHECK_THAT(ErrorOf(std::string(kMinimalConfig) + "max_array_tasks = -1\n"),
             Catch::Contains("max_array_tasks"));
  const auto config = ParseImpersonatorConfig(
      std::string(kMinimalConfig) +
          "max_array_tasks = 0\narray_tasks_per_minute_per_user = 1\n",
      "x.toml");
  REQUIRE_THAT(config, IsOk());
  CHECK(config->max_array_tasks == 0);
  CHECK(config->rate_limits.tasks_per_user == 1);
}

TEST_CASE("impersonator configuration: refuses a file others can write",
          "[backend]") {
  const TempDir dir;
  const std::string path = dir.File("impersonator.toml");
  REQUIRE_THAT(WriteFile(path, kMinimalConfig, 0644), IsOk());
  REQUIRE(chmod(path.c_str(), 0664) == 0);
  const auto config = LoadImpersonatorConfig(path);
  CHECK_THAT(config, StatusIs(absl::StatusCode::kFailedPrecondition));
  CHECK_FALSE(LoadImpersonatorConfig(dir.File("missing")).ok());
}

TEST_CASE("impersonator configuration: the example is valid", "[backend]") {
  const auto text = ReadFile(CARME_EXAMPLE_IMPERSONATOR_TOML);
  REQUIRE_THAT(text, IsOk());
  const auto config = ParseImpersonatorConfig(*text, "impersonator.toml");
  REQUIRE_THAT(config, IsOk());
  CHECK(config->peer_user == "carme");
  CHECK(config->policy.min_uid == 1000);
  // With each "#key" uncommented too: the file shows the defaults.
  std::string all = *text;
  for (size_t at = 0; (at = all.find("\n#", at)) != std::string::npos; ++at) {
    if (all[at + 2] != ' ') all.erase(at + 1, 1);
  }
  const auto full = ParseImpersonatorConfig(all, "impersonator.toml");
  REQUIRE_THAT(full, IsOk());
  CHECK(full->operation_timeout == ImpersonatorConfig().operation_timeout);
  CHECK(full->max_operations == ImpersonatorConfig().max_operations);
  CHECK(full->rate_limits.per_user == RateLimitsConfig().per_user);
  CHECK(full->rate_limits.total == RateLimitsConfig().total);
  CHECK(full->rate_limits.tasks_per_user == RateLimitsConfig().tasks_per_user);
  CHECK(full->max_array_tasks == ImpersonatorConfig().max_array_tasks);
  CHECK(full->socket == ImpersonatorConfig().socket);
}

}  // namespace
}  // namespace carme::impersonator
