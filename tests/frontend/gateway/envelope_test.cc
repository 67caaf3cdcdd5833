#include "frontend/gateway/envelope.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::frontend {
namespace {

TEST_CASE("envelope: refuses everything but one plain message", "[frontend]") {
  struct Row {
    std::string body;
    const char* message;
  };
  const Row rows[] = {
      {"", "request of 0 bytes: expected one enveloped message"},
      {std::string("\0\0\0\0", 4),
       "request of 4 bytes: expected one enveloped message"},
      {std::string("\1\0\0\0\2{}", 7), "envelope flags 1: expected 0"},
      {std::string("\2\0\0\0\2{}", 7), "envelope flags 2: expected 0"},
      {std::string("\x80\0\0\0\2{}", 7), "envelope flags 128: expected 0"},
      {std::string("\0\0\0\0\3{}", 7),
       "envelope of 3 bytes, 2 bytes follow: expected exactly one message"},
      {std::string("\0\0\0\0\1{}", 7),
       "envelope of 1 bytes, 2 bytes follow: expected exactly one message"},
      {std::string("\0\xff\xff\xff\xff{}", 7),
       "envelope of 4294967295 bytes, 2 bytes follow: expected exactly one "
       "message"},
  };
  for (const Row& row : rows) {
    const auto opened = OpenEnvelope(row.body);
    CAPTURE(row.message);
    REQUIRE_FALSE(opened.ok());
    CHECK(std::string(opened.status().message()) == row.message);
  }
}

TEST_CASE("envelope: a message is the same after a round trip", "[frontend]") {
  for (const size_t size : {0, 1, 255, 256, 70000}) {
    const std::string message(size, 'x');
    const std::string framed = Envelope(kMessage, message);
    CHECK(framed.size() == size + 5);
    CHECK(OpenEnvelope(framed).value() == message);
  }
  CHECK(Envelope(kEndOfStream, "{}") == std::string("\2\0\0\0\2{}", 7));
}

}  // namespace
}  // namespace carme::frontend
