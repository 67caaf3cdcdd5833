#include "proxy/http/trailers.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::proxy {
namespace {

using std::string_literals::operator""s;

TEST_CASE("trailers: drops framing, routing and authorization fields",
          "[proxy]") {
  for (const char* refused : {"",
                              "Host: x",
                              "Content-Length: 1",
                              "Transfer-Encoding: chunked",
                              "content-type: text/html",
                              "Set-Cookie: a=b",
                              "Cookie: a=b",
                              "Authorization: x",
                              "X-Forwarded-For: x",
                              "X-Carme-User: x",
                              "X_Forwarded_For: x",
                              "Forwarded: for=x",
                              "Connection: close",
                              "TE: x",
                              "Trailer: x",
                              "Upgrade: x",
                              "Expect: x",
                              "Range: x",
                              "Cache-Control: x",
                              "Sec-Fetch-Site: none",
                              "Clear-Site-Data: x",
                              "No colon",
                              "Bad name: x",
                              "Na\x01me: x",
                              "Name: \x01",
                              ": x"}) {
    INFO(refused);
    std::string out;
    AppendLastChunk(refused + "\r\n"s, &out);
    CHECK(out == "0\r\n\r\n");
  }
  std::string out;
  AppendLastChunk("Server-Timing: db;dur=5\r\nHost: x\r\nDigest:  y \r\n",
                  &out);
  CHECK(out == "0\r\nServer-Timing: db;dur=5\r\nDigest: y\r\n\r\n");
}

}  // namespace
}  // namespace carme::proxy
