#include "common/pki/ocsp_response.h"

#include <catch2/catch.hpp>

#include "absl/time/clock.h"
#include "tests/common/net/test_ca.h"
#include "tests/support/status_matchers.h"

namespace carme {
namespace {

TEST_CASE("OCSP answer: one that a client would not believe is refused",
          "[pki]") {
  const testing::TestCa ca("ca"), other("ca");
  const std::string leaf = ca.Issue({"a.test"}).certificate_pem;
  const std::string sibling = ca.Issue({"a.test"}).certificate_pem;
  const std::string chain = leaf + ca.certificate_pem();
  const absl::Time now = absl::Now();
  for (const std::string& der :
       {std::string(), std::string("x"), std::string(5000, '0'),
        ca.OcspResponse(sibling), ca.OcspResponse(leaf, false),
        ca.OcspResponse(leaf, true, -30), other.OcspResponse(leaf),
        ca.OcspResponse(leaf).substr(0, 100)}) {
    const auto read = ReadOcspResponse(der, chain, now);
    INFO(read.status());
    CHECK_THAT(read, StatusIs(absl::StatusCode::kFailedPrecondition));
  }
  // Signed by another authority of the same name.
  CHECK_FALSE(ReadOcspResponse(other.OcspResponse(leaf),
                               leaf + ca.certificate_pem(), now)
                  .ok());
  CHECK_FALSE(ReadOcspResponse(ca.OcspResponse(leaf), leaf, now).ok());
  CHECK_FALSE(
      ReadOcspResponse(ca.OcspResponse(leaf), chain, now + absl::Hours(2))
          .ok());
  CHECK_FALSE(
      ReadOcspResponse(ca.OcspResponse(leaf), chain, now - absl::Hours(2))
          .ok());
}

TEST_CASE("OCSP response: a good one has an end", "[pki]") {
  const testing::TestCa ca("ca");
  const std::string leaf = ca.Issue({"a.test"}).certificate_pem;
  const absl::Time now = absl::Now();
  const auto read =
      ReadOcspResponse(ca.OcspResponse(leaf), leaf + ca.certificate_pem(), now);
  INFO(read.status());
  REQUIRE_THAT(read, IsOk());
  CHECK(read->until > now + absl::Minutes(50));
  CHECK(read->until < now + absl::Minutes(70));
}

}  // namespace
}  // namespace carme
