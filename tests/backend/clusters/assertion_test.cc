#include "backend/clusters/assertion.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "backend/identity/session/access_token_rules.h"
#include "carme/v1/routes.pb.h"
#include "carme/v1/session.pb.h"
#include "common/encoding.h"
#include "common/protobuf/error_details.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr auto kUnauthenticated = absl::StatusCode::kUnauthenticated;

SigningKey KeyOf(char seed) {
  return SigningKey::FromSeed(std::string(32, seed)).value();
}

VerifyingKey PublicKeyOf(char seed) {
  return VerifyingKey::FromRaw(KeyOf(seed).PublicKey()).value();
}

// The identity backend, and the further cluster "beta".
struct TwoClusters {
  FakeClock clock;
  AssertionSigner signer{KeyOf('a'), {"beta", "gamma"}, &clock};
  AssertionVerifier beta{PublicKeyOf('a'), "beta"};

  Session SessionOf(const std::string& name) const {
    Session session;
    session.id = SessionId("session-of-" + name);
    session.username = name;
    session.display_name = "Dr. " + name;
    session.uid = Uid(20001);
    session.role = Role::kAdmin;
    session.created_at = clock.Now() - absl::Hours(1);
    session.expires_at = clock.Now() + absl::Hours(1);
    return session;
  }
  std::string Assert(const Session& session,
                     const std::string& cluster = "beta") const {
    return signer.Sign(session, cluster).value().text;
  }
  absl::Status Verify(const std::string& text) const {
    return beta.Verify(text, clock.Now()).status();
  }
  // An assertion of ada that `change` altered before `key` signed it.
  std::string Forge(const std::function<void(v1::Assertion*)>& change,
                    const SigningKey& key = KeyOf('a'),
                    std::string_view domain = kAssertionDomain) const {
    v1::Signed sealed;
    sealed.ParseFromString(Base64UrlDecode(Assert(SessionOf("ada"))).value());
    v1::Assertion assertion;
    assertion.ParseFromString(sealed.payload());
    change(&assertion);
    sealed.set_payload(assertion.SerializeAsString());
    sealed.set_signature(key.Sign(domain, sealed.payload()));
    return Base64UrlEncode(sealed.SerializeAsString());
  }
};

TEST_CASE("assertion: refused by a cluster that it is not for", "[backend]") {
  const TwoClusters site;
  const std::string text = site.Assert(site.SessionOf("ada"), "gamma");
  CHECK_THAT(site.Verify(text), StatusIs(kUnauthenticated, "gamma"));
  CHECK(ErrorReason(site.Verify(text)) == "ASSERTION_INVALID");
}

