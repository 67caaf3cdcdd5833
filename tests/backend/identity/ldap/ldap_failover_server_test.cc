// Servers that are away, silent, or die in the middle.
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/listen.h"
#include "tests/backend/identity/ldap/ldap_checks.h"
#include "tests/support/servers/ldap_relay.h"
#include "tests/support/servers/slapd_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using Fault = LdapRelay::Fault;

// Of a login: our own bind, the person, the uid, the groups, the person's
// bind. A change of the password is the next.
constexpr int kMessages = 5;
constexpr int kChange = kMessages + 1;

constexpr absl::Duration kTimeout = absl::Seconds(3);

SlapdServer& Slapd() {
  static SlapdServer server;
  return server;
}

LdapConfig Over(const std::string& urls) {
  LdapConfig config = Slapd().Config();
  config.url = urls;
  config.connect_timeout = kTimeout;
  config.timeout = kTimeout;
  return config;
}

// A busy machine is slow without being silent, so the time-out is long, and all
// attempts run at once. The checks come afterwards, because an attempt's thread
// is not the test's.
template <typename Result, typename Try>
std::vector<std::pair<std::string, Result>> TryEach(
    std::initializer_list<Fault> faults, const Try& attempt) {
  std::vector<std::pair<std::string, std::future<Result>>> running;
  for (const Fault fault : faults) {
    for (int message = 1; message <= kMessages; ++message) {
      running.emplace_back(
          absl::StrCat("message ", message, ", fault ",
                       static_cast<int>(fault)),
          std::async(std::launch::async, [&attempt, message, fault] {
            const LdapRelay relay(Slapd().LdapiPath(), message, fault);
            return attempt(relay.Url());
          }));
    }
  }
  std::vector<std::pair<std::string, Result>> results;
  for (auto& [what, result] : running) {
    results.emplace_back(what, result.get());
  }
  return results;
}

TEST_CASE("ldap failover: recognizes a directory that is down, and recovers",
          "[backend]") {
  SlapdServer server;
  auto directory = LdapDirectory::Create(server.Config());
  REQUIRE_THAT(directory, IsOk());
  const auto check = [&] {
    return (*directory)->CheckPassword("ada", "password of ada").status();
  };
  CHECK_THAT(check(), StatusIs(kYes));
  server.Stop();
  CHECK_THAT(check(), StatusIs(kUnclear));
  server.Start();
  CHECK_THAT(check(), StatusIs(kYes));
}

TEST_CASE("ldap failover: probes the health of each server without logins",
          "[backend]") {
  SlapdServer server;
  LdapConfig config = server.Config();
  const std::string works = config.url;
  config.url += " ldaps://127.0.0.1:1";
  auto directory = LdapDirectory::Create(config);
  REQUIRE_THAT(directory, IsOk());
  const auto health = [&](size_t i) { return (*directory)->health().at(i); };
  CHECK_FALSE(health(0).state.observed());
  (*directory)->ProbeIdleServers();
  CHECK(health(0).address == works);
  CHECK_THAT(health(0).state.status, IsOk());
  CHECK_FALSE(health(1).state.status.ok());
  // What was used a moment ago is not asked again, and its use is what counts.
  server.Stop();
  (*directory)->ProbeIdleServers();
  CHECK_THAT(health(0).state.status, IsOk());
  CHECK_FALSE((*directory)->LookUp("ada").ok());
  CHECK_FALSE(health(0).state.status.ok());
  const absl::Time since = health(0).state.since;
  CHECK_FALSE((*directory)->LookUp("ada").ok());
  CHECK(health(0).state.since == since);
  server.Start();
  REQUIRE_THAT((*directory)->LookUp("ada"), IsOk());
  CHECK_THAT(health(0).state.status, IsOk());
  CHECK(health(0).state.since > since);
}

TEST_CASE("ldap failover: a failure at any step is not a result", "[backend]") {
  const absl::Time start = absl::Now();
  for (const auto& [what, status] :
       TryEach<absl::Status>({Fault::kCut, Fault::kSilence, Fault::kCutAnswer},
                             [](const std::string& url) {
                               return Check(Over(url), "ada").status();
                             })) {
    INFO(what << ": " << status);
    CHECK_THAT(status, StatusIs(kUnclear));
  }
  CHECK(absl::Now() - start < testing::kWaitTimeout / 2);
}

TEST_CASE("ldap failover: the next server is used when one fails at any step",
          "[backend]") {
  using Statuses = std::pair<absl::Status, absl::Status>;
  for (const auto& [what, result] : TryEach<Statuses>(
           {Fault::kCut, Fault::kSilence}, [](const std::string& url) {
             const LdapConfig config =
                 Over(absl::StrCat(url, " ", Slapd().LdapiUrl()));
             return Statuses(Check(config, "ada").status(),
                             Check(config, "ada", "wrong").status());
           })) {
    INFO(what << ": " << result.first << ", " << result.second);
    CHECK_THAT(result.first, StatusIs(kYes));
    CHECK_THAT(result.second, StatusIs(kNo));
  }
}

