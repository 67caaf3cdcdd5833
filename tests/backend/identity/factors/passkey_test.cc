// WebAuthn against a software authenticator: what is right, and each single
// part of it wrong.
#include "backend/identity/factors/passkey.h"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "backend/identity/factors/attestation_object.h"
#include "backend/identity/factors/client_data.h"
#include "common/encoding.h"
#include "tests/support/software_authenticator.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

const PasskeySite kSite = PasskeySiteOf("https://portal.test:8443", "Carme");
const std::string kChallenge(kPasskeyChallengeBytes, 'c');

bool Refused(const absl::Status& status) {
  return absl::IsUnauthenticated(status);
}

// A row of a table: what is bent, and how.
struct Bend {
  const char* what;
  std::function<void(SoftwareAuthenticator*)> bend;
};

const std::vector<Bend>& SharedBends() {
  static const std::vector<Bend> bends = {
      {"the origin's port", [](auto* a) { a->origin = "https://portal.test"; }},
      {"the origin's scheme",
       [](auto* a) { a->origin = "http://portal.test:8443"; }},
      {"a job's origin",
       [](auto* a) { a->origin = "https://x.jobs.portal.test:8443"; }},
      {"the origin's case",
       [](auto* a) { a->origin = "https://Portal.test:8443"; }},
      {"the rp id", [](auto* a) { a->rp_id = "test"; }},
      {"nobody present", [](auto* a) { a->flags = 0x04; }},
      {"a frame of another origin",
       [](auto* a) { a->more_client_data = ",\"crossOrigin\":true"; }},
      {"crossOrigin of another type",
       [](auto* a) { a->more_client_data = ",\"crossOrigin\":\"no\""; }},
      {"broken JSON", [](auto* a) { a->more_client_data = ",\"x\""; }},
      {"JSON without end", [](auto* a) { a->origin += "\",\"x\":[{\"y\":\""; }},
      {"more bytes than allowed",
       [](auto* a) {
         a->more_client_data = ",\"x\":\"" + std::string(4096, 'x') + "\"";
       }},
      {"nesting without end",
       [](auto* a) {
         a->more_client_data =
             ",\"x\":" + std::string(1500, '[') + std::string(1500, ']');
       }},
  };
  return bends;
}

TEST_CASE("passkey: a new one with any part wrong is refused", "[backend]") {
  std::vector<Bend> bends = SharedBends();
  bends.push_back(
      {"the type", [](auto* a) { a->create_type = "webauthn.get"; }});
  bends.push_back({"no credential id", [](auto* a) { a->credential_id = ""; }});
  bends.push_back({"a long credential id",
                   [](auto* a) { a->credential_id = std::string(1024, 'i'); }});
  for (const Bend& bend : bends) {
    INFO(bend.what);
    SoftwareAuthenticator authenticator(-7, kSite);
    bend.bend(&authenticator);
    CHECK(Refused(
        CheckPasskeyCreated(kSite, kChallenge, authenticator.Create(kChallenge))
            .status()));
  }
}

TEST_CASE("passkey: an answer with any part wrong is refused", "[backend]") {
  std::vector<Bend> bends = SharedBends();
  bends.push_back(
      {"the type", [](auto* a) { a->get_type = "webauthn.create"; }});
  bends.push_back({"the credential", [](auto* a) { a->credential_id = "b"; }});
  for (const Bend& bend : bends) {
    INFO(bend.what);
    SoftwareAuthenticator authenticator(-7, kSite);
    const auto key = CheckPasskeyCreated(kSite, kChallenge,
                                         authenticator.Create(kChallenge));
    REQUIRE_THAT(key, IsOk());
    bend.bend(&authenticator);
    CHECK(Refused(CheckPasskeyAssertion(kSite, kChallenge,
                                        authenticator.Answer(kChallenge), *key)
                      .status()));
  }
}

