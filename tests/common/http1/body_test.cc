#include "common/http1/body.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme {
namespace {

using std::string_literals::operator""s;

struct Decoded {
  std::string payload;
  std::string rest;
  std::string trailers;
  bool done = false;
  bool bad = false;
};

// Fed in pieces of `piece` bytes.
Decoded Decode(const std::string& wire, size_t piece) {
  ChunkDecoder decoder;
  Decoded decoded;
  for (size_t at = 0; at < wire.size() && !decoded.done; at += piece) {
    std::string part = wire.substr(at, piece);
    ChunkDecoder::Step step = decoder.Decode(part.data(), part.size());
    if (step.bad) {
      decoded.bad = true;
      return decoded;
    }
    decoded.payload += part.substr(0, step.payload);
    decoded.done = step.done;
    if (step.done) {
      decoded.rest = wire.substr(at + step.consumed);
      decoded.trailers = decoder.trailers();
    }
  }
  return decoded;
}

TEST_CASE("chunks: rejects ambiguous input", "[common]") {
  for (const std::string& wire : {"\r\n"s,
                                  "x\r\n"s,
                                  "-1\r\n"s,
                                  "+1\r\n"s,
                                  "0x1\r\n"s,
                                  " 1\r\n"s,
                                  "1 \r\n"s,
                                  "1\n"s,
                                  "1\rx"s,
                                  "1\r\nab"s,
                                  "1\r\na\n"s,
                                  "1\r\na\rx"s,
                                  "1\r\na\r\n\r\n"s,
                                  ";a=b\r\n"s,
                                  "1;a=\x01\r\n"s,
                                  "1;\n\r\n"s,
                                  "10000000000000000\r\n"s,
                                  "fffffffffffffffff\r\n"s,
                                  "0000000000000001\r\n"s,
                                  "1;" + std::string(5000, 'x') + "\r\n",
                                  "0\r\n folded: x\r\n"s,
                                  "0\r\n: x\r\n"s,
                                  "0\r\nX: \x01\r\n"s,
                                  "0\r\nX: y\n\r\n"s,
                                  "0\r\nX: " + std::string(5000, 'x'),
                                  "1\r\na\r\n0\r\n\rx"s}) {
    INFO(wire.substr(0, 40));
    for (size_t piece : {size_t{1}, size_t{3}, size_t{100000}}) {
      CHECK(Decode(wire, piece).bad);
    }
  }
}

TEST_CASE("chunks: limits the extensions of a body", "[common]") {
  std::string wire;
  for (int i = 0; i < 100; ++i) {
    wire += "1;" + std::string(100, 'x') + "\r\na\r\n";
  }
  CHECK(Decode(wire, 64).bad);
}

TEST_CASE("chunks: decodes any fragmentation", "[common]") {
  const std::string wire =
      "5\r\nhello\r\n1;ext=\"v\"\r\n \r\n000A\r\n0123456789\r\n"
      "0\r\nChecksum: a b\r\nOther: too\r\n\r\nNEXT";
  for (size_t piece = 1; piece <= wire.size(); ++piece) {
    Decoded decoded = Decode(wire, piece);
    CHECK(decoded.done);
    CHECK(decoded.payload == "hello 0123456789");
    CHECK(decoded.rest == "NEXT");
    CHECK(decoded.trailers == "Checksum: a b\r\nOther: too\r\n");
  }
}

TEST_CASE("body: a length limits the bytes", "[common]") {
  BodyProgress progress({BodyKind::kLength, 5});
  std::string first = "abc", second = "defgh";
  CHECK(progress.Take(first.data(), first.size()).consumed == 3);
  CHECK_FALSE(progress.done());
  CHECK_FALSE(progress.TakeEnd());
  ChunkDecoder::Step step = progress.Take(second.data(), second.size());
  CHECK(step.consumed == 2);
  CHECK(step.done);
  CHECK(progress.done());
}

TEST_CASE("body: skipping changes no byte", "[common]") {
  const std::string wire = "3\r\nabc\r\n0\r\n\r\nNEXT";
  BodyProgress progress({BodyKind::kChunked, 0});
  const ChunkDecoder::Step first = progress.Skip(wire.substr(0, 5));
  CHECK(first.consumed == 5);
  CHECK(first.payload == 2);
  CHECK_FALSE(first.done);
  const ChunkDecoder::Step last = progress.Skip(wire.substr(5));
  CHECK(last.done);
  CHECK(wire.substr(5 + last.consumed) == "NEXT");
  CHECK(progress.done());
  CHECK(ChunkDecoder().Skip("x\r\n").bad);
}

TEST_CASE("body: only a body without length may end with the connection",
          "[common]") {
  CHECK(BodyProgress({BodyKind::kUntilClose, 0}).TakeEnd());
  CHECK_FALSE(BodyProgress({BodyKind::kChunked, 0}).TakeEnd());
  CHECK(BodyProgress({BodyKind::kNone, 0}).done());
}

}  // namespace
}  // namespace carme
