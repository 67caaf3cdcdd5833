#include "common/crypto/digest_header.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme {
namespace {

TEST_CASE("digest header: refuses another format and any damage", "[common]") {
  const std::string text = AddDigestHeader("carme-test 1", "body\n\0more");
  CHECK_FALSE(RemoveDigestHeader("carme-test 2", text).ok());
  CHECK_FALSE(RemoveDigestHeader("carme-test 1", "").ok());
  for (size_t length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(
        RemoveDigestHeader("carme-test 1", text.substr(0, length)).ok());
    std::string changed = text;
    changed[length] = static_cast<char>(changed[length] ^ 1);
    CHECK_FALSE(RemoveDigestHeader("carme-test 1", changed).ok());
  }
}

TEST_CASE("digest header: returns the body that was given", "[common]") {
  for (const std::string& body :
       {std::string(), std::string("a"), std::string("\n\0\n", 3)}) {
    const std::string text = AddDigestHeader("carme-test 1", body);
    CHECK(RemoveDigestHeader("carme-test 1", text).value() == body);
  }
}

}  // namespace
}  // namespace carme
