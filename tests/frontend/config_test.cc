#include "frontend/config.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::frontend {
namespace {

constexpr char kGood[] = R"(portal = "https://carme.test:8443"
[backend]
address = "head:9443"
ca = "/ca"
certificate = "/cert"
key = "/key"
)";

absl::StatusOr<FrontendConfig> Load(const std::string& text) {
  const TempDir folder;
  const std::string path = folder.File("frontend.toml");
  std::ofstream(path) << text;
  return LoadConfig(path);
}

std::string ErrorsOf(const std::string& text) {
  const auto config = Load(text);
  return config.ok() ? "" : std::string(config.status().message());
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("frontend config: an empty file reports all missing keys",
          "[frontend]") {
  const std::string errors = ErrorsOf("");
  for (const char* key : {"portal", "backend.address", "backend.ca",
                          "backend.certificate", "backend.key"}) {
    CAPTURE(key, errors);
    CHECK(Has(errors, std::string("\"") + key + "\" is missing"));
  }
}

TEST_CASE("frontend config: listens on loopback by default", "[frontend]") {
  for (const char* address :
       {"0.0.0.0:8080", "10.0.0.1:8080", "[::]:8080", "localhost:8080", ""}) {
    CAPTURE(address);
    const std::string line = "listen = \"" + std::string(address) + "\"\n";
    CHECK(Has(ErrorsOf(line + kGood), "is not a loopback address"));
    CHECK(ErrorsOf("allow_remote = true\n" + line + kGood).empty());
  }
  for (const char* address : {"127.0.0.1:0", "127.9.9.9:8080", "[::1]:8080"}) {
    CAPTURE(address);
    CHECK(ErrorsOf("listen = \"" + std::string(address) + "\"\n" + kGood) ==
          "");
  }
}

TEST_CASE("frontend config: refuses a portal that is not an https origin",
          "[frontend]") {
  CHECK(Has(ErrorsOf("portal = \"http://a\"\n"),
            ":1: \"portal\": \"http://a\": expected https://host[:port]"));
}

TEST_CASE("frontend config: refuses help that is no link", "[frontend]") {
  for (const char* url :
       {"http://docs.test/", "docs.test", "https://", "https://a b/",
        "https://user@docs.test/", "https://docs.test/\\u0007",
        "https://docs.test/\\n", "https://docs.test/\\\"",
        "javascript:alert(1)", "https://docs.test/ü"}) {
    CAPTURE(url);
    CHECK(Has(ErrorsOf(std::string(kGood) + "[help]\ndocumentation_url = \"" +
                       url + "\"\n"),
              "\"help.documentation_url\": expected https://HOST"));
  }
  CHECK(Has(ErrorsOf(std::string(kGood) +
                     "[help]\ndocumentation_url = \"https://docs.test/" +
                     std::string(500, 'x') + "\"\n"),
            "at most 500"));
  for (const char* mail :
       {"support", "@example.org", "support@", "a b@example.org",
        "support@example.org\\nBcc: x", "support@example.org\\r",
        "support@example.org?subject=x", "a&b@example.org", "a%0a@example.org",
        "a@b@example.org", "a..b@example.org", "a@example..org",
        "Support <support@example.org>", "a@-example.org"}) {
    CAPTURE(mail);
    CHECK(Has(ErrorsOf(std::string(kGood) + "[help]\nsupport_mail = \"" + mail +
                       "\"\n"),
              "\"help.support_mail\": expected a mail address"));
  }
}

TEST_CASE("frontend config: help has an https URL and a mail address",
          "[frontend]") {
  const auto config =
      Load(std::string(kGood) +
           "[help]\ndocumentation_url = "
           "\"https://docs.test:8443/carme/?lang=en&v=1#start\"\n"
           "support_mail = \"gpu-support+carme@cluster.example.org\"\n");
  REQUIRE_THAT(config, IsOk());
  CHECK(config->help.documentation_url ==
        "https://docs.test:8443/carme/?lang=en&v=1#start");
  CHECK(config->help.support_mail == "gpu-support+carme@cluster.example.org");
  CHECK(Load(kGood)->help.support_mail.empty());
}

TEST_CASE("frontend config: streams stay well below connections",
          "[frontend]") {
  const std::string good = kGood;
  CHECK(Has(ErrorsOf(good + "[limits]\nconnections = 16\nstreams = 13\n"),
            "\"limits.streams\": 13: expected at most 12, three quarters"));
  CHECK(Has(ErrorsOf(good + "[limits]\nconnections = 16\n"), "streams"));
  CHECK(ErrorsOf(good + "[limits]\nconnections = 16\nstreams = 12\n") == "");
  CHECK(Has(ErrorsOf(good + "[limits]\nconnections = 5000\n"), "out of range"));
}

constexpr char kBeta[] = R"([[clusters]]
name = "beta"
address = "head-beta:9443"
server_name = "carme-backend-beta"
jobs_domain = "Jobs-beta.test:443"
)";

