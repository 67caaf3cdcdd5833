#include "backend/identity/factors/totp.h"

#include <catch2/catch.hpp>
#include <string>

#include "common/encoding.h"

namespace carme::backend {
namespace {

// RFC 6238, appendix B: this secret, the time, the last six of its digits.
constexpr char kSecret[] = "12345678901234567890";

absl::Time At(int64_t seconds) { return absl::FromUnixSeconds(seconds); }

TEST_CASE("totp: refuses malformed codes", "[backend]") {
  for (const std::string code : {"", "28708", "2870822", "287083", "28708x"}) {
    INFO(code);
    CHECK_FALSE(MatchTotp(kSecret, code, At(59), -1));
  }
}

TEST_CASE("totp: a code beyond the window is refused", "[backend]") {
  CHECK_FALSE(MatchTotp(kSecret, "287082", At(90), -1));  // step 1, now 3
  CHECK(MatchTotp(kSecret, "287082", At(89), -1) == 1);
  CHECK(MatchTotp(kSecret, "287082", At(0), -1) == 1);
}

TEST_CASE("totp: a used step and those before it are refused", "[backend]") {
  CHECK_FALSE(MatchTotp(kSecret, "287082", At(59), 1));
  CHECK_FALSE(MatchTotp(kSecret, "287082", At(59), 2));
  CHECK(MatchTotp(kSecret, "287082", At(59), 0) == 1);
}

TEST_CASE("totp: the vectors of RFC 6238", "[backend]") {
  CHECK(MatchTotp(kSecret, "287082", At(59), -1) == 1);
  CHECK(MatchTotp(kSecret, "081804", At(1111111109), -1) == 37037036);
  CHECK(MatchTotp(kSecret, "050471", At(1111111111), -1) == 37037037);
  CHECK(MatchTotp(kSecret, "353130", At(20000000000), -1) == 666666666);
}

TEST_CASE("totp: a new secret has 160 bits and is another each time",
          "[backend]") {
  CHECK(NewTotpSecret().size() == 20);
  CHECK(NewTotpSecret() != NewTotpSecret());
}

TEST_CASE("totp: the QR code's address", "[backend]") {
  CHECK(OtpauthUri(kSecret, "Carme & Co", "a@b") ==
        "otpauth://totp/Carme%20%26%20Co:a%40b"
        "?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Carme%20%26%20Co"
        "&algorithm=SHA1&digits=6&period=30");
}

}  // namespace
}  // namespace carme::backend
