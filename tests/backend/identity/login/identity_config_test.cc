#include "backend/identity/login/identity_config.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_replace.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr char kFreshFor[] = R"(
[ldap]
url = "ldaps://ldap.example.org"
ca_file = "/ca.pem"
bind_dn = "cn=carme"
bind_password_file = "/password"
user_base = "ou=people"
group_base = "ou=groups"
allowed_group = "users"
[sessions]
idle_timeout_s = 600
)";

// The result of Finish with `from` replaced by `to` in a valid file.
std::string Errors(const std::string& from = "", const std::string& to = "",
                   IdentityConfig* config = nullptr) {
  IdentityConfig own;
  const std::string text =
      from.empty() ? kFreshFor : absl::StrReplaceAll(kFreshFor, {{from, to}});
  auto file = ConfigFile::Parse(text, "x");
  REQUIRE_THAT(file, IsOk());
  ReadIdentityConfig(file->root(), config == nullptr ? &own : config);
  return std::string(file->Finish().message());
}

bool Refuses(const std::string& from, const std::string& to,
             const std::string& why) {
  const std::string errors = Errors(from, to);
  INFO(errors);
  CHECK(errors.find(why) != std::string::npos);
  return errors.find(why) != std::string::npos;
}

TEST_CASE("identity config: an address in the clear is refused", "[backend]") {
  CHECK(Refuses("ldaps://", "ldap://", "in the clear"));
  CHECK(Refuses("ldaps://ldap.example.org", "ldaps://a ldap://b", "one kind"));
  CHECK(Refuses("ldaps://", "http://", "expected ldaps://"));
  CHECK(Refuses("ldaps://ldap.example.org", " ", "\"ldap.url\""));
}

TEST_CASE("identity config: TLS needs a CA", "[backend]") {
  CHECK(Refuses("ca_file = \"/ca.pem\"", "", "\"ldap.ca_file\": is missing"));
  CHECK(Errors("url = \"ldaps://ldap.example.org\"\nca_file = \"/ca.pem\"",
               "url = \"ldapi://%2Fsocket\"")
            .empty());
}

TEST_CASE("identity config: half an account is refused", "[backend]") {
  CHECK(Refuses("bind_dn = \"cn=carme\"", "", "go together"));
  CHECK(Refuses("bind_password_file = \"/password\"", "", "go together"));
}

TEST_CASE("identity config: requires the allowed users", "[backend]") {
  CHECK(Refuses("allowed_group = \"users\"", "",
                "\"ldap.allowed_group\" is missing"));
  CHECK(Refuses("group_base = \"ou=groups\"", "", "\"group_base\" too"));
  CHECK(Refuses("[sessions]", "admin_group = \"*\"\n[sessions]",
                "must not be everybody"));
}

TEST_CASE("identity config: a filter without the name is refused",
          "[backend]") {
  CHECK(Refuses("[sessions]", "user_filter = \"(uid=ada)\"\n[sessions]",
                "expected %s"));
}

TEST_CASE("identity config: guesses are few, and their window is long",
          "[backend]") {
  CHECK(Refuses("[sessions]",
                "[login_throttle]\nunknown_address_attempts = 1\n[sessions]",
                "\"login_throttle.unknown_address_attempts\""));
  CHECK(Refuses("[sessions]",
                "[login_throttle]\nknown_address_attempts = 21\n[sessions]",
                "\"login_throttle.known_address_attempts\""));
  CHECK(Refuses("[sessions]", "[login_throttle]\nwindow_s = 599\n[sessions]",
                "\"login_throttle.window_s\""));
  IdentityConfig config;
  CHECK(Errors("[sessions]",
               "[login_throttle]\nunknown_address_attempts = "
               "5\nknown_address_attempts = 6\n"
               "window_s = 86400\n[sessions]",
               &config)
            .empty());
  CHECK(config.login_throttle.unknown_address_attempts == 5);
  CHECK(config.login_throttle.known_address_attempts == 6);
  CHECK(config.login_throttle.window == absl::Hours(24));
}

TEST_CASE("identity config: an empty file is refused", "[backend]") {
  auto file = ConfigFile::Parse("", "x");
  IdentityConfig config;
  ReadIdentityConfig(file->root(), &config);
  CHECK_FALSE(file->Finish().ok());
}

TEST_CASE("identity config: missing keys have their defaults", "[backend]") {
  IdentityConfig config;
  CHECK(Errors("", "", &config).empty());
  CHECK(config.sessions.idle_timeout == absl::Minutes(10));
  CHECK(config.sessions.absolute_timeout == absl::Hours(24));
  CHECK(config.ldap.timeout == absl::Seconds(5));
}

TEST_CASE("identity config: the example is in order", "[backend]") {
  auto file = ConfigFile::Load(CARME_SOURCE "/deploy/config/backend.toml");
  REQUIRE_THAT(file, IsOk());
  IdentityConfig config;
  ReadIdentityConfig(file->root(), &config);
  // Other sections are other readers'.
  const std::string errors(file->Finish().message());
  CHECK(errors.find("\"ldap.") == std::string::npos);
  CHECK(errors.find("\"password.") == std::string::npos);
  CHECK(errors.find("\"sessions.") == std::string::npos);
  CHECK(config.ldap.group_filter == LdapConfig().group_filter);
  CHECK(config.ldap.user_filter == LdapConfig().user_filter);
  CHECK(config.sessions.failure_delay == SessionsConfig().failure_delay);
}

}  // namespace
}  // namespace carme::backend