TEST_CASE("frontend config: further clusters need a name for each cluster",
          "[frontend]") {
  const std::string good = kGood;
  CHECK(Has(ErrorsOf(good + kBeta), "\"backend.cluster\" is missing"));
  CHECK(Has(ErrorsOf(good + "cluster = \"beta\"\n" + kBeta),
            "\"beta\" is the name of two clusters"));
  CHECK(Has(ErrorsOf(good + "cluster = \"a,b\"\n"), "\"a,b\": expected"));
  const std::string errors =
      ErrorsOf(good + "cluster = \"alpha\"\n[[clusters]]\nsecret = 1\n");
  for (const char* part :
       {"\"clusters.name\" is missing", "\"clusters.address\" is missing",
        "\"clusters.jobs_domain\" is missing", "clusters.secret"}) {
    CAPTURE(part, errors);
    CHECK(Has(errors, part));
  }
}

TEST_CASE("frontend config: no backend can pass as another one", "[frontend]") {
  const std::string good = std::string(kGood) + "cluster = \"alpha\"\n";
  const std::string beta =
      "[[clusters]]\nname = \"beta\"\naddress = \"head-beta:9443\"\n"
      "jobs_domain = \"jobs-beta.test\"\n";
  CHECK(Has(ErrorsOf(good + beta),
            "\"clusters.server_name\": \"carme-backend\""));
  CHECK_THAT(Load(good + beta + "ca = \"/ca-beta\"\n"), IsOk());
  CHECK_THAT(Load(good + beta + "server_name = \"beta\"\n"), IsOk());
}

TEST_CASE("frontend config: refuses a jobs domain that contains the portal",
          "[frontend]") {
  for (const char* domain : {"test:8443", "carme.test:8443", "a/b", "a b"}) {
    CAPTURE(domain);
    CHECK(Has(ErrorsOf(std::string(kGood) +
                       "cluster = \"alpha\"\n[[clusters]]\nname = \"beta\"\n"
                       "address = \"b:1\"\njobs_domain = \"" +
                       domain + "\"\n"),
              "\"clusters.jobs_domain\": \"" + std::string(domain) + "\""));
  }
}

TEST_CASE("frontend config: a further cluster has the files of the first",
          "[frontend]") {
  const auto config = Load(std::string(kGood) + "cluster = \"alpha\"\n" +
                           kBeta + "key = \"/key-beta\"\n");
  REQUIRE_THAT(config, IsOk());
  CHECK(config->cluster == "alpha");
  REQUIRE(config->clusters.size() == 1);
  const FrontendConfig::FurtherCluster& beta = config->clusters.front();
  CHECK(beta.name == "beta");
  CHECK(beta.jobs_domain == "jobs-beta.test");
  CHECK(beta.backend.address == "head-beta:9443");
  CHECK(beta.backend.ca == "/ca");
  CHECK(beta.backend.key == "/key-beta");
}

TEST_CASE("frontend config: the example file is valid", "[frontend]") {
  const auto config =
      LoadConfig(CARME_SOURCE_DIR "/deploy/config/frontend.toml");
  CAPTURE(config.status().message().data());
  REQUIRE_THAT(config, IsOk());
  const FrontendConfig defaults;
  CHECK(config->portal.origin == "https://carme.example.org");
  CHECK(config->listen == defaults.listen);
  CHECK(config->limits.connections == defaults.limits.connections);
}

}  // namespace
}  // namespace carme::frontend
