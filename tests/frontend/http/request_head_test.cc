#include "frontend/http/request_head.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::frontend {
namespace {

constexpr char kHost[] = "Host: carme.test\r\n";

// The status of the refusal, 0 for an accepted head, -1 for an incomplete one.
int StatusOf(const std::string& text, HttpRequestHead* head) {
  const ScanResult scan = ScanRequestHead(text, head);
  return scan.state == ScanState::kMore ? -1 : scan.status;
}

int StatusOfGet(const std::string& fields) {
  HttpRequestHead head;
  return StatusOf("GET / HTTP/1.1\r\n" + fields + "\r\n", &head);
}

int StatusOfLine(const std::string& line) {
  HttpRequestHead head;
  return StatusOf(line + "\r\n" + kHost + "\r\n", &head);
}

TEST_CASE("request head: refuses a malformed request line", "[frontend]") {
  CHECK(StatusOfLine("TRACE / HTTP/1.1") == 501);
  CHECK(StatusOfLine("") == 400);
  CHECK(StatusOfLine("GET") == 400);
  CHECK(StatusOfLine("GET /") == 400);
  CHECK(StatusOfLine("GET / HTTP/1.0") == 505);
  CHECK(StatusOfLine("GET / HTTP/2") == 505);
  CHECK(StatusOfLine("GET  / HTTP/1.1") == 400);
  CHECK(StatusOfLine("G(T / HTTP/1.1") == 400);
  CHECK(StatusOfLine("GET https://carme.test/ HTTP/1.1") == 400);
  CHECK(StatusOfLine("GET /a b HTTP/1.1") == 400);
  CHECK(StatusOfLine("GET /#top HTTP/1.1") == 400);
  CHECK(StatusOfLine(std::string("GET /\0 HTTP/1.1", 15)) == 400);
  CHECK(StatusOfLine("GET /\x80 HTTP/1.1") == 400);
  CHECK(StatusOfLine("GET /" + std::string(1024, 'a') + " HTTP/1.1") == 414);
}

TEST_CASE("request head: refuses malformed header fields", "[frontend]") {
  const std::string host = kHost;
  CHECK(StatusOfGet("") == 400);  // no host
  CHECK(StatusOfGet("Host:\r\n") == 400);
  CHECK(StatusOfGet(host + "Cookie\r\n") == 400);      // no colon
  CHECK(StatusOfGet(host + "Cookie : a\r\n") == 400);  // space before it
  CHECK(StatusOfGet(host + " folded: a\r\n") == 400);
  CHECK(StatusOfGet(host + ": a\r\n") == 400);
  CHECK(StatusOfGet(host + "A: b\rC: d\r\n") == 400);  // bare CR
  CHECK(StatusOfGet(host + "A: b\nC: d\r\n") == 400);  // bare LF
  CHECK(StatusOfGet(host + std::string("A: \0\r\n", 6)) == 400);
  CHECK(StatusOfGet(host + "A: \x7f\r\n") == 400);
}

TEST_CASE("request head: refuses a repeated header field", "[frontend]") {
  const std::string host = kHost;
  CHECK(StatusOfGet(host + host) == 400);
  CHECK(StatusOfGet(host + "Cookie: a=1\r\ncookie: b=2\r\n") == 400);
  CHECK(StatusOfGet(host + "Content-Length: 0\r\nContent-Length: 0\r\n") ==
        400);
}

TEST_CASE("request head: refuses a head that is too large", "[frontend]") {
  HttpRequestHead head;
  const std::string start = std::string("GET / HTTP/1.1\r\n") + kHost + "A: ";
  CHECK(StatusOf(start + std::string(16384, 'a') + "\r\n\r\n", &head) == 431);
  CHECK(StatusOf(start + std::string(16384, 'a'), &head) == 431);
  CHECK(StatusOf(start + std::string(16000, 'a'), &head) == -1);
}

TEST_CASE("request head: refuses too many header fields", "[frontend]") {
  std::string fields = kHost;
  for (int i = 0; i < 64; ++i) {
    fields += "X-" + std::to_string(i) + ": a\r\n";
  }
  CHECK(StatusOfGet(fields) == 431);
}

TEST_CASE("request head: a body has a length in digits, or is refused",
          "[frontend]") {
  struct Row {
    const char* method;
    const char* field;
    int status;
  };
  const Row rows[] = {
      {"POST", "", 411},
      {"POST", "Transfer-Encoding: chunked\r\n", 411},
      {"POST", "Transfer-Encoding: identity\r\nContent-Length: 2\r\n", 501},
      {"POST", "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n", 400},
      {"POST", "Content-Length: -1\r\n", 400},
      {"POST", "Content-Length: +1\r\n", 400},
      {"POST", "Content-Length: 0x1\r\n", 400},
      {"POST", "Content-Length: 1, 1\r\n", 400},
      {"POST", "Content-Length: %31\r\n", 400},
      {"POST", "Content-Length: 9999999999999999999\r\n", 400},
      {"POST", "Content-Length: 2\r\n", 0},
      {"GET", "Content-Length: 2\r\n", 400},
      {"HEAD", "Content-Length: 2\r\n", 400},
      {"GET", "Transfer-Encoding: chunked\r\n", 411},
      {"GET", "Content-Length: 0\r\n", 0},
  };
  for (const Row& row : rows) {
    HttpRequestHead head;
    CAPTURE(row.method, row.field);
    CHECK(StatusOf(std::string(row.method) + " / HTTP/1.1\r\n" + kHost +
                       row.field + "\r\n",
                   &head) == row.status);
  }
}

TEST_CASE("request head: supports one expectation", "[frontend]") {
  HttpRequestHead head;
  const std::string start = std::string("POST /a HTTP/1.1\r\n") + kHost;
  CHECK(StatusOf(start + "Content-Length: 2\r\nExpect: tea\r\n\r\n", &head) ==
        417);
  CHECK(StatusOf(start + "Content-Length: 2\r\nExpect: 100-Continue\r\n\r\n",
                 &head) == 0);
  CHECK(head.expects_continue);
}

TEST_CASE("request head: returns what was sent, undecoded", "[frontend]") {
  HttpRequestHead head;
  REQUIRE(StatusOf("POST /a/%2e%2e?b=c HTTP/1.1\r\nHost: carme.test\r\n"
                   "X-Empty:\r\nCookie:  a=%41 \r\nContent-Length: 7\r\n"
                   "Connection: Close\r\n\r\n",
                   &head) == 0);
  CHECK(head.request.method == "POST");
  CHECK(head.request.path == "/a/%2e%2e");
  CHECK(head.request.headers.Get("cookie") == "a=%41");
  CHECK(head.request.headers.Find("x-empty") != nullptr);
  CHECK(head.content_length == 7);
  CHECK(head.close);
  CHECK_FALSE(head.expects_continue);
}

}  // namespace
}  // namespace carme::frontend