TEST_CASE("passkey: every byte of an answer is signed", "[backend]") {
  for (const int algorithm : kPasskeyAlgorithms) {
    INFO(algorithm);
    SoftwareAuthenticator authenticator(algorithm, kSite);
    const auto key = CheckPasskeyCreated(kSite, kChallenge,
                                         authenticator.Create(kChallenge));
    REQUIRE_THAT(key, IsOk());
    const PasskeyAssertion good = authenticator.Answer(kChallenge);
    const auto check = [&](PasskeyAssertion answer) {
      return CheckPasskeyAssertion(kSite, kChallenge, answer, *key).status();
    };
    REQUIRE_THAT(check(good), IsOk());
    for (size_t i = 0; i < good.authenticator_data.size(); ++i) {
      PasskeyAssertion bad = good;
      bad.authenticator_data[i] ^= 1;
      CHECK(Refused(check(bad)));
    }
    for (const auto& bend : std::vector<std::function<void(PasskeyAssertion*)>>{
             [](auto* a) { a->signature[0] ^= 1; },
             [](auto* a) { a->signature.pop_back(); },
             [](auto* a) { a->signature.clear(); },
             [](auto* a) { a->signature.resize(5000); },
             [](auto* a) { a->authenticator_data.push_back('x'); },
             [](auto* a) { a->authenticator_data.resize(36); },
             [](auto* a) { a->authenticator_data.clear(); },
             [](auto* a) { a->client_data_json += " "; }}) {
      PasskeyAssertion bad = good;
      bend(&bad);
      CHECK(Refused(check(bad)));
    }
  }
}

int64_t PeakMemory_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{usage.ru_maxrss} * 1024;
}

TEST_CASE("passkey: an array allocates no memory for claimed items",
          "[backend]") {
  SoftwareAuthenticator authenticator(-7, kSite);
  const auto key =
      CheckPasskeyCreated(kSite, kChallenge, authenticator.Create(kChallenge));
  REQUIRE_THAT(key, IsOk());
  const int64_t before = PeakMemory_bytes();
  // {"x": an array of 2^27}; room for it is a gibibyte.
  authenticator.extensions = std::string("\xa1\x61x\x9a\x08\0\0\0", 8);
  CHECK(Refused(
      CheckPasskeyCreated(kSite, kChallenge, authenticator.Create(kChallenge))
          .status()));
  CHECK(Refused(CheckPasskeyAssertion(kSite, kChallenge,
                                      authenticator.Answer(kChallenge), *key)
                    .status()));
  CHECK(PeakMemory_bytes() - before < 100 << 20);
}

TEST_CASE("passkey: ignores unrequested extensions", "[backend]") {
  SoftwareAuthenticator authenticator(-7, kSite);
  authenticator.extensions = "\xa1\x61x\x01";  // {"x": 1}
  const auto key =
      CheckPasskeyCreated(kSite, kChallenge, authenticator.Create(kChallenge));
  REQUIRE_THAT(key, IsOk());
  CHECK_THAT(CheckPasskeyAssertion(kSite, kChallenge,
                                   authenticator.Answer(kChallenge), *key),
             IsOk());
}

TEST_CASE("passkey: another challenge, or none, is refused", "[backend]") {
  SoftwareAuthenticator authenticator(-8, kSite);
  const PasskeyCreated made = authenticator.Create(kChallenge);
  const auto key = CheckPasskeyCreated(kSite, kChallenge, made);
  REQUIRE_THAT(key, IsOk());
  const std::string other(kPasskeyChallengeBytes, 'd');
  CHECK(Refused(CheckPasskeyCreated(kSite, other, made).status()));
  const PasskeyAssertion answer = authenticator.Answer(kChallenge);
  CHECK(Refused(CheckPasskeyAssertion(kSite, other, answer, *key).status()));
  // Without a challenge even an empty one is refused.
  CHECK(Refused(CheckPasskeyAssertion(kSite, "", authenticator.Answer(""), *key)
                    .status()));
}