TEST_CASE("assertion: none for a cluster that is not configured", "[backend]") {
  const TwoClusters site;
  for (const char* cluster : {"", "alpha", "Beta", "beta "}) {
    CHECK_THAT(site.signer.Sign(site.SessionOf("ada"), cluster).status(),
               StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST_CASE("assertion: refused before its time and after it", "[backend]") {
  TwoClusters site;
  const absl::Time now = site.clock.Now();
  const std::string text = site.Assert(site.SessionOf("ada"));
  site.clock.Set(now - kClockTolerance - absl::Milliseconds(1));
  CHECK_THAT(site.Verify(text), StatusIs(kUnauthenticated, "future"));
  site.clock.Set(now - kClockTolerance);
  CHECK_THAT(site.Verify(text), IsOk());
  site.clock.Set(now + kAssertionLifetime + kClockTolerance -
                 absl::Milliseconds(1));
  CHECK_THAT(site.Verify(text), IsOk());
  site.clock.Set(now + kAssertionLifetime + kClockTolerance);
  CHECK_THAT(site.Verify(text), StatusIs(kUnauthenticated, "expired"));
}

TEST_CASE("assertion: refused if it is valid for too long", "[backend]") {
  const TwoClusters site;
  const std::string text = site.Forge([](v1::Assertion* assertion) {
    assertion->mutable_expires_at()->set_seconds(
        assertion->expires_at().seconds() + 1);
  });
  CHECK_THAT(site.Verify(text), StatusIs(kUnauthenticated, "too long"));
}

TEST_CASE("assertion: refused with another key, or for another purpose",
          "[backend]") {
  const TwoClusters site;
  const auto unchanged = [](v1::Assertion*) {};
  CHECK_THAT(site.Verify(site.Forge(unchanged)), IsOk());
  CHECK_THAT(site.Verify(site.Forge(unchanged, KeyOf('b'))),
             StatusIs(kUnauthenticated, "issuer_key"));
  for (const std::string_view domain : {kTicketDomain, kGrantDomain}) {
    CHECK_THAT(site.Verify(site.Forge(unchanged, KeyOf('a'), domain)),
               StatusIs(kUnauthenticated, "issuer_key"));
  }
}

TEST_CASE("assertion: refused if its user was replaced", "[backend]") {
  const TwoClusters site;
  v1::Signed ada;
  ada.ParseFromString(
      Base64UrlDecode(site.Assert(site.SessionOf("ada"))).value());
  v1::Signed bob;
  bob.ParseFromString(
      Base64UrlDecode(site.Assert(site.SessionOf("bob"))).value());
  bob.set_signature(ada.signature());
  CHECK_THAT(site.Verify(Base64UrlEncode(bob.SerializeAsString())),
             StatusIs(kUnauthenticated, "issuer_key"));
}

TEST_CASE("assertion: refused if one of its bytes was altered", "[backend]") {
  const TwoClusters site;
  const std::string bytes =
      Base64UrlDecode(site.Assert(site.SessionOf("ada"))).value();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string altered = bytes;
    altered[i] = static_cast<char>(altered[i] ^ 1);
    INFO("byte " << i);
    CHECK_FALSE(site.Verify(Base64UrlEncode(altered)).ok());
  }
  CHECK_THAT(site.Verify(""), StatusIs(kUnauthenticated));
  for (const std::string& text :
       {std::string("!"), bytes, std::string(kMaxAssertionBytes + 1, 'A')}) {
    CHECK_THAT(site.Verify(text), StatusIs(kUnauthenticated, "malformed"));
  }
}

TEST_CASE("assertion: refused without what it must state", "[backend]") {
  const TwoClusters site;
  const std::function<void(v1::Assertion*)> changes[] = {
      [](v1::Assertion* a) { a->clear_username(); },
      [](v1::Assertion* a) { a->set_username("a b"); },
      [](v1::Assertion* a) { a->clear_session_id(); },
      [](v1::Assertion* a) { a->clear_issued_at(); },
      [](v1::Assertion* a) { a->clear_expires_at(); },
      [](v1::Assertion* a) { a->clear_session_expires_at(); },
      // An access token without scopes would have all permissions.
      [](v1::Assertion* a) {
        a->set_session_id(SessionIdOf(NewTokenId()).value());
      },
      [](v1::Assertion* a) { a->add_scopes("jobs:read"); },
  };
  for (const auto& change : changes) {
    CHECK_THAT(site.Verify(site.Forge(change)),
               StatusIs(kUnauthenticated, "malformed"));
  }
}

TEST_CASE("assertion: refused after the end of its session", "[backend]") {
  TwoClusters site;
  Session session = site.SessionOf("ada");
  session.expires_at = site.clock.Now() + absl::Seconds(10);
  const std::string text = site.Assert(session);
  CHECK_THAT(site.Verify(text), IsOk());
  site.clock.Advance(absl::Seconds(10));
  CHECK_THAT(site.Verify(text), StatusIs(kUnauthenticated, "session"));
}

TEST_CASE("assertion: has the session, but neither uid nor role", "[backend]") {
  const TwoClusters site;
  Session session = site.SessionOf("ada");
  session.reauthenticated_until = site.clock.Now() + absl::Minutes(5);
  const Session found =
      site.beta.Verify(site.Assert(session), site.clock.Now()).value();
  CHECK(found.id == session.id);
  CHECK(found.username == "ada");
  CHECK(found.uid == kNoUid);
  CHECK(found.role == Role::kUser);
  CHECK(found.created_at == session.created_at);
  CHECK(found.expires_at == session.expires_at);
  CHECK(found.reauthenticated_until == session.reauthenticated_until);
  CHECK(found.scopes.empty());
}

TEST_CASE("assertion: of an access token, has its scopes and no factor",
          "[backend]") {
  const TwoClusters site;
  Session session = site.SessionOf("ada");
  session.id = SessionIdOf(NewTokenId());
  session.scopes = {"jobs:read", "jobs:open"};
  const Session found =
      site.beta.Verify(site.Assert(session), site.clock.Now()).value();
  CHECK(found.scopes == session.scopes);
  CHECK(found.reauthenticated_until == absl::InfinitePast());
}

}  // namespace
}  // namespace carme::backend
