#include "backend/clusters/clusters_config.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/encoding.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

absl::StatusOr<ClustersConfig> Read(const std::string& text) {
  absl::StatusOr<ConfigFile> file = ConfigFile::Parse(text, "backend.toml");
  if (!file.ok()) return file.status();
  ClustersConfig config;
  ReadClustersConfig(file->root(), &config);
  const absl::Status status = file->Finish();
  if (!status.ok()) return status;
  return config;
}

constexpr char kName[] = "[cluster]\nname = \"beta\"\n";

std::string Identity(const std::string& key) {
  return absl::StrCat(
      "[identity]\naddress = \"head:9443\"\nserver_name = \"carme-backend\"\n"
      "ca = \"/ca.pem\"\ncertificate = \"/c.pem\"\nkey = \"/c.key\"\n"
      "issuer_key = \"",
      key, "\"\n");
}
const std::string kKey = Base64UrlEncode(std::string(32, 'k'));

TEST_CASE("clusters config: one cluster needs nothing", "[backend]") {
  const ClustersConfig config = Read("").value();
  CHECK(config.name.empty());
  CHECK(config.further.empty());
  CHECK_FALSE(config.identity_backend.has_value());
  CHECK(Read(kName).value().name == "beta");
}

TEST_CASE("clusters config: refuses what is incomplete or invalid",
          "[backend]") {
  const std::pair<std::string, const char*> rows[] = {
      {"[cluster]\nname = \"be ta\"\n", "be ta"},
      {Identity(kKey), "required with [identity]"},
      {"[[identity.clusters]]\nname = \"beta\"\n", "required with [identity]"},
      {std::string(kName) + "[[identity.clusters]]\n", "name"},
      {std::string(kName) + "[[identity.clusters]]\nname = \"beta\"\n",
       "two clusters"},
      {std::string(kName) + "[[identity.clusters]]\nname = \"Gamma\"\n",
       "carme://cluster/NAME"},
      {std::string(kName) + "[identity]\naddress = \"head:9443\"\n",
       "issuer_key"},
      {kName + Identity("AAAA"), "43 characters"},
      {kName + Identity(kKey) + "[[identity.clusters]]\nname = \"gamma\"\n",
       "has an identity backend"},
  };
  for (const auto& [text, error] : rows) {
    INFO(text);
    CHECK_THAT(Read(text).status(),
               StatusIs(absl::StatusCode::kInvalidArgument, error));
  }
}

TEST_CASE("clusters config: reads both kinds of backends", "[backend]") {
  const ClustersConfig further = Read(kName + Identity(kKey)).value();
  REQUIRE(further.identity_backend.has_value());
  CHECK(further.identity_backend->address == "head:9443");
  CHECK(further.identity_backend->issuer_key == std::string(32, 'k'));
  const ClustersConfig identity =
      Read(std::string(kName) +
           "[[identity.clusters]]\nname = \"Gamma\"\n"
           "certificate_name = \"gamma-head\"\n[[identity.clusters]]\n"
           "name = \"delta\"\n")
          .value();
  REQUIRE(identity.further.size() == 2);
  CHECK(identity.further[0].name == "Gamma");
  CHECK(identity.further[0].certificate_name == "gamma-head");
  CHECK(identity.further[1].certificate_name == "delta");
}

}  // namespace
}  // namespace carme::backend
