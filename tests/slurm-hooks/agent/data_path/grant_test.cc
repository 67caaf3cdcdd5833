#include "slurm-hooks/agent/data_path/grant.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "carme/v1/routes.pb.h"
#include "tests/support/status_matchers.h"

namespace carme::agent {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);
constexpr char kJob[] = "abcdefgh23456789";

const SigningKey& Backend() {
  static const SigningKey key = *SigningKey::FromSeed(std::string(32, 'b'));
  return key;
}
GrantRules Rules() {
  return {JobId(kJob),
          {"code", "jupyter"},
          *VerifyingKey::FromRaw(Backend().PublicKey())};
}

carme::v1::Grant GoodGrant() {
  carme::v1::Grant grant;
  grant.set_job_id(kJob);
  grant.set_app("jupyter");
  grant.set_session_id("s1");
  grant.set_user("ada");
  grant.add_rights("use");
  grant.mutable_expires_at()->set_seconds(1'800'000'060);
  return grant;
}

std::string Sign(const carme::v1::Grant& grant, const SigningKey& key,
                 std::string_view domain) {
  carme::v1::Signed envelope;
  envelope.set_payload(grant.SerializeAsString());
  envelope.set_signature(key.Sign(domain, envelope.payload()));
  return envelope.SerializeAsString();
}

absl::Status Verify(const std::string& bytes) {
  return VerifyGrant(bytes, Rules(), kNow).status();
}

TEST_CASE("grant: refuses malformed bytes", "[agent]") {
  CHECK(absl::IsInvalidArgument(Verify("\xff\xff")));
  CHECK(absl::IsUnauthenticated(Verify("")));
}

TEST_CASE("grant: refuses another signer", "[agent]") {
  const SigningKey other = *SigningKey::FromSeed(std::string(32, 'x'));
  CHECK(
      absl::IsUnauthenticated(Verify(Sign(GoodGrant(), other, kGrantDomain))));
}

TEST_CASE("grant: refuses a signature for another purpose", "[agent]") {
  CHECK(absl::IsUnauthenticated(
      Verify(Sign(GoodGrant(), Backend(), kTicketDomain))));
}

TEST_CASE("grant: refuses a changed payload", "[agent]") {
  carme::v1::Signed envelope;
  REQUIRE(envelope.ParseFromString(Sign(GoodGrant(), Backend(), kGrantDomain)));
  envelope.mutable_payload()->back() ^= 1;
  CHECK(absl::IsUnauthenticated(Verify(envelope.SerializeAsString())));
}

TEST_CASE("grant: refuses another job, app or right", "[agent]") {
  const std::function<void(carme::v1::Grant*)> changes[] = {
      [](auto* grant) { grant->set_job_id("abcdefgh2345678a"); },
      [](auto* grant) { grant->set_job_id(""); },
      [](auto* grant) { grant->set_app("terminal"); },
      [](auto* grant) { grant->clear_rights(); },
      [](auto* grant) { grant->set_rights(0, "user"); },
      [](auto* grant) {
        grant->mutable_expires_at()->set_seconds(1'800'000'000);
      },
      [](auto* grant) { grant->mutable_expires_at()->set_seconds(-1); },
  };
  for (const auto& change : changes) {
    carme::v1::Grant grant = GoodGrant();
    change(&grant);
    INFO(grant.ShortDebugString());
    CHECK(
        absl::IsPermissionDenied(Verify(Sign(grant, Backend(), kGrantDomain))));
  }
}

TEST_CASE("grant: refuses an invalid expiry", "[agent]") {
  carme::v1::Grant grant = GoodGrant();
  grant.clear_expires_at();
  CHECK(absl::IsInvalidArgument(Verify(Sign(grant, Backend(), kGrantDomain))));
  grant.mutable_expires_at()->set_seconds(1'900'000'000);
  grant.mutable_expires_at()->set_nanos(-1);
  CHECK(absl::IsInvalidArgument(Verify(Sign(grant, Backend(), kGrantDomain))));
}

TEST_CASE("grant: accepts a valid grant", "[agent]") {
  const auto grant =
      VerifyGrant(Sign(GoodGrant(), Backend(), kGrantDomain), Rules(), kNow);
  REQUIRE_THAT(grant, IsOk());
  CHECK(grant->user == "ada");
  CHECK(grant->session == SessionId("s1"));
  CHECK(grant->expires_at == kNow + absl::Seconds(60));
}

TEST_CASE("preamble: refuses foreign bytes and lengths", "[agent]") {
  const std::string_view bad[] = {
      {"GET / HTTP/1", 12},
      {"CARME1\0\1\0\0\0\1", 12},
      {"CARME1\0\0\0\0\0\0", 12},
      {"CARME1\0\0\0\0\x10\1", 12},
      {"CARME1\0\0\xff\xff\xff\xff", 12},
  };
  for (const std::string_view head : bad) {
    CHECK(absl::IsInvalidArgument(ReadPreambleHead(head).status()));
  }
}

TEST_CASE("preamble: reads the length of a valid head", "[agent]") {
  CHECK(ReadPreambleHead({"CARME1\0\0\0\0\0\1", 12}).value() == 1);
  CHECK(ReadPreambleHead({"CARME1\0\0\0\0\x10\0", 12}).value() == 4096);
}

}  // namespace
}  // namespace carme::agent
