// LdapDirectory against a real slapd with TLS.
#include <sys/socket.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/identity/ldap/ldap_connection.h"
#include "backend/identity/ldap/ldap_directory.h"
#include "common/listen.h"
#include "tests/backend/identity/ldap/ldap_checks.h"
#include "tests/support/servers/slapd_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

// One for all tests that only read.
SlapdServer& Slapd() {
  static SlapdServer server;
  return server;
}

TEST_CASE("ldap: a connection in the clear is refused", "[backend]") {
  LdapConfig config = Slapd().Config();
  config.url = Slapd().LdapUrl();
  config.start_tls = false;
  CHECK(CodeOf(config, "ada") == kUnclear);
}

TEST_CASE("ldap: a server of another CA is refused", "[backend]") {
  TestAuthority other;
  for (const bool start_tls : {false, true}) {
    LdapConfig config = Slapd().Config();
    config.start_tls = start_tls;
    if (start_tls) config.url = Slapd().LdapUrl();
    config.ca_file = other.ca_file();
    CHECK(CodeOf(config, "ada") == kUnclear);
  }
}

TEST_CASE("ldap: a server of another name is refused", "[backend]") {
  SlapdServer elsewhere({.certificate_names = "DNS:ldap.example.org"});
  LdapConfig config = elsewhere.Config();
  CHECK(CodeOf(config, "ada") == kUnclear);
  config.url = elsewhere.LdapUrl();
  config.start_tls = true;
  CHECK(CodeOf(config, "ada") == kUnclear);
}

TEST_CASE("ldap: TLS 1.1 is refused, 1.2 is spoken", "[backend]") {
  SlapdServer old({.tls_version = "1.1"});
  CHECK(CodeOf(old.Config(), "ada") == kUnclear);
  SlapdServer modern({.tls_version = "1.2"});
  CHECK(CodeOf(modern.Config(), "ada") == kYes);
}

TEST_CASE("ldap: the environment cannot weaken the checks", "[backend]") {
  setenv("LDAPTLS_REQCERT", "never", 1);
  TestAuthority other;
  LdapConfig config = Slapd().Config();
  config.ca_file = other.ca_file();
  CHECK(CodeOf(config, "ada") == kUnclear);
  unsetenv("LDAPTLS_REQCERT");
}

TEST_CASE("ldap: a wrong password is refused", "[backend]") {
  const LdapConfig config = Slapd().Config();
  CHECK_THAT(Check(config, "ada", "password of bob"), StatusIs(kNo));
  CHECK_THAT(Check(config, "ada", ""), StatusIs(kNo));
  CHECK_THAT(Check(config, "", "password of ada"), StatusIs(kNo));
  CHECK_THAT(
      Check(config, "ada", std::string("password of ada\0x", 17)).status(),
      StatusIs(kNo));
}

TEST_CASE("ldap: an unknown user is refused like a wrong password",
          "[backend]") {
  CHECK(CodeOf(Slapd().Config(), "nobody") == kNo);
}

TEST_CASE("ldap: a name is a name, never a filter", "[backend]") {
  const LdapConfig config = Slapd().Config();
  for (const std::string name :
       {"*", "a*", "ada)(uid=*", "ada)(objectClass=*))(|(uid=x", "\\61da",
        "(ada)", "ada\\", "%s", "uid=ada"}) {
    INFO(name);
    CHECK_THAT(Check(config, name, "password of ada"), StatusIs(kNo));
  }
  CHECK_THAT(Check(config, std::string("ada\0", 4), "password of ada").status(),
             StatusIs(kNo));
}

TEST_CASE("ldap: a refused service account is not a result about the user",
          "[backend]") {
  LdapConfig config = Slapd().Config();
  config.bind_password_file = Slapd().PasswordFile("wrong", "not it");
  CHECK(CodeOf(config, "ada") == kUnclear);
}

TEST_CASE("ldap: a server that never answers costs no more than the time-out",
          "[backend]") {
  const auto silent = ListenTcp("127.0.0.1:0");
  REQUIRE_THAT(silent, IsOk());
  LdapConfig config = Slapd().Config();
  config.connect_timeout = absl::Seconds(1);
  config.timeout = absl::Seconds(1);
  for (const char* scheme : {"ldaps", "ldap"}) {
    INFO(scheme);
    config.start_tls = std::string(scheme) == "ldap";
    config.url =
        absl::StrCat(scheme, "://127.0.0.1:", PortOf(silent->get()).value());
    const absl::Time start = absl::Now();
    CHECK(CodeOf(config, "ada") == kUnclear);
    CHECK(absl::Now() - start < testing::kWaitTimeout / 2);
  }
}

TEST_CASE("ldap: an unknown user takes as long as a wrong password",
          "[backend]") {
  auto directory = LdapDirectory::Create(Slapd().Config());
  REQUIRE_THAT(directory, IsOk());
  const auto took = [&](const std::string& name) {
    const absl::Time start = absl::Now();
    REQUIRE((*directory)->CheckPassword(name, "wrong").status().code() == kNo);
    return absl::Now() - start;
  };
  // In turns, so that whatever else runs here is in both.
  std::vector<absl::Duration> of_ada, of_nobody;
  for (int i = 0; i < 41; ++i) {
    of_ada.push_back(took("ada"));
    of_nobody.push_back(took("nobody"));
  }
  for (auto* times : {&of_ada, &of_nobody}) {
    std::nth_element(times->begin(), times->begin() + 20, times->end());
  }
  const absl::Duration known = of_ada[20], unknown = of_nobody[20];
  INFO("known " << known << ", unknown " << unknown);
  CHECK(known / unknown < 2);
  CHECK(unknown / known < 2);
}

TEST_CASE("ldap: over ldaps, StartTLS or a unix socket people get in",
          "[backend]") {
  LdapConfig config = Slapd().Config();
  CHECK(CodeOf(config, "ada") == kYes);
  config.url = Slapd().LdapUrl();
  config.start_tls = true;
  CHECK(CodeOf(config, "ada") == kYes);
  config.url = Slapd().LdapiUrl();
  config.ca_file.clear();
  CHECK(CodeOf(config, "ada") == kYes);
}

TEST_CASE("ldap: the person is as the directory has it", "[backend]") {
  const auto check = Check(Slapd().Config(), "ADA", "password of ada");
  REQUIRE_THAT(check, IsOk());
  const Person* person = &check->person;
  CHECK(person->username == "ada");
  CHECK(person->display_name == "Dr. ada");
  CHECK(person->uid == Uid(20001));
  CHECK(person->role == Role::kUser);
}

}  // namespace
}  // namespace carme::backend
