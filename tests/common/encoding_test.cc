#include "common/encoding.h"

#include <catch2/catch.hpp>

namespace carme {
namespace {

TEST_CASE("base64url: refuses padding, foreign and spare bits", "[common]") {
  CHECK_FALSE(Base64UrlDecode("Zg==").has_value());
  CHECK_FALSE(Base64UrlDecode("Zm+v").has_value());
  CHECK_FALSE(Base64UrlDecode("Zh").has_value());  // "f" is "Zg"
  CHECK_FALSE(Base64UrlDecode("Z").has_value());
}

TEST_CASE("base32: refuses lower case and spare bits", "[common]") {
  CHECK_FALSE(Base32Decode("my").has_value());
  CHECK_FALSE(Base32Decode("MZ").has_value());  // "f" is "MY"
}

// RFC 4648 section 10.
TEST_CASE("encodings: give the test vectors of RFC 4648", "[common]") {
  CHECK(Base64UrlEncode("foob") == "Zm9vYg");
  CHECK(Base32Encode("fooba") == "MZXW6YTB");
  CHECK(Base32Encode("foobar") == "MZXW6YTBOI");
  CHECK(HexEncode(std::string("\x00\xff", 2)) == "00ff");
}

TEST_CASE("encodings: decodes each length", "[common]") {
  std::string bytes;
  for (int length = 0; length < 70; ++length) {
    CHECK(Base64UrlDecode(Base64UrlEncode(bytes)) == bytes);
    CHECK(Base32Decode(Base32Encode(bytes)) == bytes);
    bytes.push_back(static_cast<char>(length * 37));
  }
}

}  // namespace
}  // namespace carme