TEST_CASE("passkey: another key's answer is refused", "[backend]") {
  SoftwareAuthenticator mine(-7, kSite), other(-7, kSite);
  const auto key =
      CheckPasskeyCreated(kSite, kChallenge, mine.Create(kChallenge));
  REQUIRE_THAT(key, IsOk());
  CHECK(Refused(
      CheckPasskeyAssertion(kSite, kChallenge, other.Answer(kChallenge), *key)
          .status()));
}

TEST_CASE("passkey: each algorithm that is offered works", "[backend]") {
  for (const int algorithm : kPasskeyAlgorithms) {
    INFO(algorithm);
    SoftwareAuthenticator authenticator(algorithm, kSite);
    const auto key = CheckPasskeyCreated(kSite, kChallenge,
                                         authenticator.Create(kChallenge));
    REQUIRE_THAT(key, IsOk());
    CHECK(key->algorithm == algorithm);
    CHECK(key->credential_id == "a credential id");
    CHECK(key->counter == 0);
    CHECK(CheckPasskeyAssertion(kSite, kChallenge,
                                authenticator.Answer(kChallenge), *key)
              .value() == 1);
  }
}

TEST_CASE("passkey: a counter increases, or is always zero", "[backend]") {
  CHECK_FALSE(CounterMayFollow(5, 4));
  CHECK_FALSE(CounterMayFollow(5, 5));
  CHECK_FALSE(CounterMayFollow(5, 0));
  CHECK(CounterMayFollow(5, 6));
  CHECK(CounterMayFollow(0, 1));
  CHECK(CounterMayFollow(0, 0));
}

TEST_CASE("passkey: the portal's address is the origin, its host the rp id",
          "[backend]") {
  CHECK(kSite.origin == "https://portal.test:8443");
  CHECK(kSite.rp_id == "portal.test");
  CHECK(PasskeySiteOf("https://portal.test/", "").origin ==
        "https://portal.test");
  CHECK(PasskeySiteOf("https://portal.test:443", "").origin ==
        "https://portal.test");
}

TEST_CASE("client data: refuses a duplicate key", "[backend]") {
  const std::string json =
      "{\"type\":\"webauthn.get\",\"type\":\"webauthn.get\",\"challenge\":\"" +
      Base64UrlEncode(kChallenge) + "\",\"origin\":\"" + kSite.origin + "\"}";
  CHECK(Refused(
      CheckClientData(json, {"webauthn.get", kChallenge, kSite.origin})));
}

TEST_CASE("attestation object: refuses other encodings", "[backend]") {
  SoftwareAuthenticator authenticator(-7, kSite);
  const std::string good = authenticator.Create(kChallenge).attestation_object;
  REQUIRE_THAT(AuthenticatorDataOf(good), IsOk());
  for (size_t length = 0; length < good.size(); ++length) {
    CHECK(Refused(AuthenticatorDataOf(good.substr(0, length)).status()));
  }
  CHECK(Refused(AuthenticatorDataOf(good + "x").status()));
  CHECK(Refused(AuthenticatorDataOf(std::string(20000, '\xa3')).status()));
  std::string indefinite = good;
  indefinite[0] = '\xbf';
  CHECK(Refused(AuthenticatorDataOf(indefinite).status()));
  const std::string key =
      "\x67"
      "attStmt";
  const size_t statement = good.find(key) + key.size();
  for (const std::string& item :
       {std::string(9, '\x81') + '\x01',  // arrays in arrays
        std::string("\x9b\xff\xff\xff\xff\xff\xff\xff\xff"),  // endless
        std::string("\xbb\xff\xff\xff\xff\xff\xff\xff\xff"),
        std::string("\x5b\xff\xff\xff\xff\xff\xff\xff\xff"),
        std::string("\x1c")}) {  // reserved
    std::string bad = good;
    bad.replace(statement, 1, item);
    CHECK(Refused(AuthenticatorDataOf(bad).status()));
  }
  std::string deep = good;
  deep.replace(statement, 1, std::string(6, '\x81') + '\x01');
  CHECK_THAT(AuthenticatorDataOf(deep), IsOk());
}

}  // namespace
}  // namespace carme::backend
