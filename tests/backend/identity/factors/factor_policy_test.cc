#include "backend/identity/factors/factor_policy.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr v1::Factor kTotp = v1::FACTOR_TOTP;
constexpr v1::Factor kPasskey = v1::FACTOR_PASSKEY;
using Kinds = std::vector<v1::Factor>;

std::string Fault(const std::string& text) {
  ConfigFile file = ConfigFile::Parse(text, "x.toml").value();
  FactorsConfig config;
  ReadFactorsConfig(file.root(), &config);
  return std::string(file.Finish().message());
}

TEST_CASE("factor policy: refuses an unknown kind", "[backend]") {
  CHECK(Fault("[factors]\nallowed=[\"sms\"]") ==
        "x.toml:2: \"factors.allowed\": \"sms\": expected \"totp\" or "
        "\"passkey\"");
  CHECK_FALSE(Fault("[factors]\nallowed=[]").empty());
  CHECK_FALSE(Fault("[factors.groups]\nhpc=[]").empty());
  CHECK_FALSE(Fault("[factors.groups]\nhpc=\"totp\"").empty());
  CHECK_FALSE(Fault("[factors]\nother=1").empty());
}

TEST_CASE("factor policy: a group narrows, and never widens", "[backend]") {
  const FactorsConfig config = {
      .allowed = {kTotp, kPasskey},
      .groups = {{"admins", {kPasskey}}, {"guests", {kTotp}}}};
  CHECK(AllowedFactors(config, {}) == Kinds{kTotp, kPasskey});
  CHECK(AllowedFactors(config, {"others"}) == Kinds{kTotp, kPasskey});
  CHECK(AllowedFactors(config, {"others", "admins"}) == Kinds{kPasskey});
  CHECK(AllowedFactors(config, {"admins", "guests"}).empty());
  const FactorsConfig narrow = {.allowed = {kTotp},
                                .groups = {{"admins", {kPasskey}}}};
  CHECK(AllowedFactors(narrow, {"admins"}).empty());
}

TEST_CASE("factor policy: read as it is written", "[backend]") {
  ConfigFile file = ConfigFile::Parse(
                        "[factors]\nallowed=[\"passkey\",\"totp\"]\n"
                        "[factors.groups]\nadmins=[\"passkey\"]\n",
                        "x.toml")
                        .value();
  FactorsConfig config;
  ReadFactorsConfig(file.root(), &config);
  REQUIRE_THAT(file.Finish(), IsOk());
  CHECK(config.allowed == Kinds{kPasskey, kTotp});
  CHECK(config.groups.at("admins") == Kinds{kPasskey});
}

}  // namespace
}  // namespace carme::backend
