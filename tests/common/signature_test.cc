#include "common/crypto/signature.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme {
namespace {

SigningKey Key(char fill) {
  return SigningKey::FromSeed(std::string(32, fill)).value();
}

TEST_CASE("signature: another key, message or domain refuses", "[common]") {
  const SigningKey key = Key('a');
  const auto verify = VerifyingKey::FromRaw(key.PublicKey()).value();
  const std::string signature = key.Sign(kTicketDomain, "message");
  CHECK_FALSE(verify.Verify(kTicketDomain, "massage", signature));
  CHECK_FALSE(verify.Verify(kGrantDomain, "message", signature));
  CHECK_FALSE(verify.Verify(kTicketDomain, "message", ""));
  const auto other = VerifyingKey::FromRaw(Key('b').PublicKey()).value();
  CHECK_FALSE(other.Verify(kTicketDomain, "message", signature));
}

TEST_CASE("signature: a key of a wrong length is refused", "[common]") {
  CHECK_FALSE(SigningKey::FromSeed("short").ok());
  CHECK_FALSE(VerifyingKey::FromRaw(std::string(33, 'x')).ok());
}

TEST_CASE("signature: verifies signed data", "[common]") {
  const SigningKey key = Key('a');
  const auto verify = VerifyingKey::FromRaw(key.PublicKey()).value();
  CHECK(verify.Verify(kTicketDomain, "message",
                      key.Sign(kTicketDomain, "message")));
}

}  // namespace
}  // namespace carme
