#include "common/http1/head.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

namespace carme {
namespace {

using std::string_literals::operator""s;

ScanResult Scan(const std::string& bytes, RequestHead* head) {
  return ScanRequest(bytes, HeadLimits(), head);
}

struct Rejection {
  const char* name;
  std::string bytes;
  int status;
};

TEST_CASE("request head: rejects ambiguous input", "[common]") {
  const std::string get = "GET / HTTP/1.1\r\n";
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  const Rejection table[] = {
      // Two framings.
      {"CL and TE",
       post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"TE and CL",
       post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", 400},
      {"two lengths", post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
       400},
      {"two equal lengths",
       post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n", 400},
      {"a list of lengths", post + "Content-Length: 5, 5\r\n\r\n", 400},
      {"a sign", post + "Content-Length: +5\r\n\r\n", 400},
      {"a minus", post + "Content-Length: -5\r\n\r\n", 400},
      {"hexadecimal", post + "Content-Length: 0x5\r\n\r\n", 400},
      {"empty length", post + "Content-Length:\r\n\r\n", 400},
      {"length overflows",
       post + "Content-Length: 18446744073709551617\r\n\r\n", 400},
      {"length with a blank", post + "Content-Length: 1 2\r\n\r\n", 400},
      {"TE twice",
       post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: "
              "chunked\r\n\r\n",
       400},
      {"TE list", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {"TE identity", post + "Transfer-Encoding: identity\r\n\r\n", 501},
      {"TE with a parameter", post + "Transfer-Encoding: chunked;q=1\r\n\r\n",
       501},
      {"TE hidden by a tab",
       post + "Transfer-Encoding:\tchunked\r\nContent-Length: 3\r\n\r\n", 400},
      {"TE hidden by a vertical tab",
       post + "Transfer-Encoding: \x0b"
              "chunked\r\n\r\n",
       400},
      {"TE with quotes", post + "Transfer-Encoding: \"chunked\"\r\n\r\n", 501},
      // Lines.
      {"bare LF in the fields", get + "Host: a\n\r\n", 400},
      {"bare LF everywhere", "GET / HTTP/1.1\nHost: a\n\n", 400},
      {"bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n",
       400},
      {"bare CR in a value", get + "Host: a\r\nX: a\rb\r\n\r\n", 400},
      {"obs-fold", get + "Host: a\r\nX: 1\r\n folded\r\n\r\n", 400},
      {"obs-fold with a tab", get + "Host: a\r\nX: 1\r\n\tfolded\r\n\r\n", 400},
      {"fold of the first field", get + " Host: a\r\n\r\n", 400},
      {"blank before the colon", get + "Host : a\r\n\r\n", 400},
      {"tab before the colon", post + "Content-Length\t: 5\r\n\r\n", 400},
      {"no colon", get + "Host a\r\n\r\n", 400},
      {"empty name", get + "Host: a\r\n: x\r\n\r\n", 400},
      {"name with a control character", get + "Host: a\r\nX\x01: x\r\n\r\n",
       400},
      {"name with a foreign letter", get + "Host: a\r\nX\xc3\xa9: x\r\n\r\n",
       400},
      {"NUL in a value", get + "Host: a\r\nX: a\0b\r\n\r\n"s, 400},
      {"NUL in the target", "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"s, 400},
      {"DEL in a value", get + "Host: a\r\nX: a\x7f\r\n\r\n", 400},
      {"empty line first", "\r\n" + get + "Host: a\r\n\r\n", 400},
      // Request line.
      {"HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\n\r\n", 505},
      {"HTTP/2.0", "PRI * HTTP/2.0\r\n\r\n", 505},
      {"HTTP/0.9", "GET /\r\n\r\n", 400},
      {"small letters", "GET / http/1.1\r\nHost: a\r\n\r\n", 400},
      {"version cut", "GET / HTTP/1.\r\nHost: a\r\n\r\n", 505},
      {"version with a tail", "GET / HTTP/1.1x\r\nHost: a\r\n\r\n", 505},
      {"absolute target", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"authority target", "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"asterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"no target", "GET  HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"two blanks", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"blank in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"tab for a blank", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"fragment", "GET /#x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"foreign letter in the target",
       "GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"blank before the method", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"method with a slash", "G/T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"CONNECT", "CONNECT / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      {"TRACE", "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", 501},
      // Host.
      {"no Host", get + "X: a\r\n\r\n", 400},
      {"two Hosts", get + "Host: a\r\nHost: b\r\n\r\n", 400},
      {"two equal Hosts", get + "Host: a\r\nHost: a\r\n\r\n", 400},
      // Connections and upgrades.
      {"Connection names a field",
       get + "Host: a\r\nConnection: close, X-Forwarded-For\r\n\r\n", 400},
      {"Connection names Host", get + "Host: a\r\nConnection: host\r\n\r\n",
       400},
      {"upgrade with a length",
       get + "Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
             "dGhlIHNhbXBsZSBub25jZQ==\r\nContent-Length: 0\r\n\r\n",
       400},
      {"upgrade with chunks",
       get + "Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
             "dGhlIHNhbXBsZSBub25jZQ==\r\nTransfer-Encoding: chunked\r\n\r\n",
       400},
      {"upgrade by POST",
       post + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
              "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
       400},
      {"upgrade without a key",
       get + "Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
             "Sec-WebSocket-Version: 13\r\n\r\n",
       400},
      {"upgrade of another version",
       get + "Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
             "Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: "
             "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
       400},
      {"unknown expectation", get + "Host: a\r\nExpect: 200-ok\r\n\r\n", 417},
      // Sizes.
      {"long target",
       "GET /" + std::string(16 * 1024, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n",
       414},
      {"long head, ended",
       get + "Host: a\r\nX: " + std::string(32 * 1024, 'x') + "\r\n\r\n", 431},
      {"long head, not ended", get + "X: " + std::string(32 * 1024, 'x'), 431},
  };
  for (const Rejection& refusal : table) {
    INFO(refusal.name);
    RequestHead head;
    ScanResult result = Scan(refusal.bytes, &head);
    CHECK(result.state == ScanState::kRefused);
    CHECK(result.status == refusal.status);
  }
}

TEST_CASE("request head: rejects too many fields", "[common]") {
  std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 99; ++i) bytes += "X: y\r\n";
  RequestHead head;
  CHECK(Scan(bytes + "\r\n", &head).state == ScanState::kDone);
  CHECK(Scan(bytes + "X: y\r\n\r\n", &head).status == 431);
}

TEST_CASE("request head: each prefix of a valid head needs more bytes",
          "[common]") {
  const std::string bytes =
      "POST /a?b=c HTTP/1.1\r\nHost: x.example:8443\r\n"
      "Content-Length: 12\r\nCookie: a=b\r\n\r\n";
  RequestHead head;
  for (size_t size = 0; size < bytes.size(); ++size) {
    CHECK(Scan(bytes.substr(0, size), &head).state == ScanState::kMore);
  }
  const std::string with_body = bytes + "the body";
  ScanResult result = Scan(with_body, &head);
  REQUIRE(result.state == ScanState::kDone);
  CHECK(result.head_bytes == bytes.size());
  CHECK(head.method == "POST");
  CHECK(head.target == "/a?b=c");
  CHECK(head.host == "x.example:8443");
  CHECK(head.body.kind == BodyKind::kLength);
  CHECK(head.body.length == 12);
  CHECK(head.fields.size() == 3);
}

TEST_CASE("request head: reads what browsers send", "[common]") {
  RequestHead head;
  const std::string line = "GET / HTTP/1.1\r\nHost: a\r\n";
  REQUIRE(Scan(line + "Connection: keep-alive, Upgrade\r\nUpgrade: websocket"
                      "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                      "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
               &head)
              .state == ScanState::kDone);
  CHECK(head.opens_websocket);

  // An upgrade to HTTP/2 is ignored and not an error.
  REQUIRE(Scan(line + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                      "HTTP2-Settings: AAMAAABk\r\n\r\n",
               &head)
              .state == ScanState::kDone);
  CHECK_FALSE(head.opens_websocket);

  REQUIRE(Scan(line + "Transfer-Encoding: Chunked\r\nExpect: 100-Continue\r\n"
                      "Connection: close\r\n\r\n",
               &head)
              .state == ScanState::kDone);
  CHECK(head.body.kind == BodyKind::kChunked);
  CHECK(head.expects_continue);
  CHECK(head.close);

  const std::string blanks = line + "X:\r\nY: \t caf\xc3\xa9 \t\r\n\r\n";
  REQUIRE(Scan(blanks, &head).state == ScanState::kDone);
  CHECK(head.fields[1].value.empty());
  CHECK(head.fields[2].value == "caf\xc3\xa9");
  // No state of the previous request.
  CHECK(head.body.kind == BodyKind::kNone);
  CHECK_FALSE(head.close);
}

TEST_CASE("response head: rejects ambiguous input", "[common]") {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const std::string& bytes :
       {"HTTP/2 200 OK\r\n\r\n"s, "HTTP/1.1 2000 OK\r\n\r\n"s,
        "HTTP/1.1 20 OK\r\n\r\n"s, "HTTP/1.1 099 OK\r\n\r\n"s,
        "HTTP/1.1 600 OK\r\n\r\n"s, "HTTP/1.1 +20 OK\r\n\r\n"s,
        "HTTP/1.1  200 OK\r\n\r\n"s, "200 OK\r\n\r\n"s, "\r\n\r\n"s,
        "HTTP/1.1 200 O\0K\r\n\r\n"s,
        ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ok + "Transfer-Encoding: gzip\r\n\r\n", ok + "X: 1\r\n folded\r\n\r\n",
        ok + "X : 1\r\n\r\n", ok + "X: 1\nY: 2\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"s,
        ok + std::string(32 * 1024, 'x')}) {
    INFO(bytes.substr(0, 100));
    ResponseHead head;
    ScanResult result = ScanResponse(bytes, HeadLimits(), &head);
    CHECK(result.state == ScanState::kRefused);
    CHECK(result.status == 502);
  }
}

TEST_CASE("response head: its framing follows status and method", "[common]") {
  struct Case {
    const char* bytes;
    bool to_head;
    bool good;
    BodyKind kind;
  };
  const Case table[] = {
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", false, true,
       BodyKind::kLength},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, true,
       BodyKind::kNone},
      {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, true,
       BodyKind::kNone},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, true,
       BodyKind::kChunked},
      {"HTTP/1.1 200 OK\r\n\r\n", false, true, BodyKind::kUntilClose},
      {"HTTP/1.0 200\r\n\r\n", false, true, BodyKind::kUntilClose},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", false, true,
       BodyKind::kNone},
      {"HTTP/1.1 204 No Content\r\n\r\n", false, true, BodyKind::kNone},
      {"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", false, true,
       BodyKind::kNone},
      {"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", false, false,
       BodyKind::kNone},
      {"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", false,
       false, BodyKind::kNone},
      {"HTTP/1.1 101 Switching\r\nContent-Length: 5\r\n\r\n", false, false,
       BodyKind::kNone},
  };
  for (const Case& c : table) {
    INFO(c.bytes);
    ResponseHead head;
    REQUIRE(ScanResponse(c.bytes, HeadLimits(), &head).state ==
            ScanState::kDone);
    BodyFraming body;
    CHECK(FrameResponse(head, c.to_head, &body) == c.good);
    if (c.good) CHECK(body.kind == c.kind);
  }
}

TEST_CASE("fields: names match exactly, ignoring case", "[common]") {
  struct Case {
    std::string name;
    FieldId id;
  };
  const Case cases[] = {
      {"te", FieldId::kHopByHop},
      {"host", FieldId::kHost},
      {"cookie", FieldId::kCookie},
      {"connection", FieldId::kConnection},
      {"content-length", FieldId::kContentLength},
      {"http2-settings", FieldId::kHopByHop},
      {"transfer-encoding", FieldId::kTransferEncoding},
      {"strict-transport-security", FieldId::kStrictTransportSecurity},
  };
  for (const Case& c : cases) {
    for (size_t at = 0; at < c.name.size(); ++at) {
      std::string name = c.name;
      for (int other = 0x21; other < 0x7f; ++other) {
        name[at] = static_cast<char>(other);
        if (!IsToken(name)) continue;
        INFO(name);
        CHECK((FieldIdFor(name) == c.id) ==
              EqualsIgnoreCase(name.substr(at, 1), c.name.substr(at, 1)));
      }
    }
  }
}

TEST_CASE("fields: control characters are found at every position",
          "[common]") {
  for (size_t size = 1; size < 40; ++size) {
    for (size_t at = 0; at < size; ++at) {
      std::string text(size, '\xff');
      CHECK_FALSE(HasControl(text));
      text[at] = '\t';
      CHECK_FALSE(HasControl(text));
      for (char c : {'\0', '\x01', '\n', '\r', '\x1f', '\x7f'}) {
        text[at] = c;
        CHECK(HasControl(text));
      }
    }
  }
}

}  // namespace
}  // namespace carme