TEST_CASE("ldap failover: a refusal is not repeated at other servers",
          "[backend]") {
  const LdapRelay relay(Slapd().LdapiPath(), 0, Fault::kCut);
  const LdapConfig config =
      Over(absl::StrCat(Slapd().LdapiUrl(), " ", relay.Url()));
  CHECK_THAT(Check(config, "ada", "wrong"), StatusIs(kNo));
  CHECK(CodeOf(config, "eve") == kNo);
  CHECK(CodeOf(config, "ada") == kYes);
  CHECK(relay.connections() == 0);
}

TEST_CASE("ldap failover: a silent one is paid for once", "[backend]") {
  const auto silent = ListenTcp("127.0.0.1:0");
  REQUIRE_THAT(silent, IsOk());
  auto directory = LdapDirectory::Create(
      Over(absl::StrCat("ldaps://127.0.0.1:", PortOf(silent->get()).value(),
                        " ldaps://127.0.0.1:1 ", Slapd().LdapsUrl())));
  REQUIRE_THAT(directory, IsOk());
  const auto took = [&] {
    const absl::Time start = absl::Now();
    CHECK_THAT((*directory)->CheckPassword("ada", "password of ada"), IsOk());
    return absl::Now() - start;
  };
  CHECK(took() > 0.9 * kTimeout);
  CHECK(took() < 0.9 * kTimeout);
  CHECK(took() < 0.9 * kTimeout);
}

TEST_CASE("ldap failover: when all are silent they are all there is",
          "[backend]") {
  const auto silent = ListenTcp("127.0.0.1:0");
  REQUIRE_THAT(silent, IsOk());
  const std::string url =
      absl::StrCat("ldaps://127.0.0.1:", PortOf(silent->get()).value());
  const absl::Time start = absl::Now();
  CHECK(CodeOf(Over(absl::StrCat(url, " ", url)), "ada") == kUnclear);
  CHECK(absl::Now() - start < testing::kWaitTimeout / 2);
}

TEST_CASE("ldap failover: a change that was sent is not sent again",
          "[backend]") {
  SlapdServer server;
  const LdapRelay relay(server.LdapiPath(), kChange, Fault::kCutAnswer);
  LdapConfig config = server.Config();
  config.url = absl::StrCat(relay.Url(), " ", server.LdapiUrl());
  auto directory = LdapDirectory::Create(config);
  REQUIRE_THAT(directory, IsOk());
  // Sent again, it would be refused: the old password is another by now.
  CHECK((*directory)
            ->ChangePassword("ada", "password of ada", "a new one to try")
            .code() == kUnclear);
  CHECK_THAT((*directory)->CheckPassword("ada", "a new one to try"), IsOk());
}

TEST_CASE("ldap failover: a change that could not be sent is sent elsewhere",
          "[backend]") {
  SlapdServer server;
  for (int message = 1; message <= kMessages; ++message) {
    INFO("message " << message);
    const LdapRelay relay(server.LdapiPath(), message, Fault::kCut);
    LdapConfig config = server.Config();
    config.url = absl::StrCat(relay.Url(), " ", server.LdapiUrl());
    auto directory = LdapDirectory::Create(config);
    REQUIRE_THAT(directory, IsOk());
    const std::string last =
        message == 1 ? "password of ada"
                     : absl::StrCat("the new one, number ", message - 1);
    CHECK_THAT(
        (*directory)
            ->ChangePassword("ada", last,
                             absl::StrCat("the new one, number ", message)),
        IsOk());
  }
}

TEST_CASE("ldap failover: a copy of the directory sends changes elsewhere",
          "[backend]") {
  const std::string consumer = absl::StrCat(
      "rootdn \"cn=root,dc=carme,dc=test\"\n"
      "syncrepl rid=1 provider=ldap://127.0.0.1:1 type=refreshOnly "
      "retry=\"3600 +\" bindmethod=simple searchbase=\"",
      SlapdServer::kBase, "\"\nupdateref ldap://127.0.0.1:1");
  SlapdServer copy({.database_lines = consumer});
  SlapdServer original;
  LdapConfig config = original.Config();
  config.url = copy.LdapiUrl();
  auto alone = LdapDirectory::Create(config);
  REQUIRE_THAT(alone, IsOk());
  CHECK((*alone)
            ->ChangePassword("ada", "password of ada", "a new one to try")
            .code() == kUnclear);
  CHECK_THAT((*alone)->CheckPassword("ada", "password of ada"), IsOk());
  config.url = absl::StrCat(copy.LdapiUrl(), " ", original.LdapiUrl());
  auto both = LdapDirectory::Create(config);
  REQUIRE_THAT(both, IsOk());
  CHECK_THAT(
      (*both)->ChangePassword("ada", "password of ada", "a new one to try"),
      IsOk());
}

}  // namespace
}  // namespace carme::backend
