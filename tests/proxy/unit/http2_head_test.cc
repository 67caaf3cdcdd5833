// HTTP/2 heads converted to HTTP/1.1, and responses to HTTP/2. What nghttp2
// rejects is rejected here again.
#include "proxy/http/http2_head.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/net/frame_budget.h"
#include "proxy/http/http2_fields.h"

namespace carme::proxy {
namespace {

using std::string_literals::operator""s;
using List = std::vector<std::pair<std::string, std::string>>;

const List kGet = {{":method", "GET"},
                   {":scheme", "https"},
                   {":authority", "h"},
                   {":path", "/"}};

List With(List fields, const List& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

List Without(List fields, const std::string& name) {
  std::erase_if(fields, [&](const auto& field) { return field.first == name; });
  return fields;
}

// With `name` replaced.
List Other(const List& fields, const std::string& name,
           const std::string& value) {
  List all = {{name, value}};
  return With(all, Without(fields, name));
}

struct Written {
  int status = 0;
  std::string text;
};

Written Write(const List& fields, bool body_follows = false) {
  Http2RequestHead head(4096);
  for (const auto& [name, value] : fields) head.Add(name, value);
  Written written;
  if (!head.Write(body_follows, "dGhlIHNhbXBsZSBub25jZQ==", &written.text)) {
    written.status = head.status();
  }
  return written;
}

TEST_CASE("http2 head: rejects text that changes meaning in HTTP/1.1",
          "[proxy]") {
  struct {
    const char* name;
    int status;
    List fields;
  } const table[] = {
      {"no method", 400, Without(kGet, ":method")},
      {"no scheme", 400, Without(kGet, ":scheme")},
      {"no path", 400, Without(kGet, ":path")},
      {"no authority", 400, Without(kGet, ":authority")},
      {"empty path", 400, Other(kGet, ":path", "")},
      {"two methods", 400, With({{":method", "GET"}}, kGet)},
      {"unknown pseudo-header", 400, With({{":status", "200"}}, kGet)},
      {"a pseudo-header behind a field", 400,
       With({{"a", "b"}}, {kGet[0], kGet[1], kGet[2], kGet[3]})},
      {"plain http", 400, Other(kGet, ":scheme", "http")},
      {"a blank in the method", 400, Other(kGet, ":method", "GET /x")},
      {"a line in the method", 400,
       Other(kGet, ":method", "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET")},
      {"a blank in the path", 400, Other(kGet, ":path", "/ HTTP/1.1")},
      {"a line in the path", 400, Other(kGet, ":path", "/\r\nX: y")},
      {"a line in the authority", 400, Other(kGet, ":authority", "h\r\nX: y")},
      {"NUL in the path", 400, Other(kGet, ":path", "/\0"s)},
      {"another Host", 400, With(kGet, {{"host", "other"}})},
      {"two Hosts", 400, With(kGet, {{"host", "h"}, {"host", "h"}})},
      {"a line in Host", 400,
       With(Without(kGet, ":authority"), {{"host", "h\r\nX: y"}})},
      {"upper case", 400, With(kGet, {{"Accept", "x"}})},
      {"an empty name", 400, With(kGet, {{"", "x"}})},
      {"a colon in a name", 400, With(kGet, {{"a:b", "x"}})},
      {"a line in a name", 400, With(kGet, {{"a\r\nb", "x"}})},
      {"a line in a value", 400, With(kGet, {{"a", "x\r\nHost: y"}})},
      {"CR in a value", 400, With(kGet, {{"a", "x\ry"}})},
      {"LF in a value", 400, With(kGet, {{"a", "x\ny"}})},
      {"NUL in a value", 400, With(kGet, {{"a", "x\0y"s}})},
      {"a line in a cookie", 400, With(kGet, {{"cookie", "a=b\r\nX: y"}})},
      {"connection", 400, With(kGet, {{"connection", "close"}})},
      {"transfer-encoding", 400,
       With(kGet, {{"transfer-encoding", "chunked"}})},
      {"upgrade", 400, With(kGet, {{"upgrade", "websocket"}})},
      {"CONNECT", 501, Other(kGet, ":method", "CONNECT")},
      {"a protocol with GET", 400, With({{":protocol", "websocket"}}, kGet)},
      {"another protocol", 501,
       With({{":protocol", "connect-udp"}}, Other(kGet, ":method", "CONNECT"))},
      {"a websocket with a length", 400,
       With(With({{":protocol", "websocket"}},
                 Other(kGet, ":method", "CONNECT")),
            {{"content-length", "0"}})},
      {"too large", 431, With(kGet, {{"a", std::string(5000, 'x')}})},
      {"too many", 431, With(kGet, List(200, {"a", "b"}))},
  };
  for (const auto& c : table) {
    INFO(c.name);
    Written written = Write(c.fields);
    CHECK(written.status == c.status);
    CHECK(written.text.empty());
  }
}

TEST_CASE("http2 head: one parser validates both versions", "[proxy]") {
  const Written written = Write(With(kGet, {{"host", "h"},
                                            {"cookie", "a=1"},
                                            {"accept", "x"},
                                            {"cookie", "b=2"},
                                            {"sec-websocket-key", "forged"}}));
  RequestHead head;
  INFO(written.text);
  REQUIRE(ScanRequest(written.text, HeadLimits(), &head).state ==
          ScanState::kDone);
  CHECK(head.method == "GET");
  CHECK(head.target == "/");
  CHECK(head.host == "h");
  CHECK(head.body.kind == BodyKind::kNone);
  REQUIRE(head.Find(FieldId::kCookie) != nullptr);
  CHECK(head.Find(FieldId::kCookie)->value == "a=1; b=2");
  CHECK(head.Find(FieldId::kSecWebSocketKey) == nullptr);
}

TEST_CASE("http2 head: a body has a length or is chunked", "[proxy]") {
  RequestHead head;
  auto scan = [&](const std::string& text) {
    return ScanRequest(text, HeadLimits(), &head).state == ScanState::kDone;
  };
  const List post = Other(kGet, ":method", "POST");
  const Written open = Write(post, true);
  REQUIRE(scan(open.text));
  CHECK(head.body.kind == BodyKind::kChunked);
  const Written counted = Write(With(post, {{"content-length", "5"}}), true);
  REQUIRE(scan(counted.text));
  CHECK(head.body.kind == BodyKind::kLength);
  CHECK(head.body.length == 5);
  const Written none = Write(post, false);
  REQUIRE(scan(none.text));
  CHECK(head.body.kind == BodyKind::kNone);
}

TEST_CASE("http2 head: an extended CONNECT is a websocket handshake",
          "[proxy]") {
  const Written written = Write(
      With(
          With({{":protocol", "websocket"}}, Other(kGet, ":method", "CONNECT")),
          {{"sec-websocket-version", "13"}, {"origin", "https://h"}}),
      true);
  RequestHead head;
  INFO(written.text);
  REQUIRE(ScanRequest(written.text, HeadLimits(), &head).state ==
          ScanState::kDone);
  CHECK(head.opens_websocket);
  CHECK(head.method == "GET");
}

TEST_CASE("http2 fields: drop connection fields of a response", "[proxy]") {
  const std::string text =
      "HTTP/1.1 200 OK\r\nServer: app\r\nConnection: close\r\n"
      "Keep-Alive: x\r\nContent-Length: 3\r\nAlt-Svc: x\r\n"
      "Set-Cookie: a=b\r\nSet-Cookie: __Host-carme-job=x\r\n\r\n";
  ResponseHead head;
  REQUIRE(ScanResponse(text, HeadLimits(), &head).state == ScanState::kDone);
  Http2Fields fields =
      Http2Response(head, UpstreamKind::kJob, {BodyKind::kLength, 3});
  std::string all;
  for (const nghttp2_nv& field : fields.List()) {
    all.append(reinterpret_cast<char*>(field.name), field.namelen).append("=");
    all.append(reinterpret_cast<char*>(field.value), field.valuelen);
    all.append("|");
  }
  CHECK(all == ":status=200|server=app|set-cookie=a=b|content-length=3|");
}

TEST_CASE("frame budget: refills over time", "[proxy]") {
  net::FrameBudget budget(3, 10);
  for (int i = 0; i < 3; ++i) CHECK(budget.Take(1000));
  CHECK_FALSE(budget.Take(1000));
  CHECK_FALSE(budget.Take(1099));
  CHECK(budget.Take(1100));
  CHECK_FALSE(budget.Take(1100));
  for (int i = 0; i < 3; ++i) CHECK(budget.Take(100'000));
  CHECK_FALSE(budget.Take(100'000));
}

TEST_CASE("http2 head: ignores other cookies on the portal's host", "[proxy]") {
  const VirtualHosts hosts = *VirtualHosts::Create("portal.test", "jobs.test");
  const std::string large = "c=" + std::string(4000, 'x');
  const auto judge = [&](const std::string& authority) {
    auto head = std::make_unique<Http2RequestHead>(8192, &hosts);
    for (const auto& [name, value] : Other(kGet, ":authority", authority)) {
      head->Add(name, value);
    }
    for (int i = 0; i < 50; ++i) head->Add("cookie", large);
    head->Add("cookie", "__Host-carme=mine");
    for (int i = 0; i < 50; ++i) head->Add("cookie", large + "; d=1");
    return head;
  };
  const auto job = judge("j23456789abcdefg.jobs.test");
  std::string text;
  CHECK_FALSE(job->Write(false, "", &text));
  CHECK(job->status() == 431);
  CHECK(job->is_mostly_cookies());

  const auto portal = judge("portal.test:443");
  REQUIRE(portal->Write(false, "", &text));
  CHECK(text.find("\r\ncookie: __Host-carme=mine\r\n") != std::string::npos);
  CHECK(text.size() < 200);
  CHECK(portal->cookie_bytes() > 400'000);
  // Cookies of Carme are all kept: the router rejects duplicates.
  Http2RequestHead two(8192, &hosts);
  for (const auto& [name, value] : Other(kGet, ":authority", "portal.test")) {
    two.Add(name, value);
  }
  two.Add("cookie", "__Host-carme=a; x=1; __Host-carme=b");
  text.clear();
  REQUIRE(two.Write(false, "", &text));
  CHECK(text.find("cookie: __Host-carme=a; __Host-carme=b\r\n") !=
        std::string::npos);
}

}  // namespace
}  // namespace carme::proxy
