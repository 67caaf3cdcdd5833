#include "backend/metrics/wiring/metrics_config.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "backend/metrics/wiring/metrics_program.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::metrics {
namespace {

constexpr char kGood[] = R"([tls]
certificate = "/cert"
key = "/key"
ca = "/ca"
[backend]
address = "head:9443"
[database]
url = "http://127.0.0.1:8428"
)";

std::string ErrorsOf(const std::string& text) {
  const TempDir folder;
  const std::string path = folder.File("metrics.toml");
  std::ofstream(path) << text;
  const auto config = LoadMetricsConfig(path);
  return config.ok() ? "" : std::string(config.status().message());
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("metrics config: an empty file reports all missing keys",
          "[metrics]") {
  const std::string errors = ErrorsOf("");
  for (const char* key : {"tls.certificate", "tls.key", "tls.ca",
                          "backend.address", "database.url"}) {
    CAPTURE(key, errors);
    CHECK(Has(errors, std::string("\"") + key + "\" is missing"));
  }
  CHECK(ErrorsOf(kGood) == "");
}

TEST_CASE("metrics config: refuses values that cannot work", "[metrics]") {
  struct Row {
    std::string line, error;
  };
  const Row rows[] = {
      {"[listen]\nagents = \"head:9445\"", "expected an IP address"},
      {"[listen]\nclients = \"9446\"", "expected an IP address"},
      {"[archive]\ndays = 0", "archive.days"},
      {"[limits]\nseries_per_job = 0", "limits.series_per_job"},
      {"[limits]\nseries = 1", "series"},
      {"[export]\ncluster = \"../alps\"", "expected letters, digits"},
      {"[export]\nsubcluster = \"\"", "expected letters, digits"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    CHECK(Has(ErrorsOf(kGood + row.line), row.error));
  }
  for (const char* url : {"127.0.0.1:8428", "ftp://a", "http://", "http://a/b",
                          "http://user@a", "https://a?b"}) {
    CAPTURE(url);
    std::string text = kGood;
    text.replace(text.find("http://127.0.0.1:8428"), 21, url);
    CHECK(Has(ErrorsOf(text), "expected http://host:port"));
  }
  CHECK(Has(ErrorsOf(std::string(kGood) + "username = \"ada\""),
            "password_file is not"));
}

TEST_CASE("metrics config: rules that cannot be read are refused",
          "[metrics]") {
  const TempDir folder;
  const std::string path = folder.File("rules.yaml");
  CHECK_THAT(LoadRules(path), StatusIs(absl::StatusCode::kNotFound, path));
  std::ofstream(path) << "rules:\n- name: A\n";
  CHECK_THAT(LoadRules(path),
             StatusIs(absl::StatusCode::kInvalidArgument, path + ":2: "));
  // This test is not installed with rules beside it.
  const auto none = LoadRules("");
  REQUIRE_THAT(none, IsOk());
  CHECK(none->rules.empty());
  const auto shipped = LoadRules(CARME_METRIC_RULES);
  REQUIRE_THAT(shipped, IsOk());
  CHECK(shipped->Series().contains("carme_gpu_utilization_ratio"));
  CHECK(Has(ErrorsOf(std::string(kGood) + "[rules]\npath = \"x\""), "path"));
}

TEST_CASE("metrics config: the packaged file explains a usable configuration",
          "[metrics]") {
  const auto config = LoadMetricsConfig(CARME_METRICS_TOML);
  REQUIRE_THAT(config, IsOk());
  CHECK(config->agents == "0.0.0.0:9445");
  CHECK(config->database.url == "http://127.0.0.1:8428");
  CHECK(config->limits.series_per_job == 20'000);
  CHECK(config->export_names.cluster == "carme");
}

}  // namespace
}  // namespace carme::metrics
