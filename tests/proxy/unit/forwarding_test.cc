// What is forwarded: heads, cookies, origins, hosts.
#include <catch2/catch.hpp>
#include <string>

#include "proxy/http/cookies.h"
#include "proxy/http/cross_origin.h"
#include "proxy/http/head_writer.h"
#include "proxy/http/virtual_hosts.h"
#include "proxy/local_reply/local_reply.h"
#include "tests/support/status_matchers.h"

namespace carme::proxy {
namespace {

constexpr char kJobHost[] = "j23456789abcdefg.jobs.example";

// `bytes` must outlive the head.
RequestHead Parse(const std::string& bytes) {
  RequestHead head;
  REQUIRE(ScanRequest(bytes, HeadLimits(), &head).state == ScanState::kDone);
  return head;
}

std::string Forward(const std::string& fields, UpstreamKind upstream_kind,
                    const std::string& line = "GET / HTTP/1.1") {
  const std::string bytes = line + "\r\nHost: h\r\n" + fields + "\r\n";
  RequestHead head = Parse(bytes);
  std::string out;
  AppendRequest(head, upstream_kind, {"192.0.2.7", "request-1"}, &out);
  RequestHead again;
  INFO(out);
  CHECK(ScanRequest(out, HeadLimits(), &again).state == ScanState::kDone);
  CHECK(again.body.kind == head.body.kind);
  CHECK(again.body.length == head.body.length);
  return out;
}

std::string ForwardAnswer(const std::string& fields,
                          UpstreamKind upstream_kind) {
  const std::string bytes = "HTTP/1.1 200 OK\r\n" + fields + "\r\n";
  ResponseHead head;
  REQUIRE(ScanResponse(bytes, HeadLimits(), &head).state == ScanState::kDone);
  BodyFraming body;
  REQUIRE(FrameResponse(head, false, &body));
  std::string out;
  AppendResponse(head, upstream_kind, body, false, &out);
  return out;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("forward: drops fields that only a proxy may set", "[proxy]") {
  for (UpstreamKind upstream_kind :
       {UpstreamKind::kJob, UpstreamKind::kPortal}) {
    std::string out = Forward(
        "X-Forwarded-For: 6.6.6.6\r\nx-forwarded-host: evil\r\n"
        "X-Forwarded-Prefix: /evil\r\nForwarded: for=6.6.6.6\r\n"
        "X-Real-IP: 6.6.6.6\r\nX-Request-ID: evil\r\nX-Carme-User: evil\r\n"
        "X-Scheme: evil\r\nX_Forwarded_For: evil\r\nContent_Length: 666\r\n",
        upstream_kind);
    CHECK_FALSE(Has(out, "evil"));
    CHECK_FALSE(Has(out, "6.6.6"));
    CHECK_FALSE(Has(out, "666"));
    CHECK(Has(out, "X-Forwarded-Proto: https\r\n"));
    CHECK(Has(out, "X-Forwarded-For: 192.0.2.7\r\n"));
    CHECK(Has(out, "X-Request-Id: request-1\r\n"));
    // What Jupyter and code-server read.
    CHECK(Has(out, "X-Scheme: https\r\n") ==
          (upstream_kind == UpstreamKind::kJob));
    CHECK(Has(out, "X-Forwarded-Host: h\r\n") ==
          (upstream_kind == UpstreamKind::kJob));
  }
}

TEST_CASE("forward: replaces the client's trace", "[proxy]") {
  const std::string bytes =
      "GET / HTTP/1.1\r\nHost: h\r\nTraceparent: client\r\n"
      "Tracestate: vendor=1\r\n\r\n";
  const RequestHead head = Parse(bytes);
  for (const bool keeps : {false, true}) {
    std::string out;
    AppendRequest(head, UpstreamKind::kJob,
                  {.client_address = "192.0.2.7",
                   .request_id = "request-1",
                   .traceparent = "own",
                   .keeps_tracestate = keeps},
                  &out);
    CHECK_FALSE(Has(out, "client"));
    CHECK(Has(out, "Traceparent: own\r\n"));
    CHECK(Has(out, "Tracestate: vendor=1\r\n") == keeps);
  }
}

TEST_CASE("forward: the frontend gets escaped values and no ranges",
          "[proxy]") {
  const std::string fields =
      "A: a%3B b=%u0041\r\nCookie: __Host-carme=a%3Bb; c=%\r\nB: 100%\r\n"
      "Range: bytes=0-1\r\nIf-Range: \"x\"\r\n"
      "X-Carme-Escape-Probe: %\r\nC: +\r\n";
  const std::string portal = Forward(fields, UpstreamKind::kPortal);
  CHECK(Has(portal,
            "\r\nA: a%253B b=%25u0041\r\nCookie: __Host-carme=a%253Bb\r\n"
            "B: 100%25\r\nC: +\r\n"));
  CHECK_FALSE(Has(portal, "ange: "));
  CHECK(Has(portal, "\r\nx-carme-escape-probe: %25\r\n"));
  const std::string job = Forward(fields, UpstreamKind::kJob);
  CHECK(Has(job,
            "\r\nA: a%3B b=%u0041\r\nCookie: c=%\r\nB: 100%\r\n"
            "Range: bytes=0-1\r\nIf-Range: \"x\"\r\nC: +\r\n"));
  CHECK_FALSE(Has(job, "robe"));
}

TEST_CASE("forward: the frontend gets no websocket", "[proxy]") {
  const std::string fields =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13"
      "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  CHECK_FALSE(Has(Forward(fields, UpstreamKind::kPortal), "Upgrade"));
  CHECK(Has(Forward(fields, UpstreamKind::kJob), "Upgrade: websocket\r\n"));
}

TEST_CASE("forward: normalizes fields", "[proxy]") {
  const std::string fields =
      "A:1\r\nB: 2\r\nC: 3\r\nD:  4\r\nE: 5 \r\nF:\r\nG: \r\nH:\t6\r\nI: 7";
  const std::string wanted =
      "\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\nE: 5\r\nF: \r\nG: \r\nH: 6\r\n"
      "I: 7\r\n";
  CHECK(Has(Forward(fields + "\r\n", UpstreamKind::kJob), wanted));
  CHECK(Has(ForwardAnswer(fields + "\r\n", UpstreamKind::kJob), wanted));
  // In their order, without dropped fields.
  const std::string mixed =
      "A: 1\r\nX-Real-Ip: x\r\nB: 2\r\nCookie: c=d\r\nC: 3\r\nUp_: x\r\n";
  CHECK(Has(Forward(mixed, UpstreamKind::kJob),
            "\r\nA: 1\r\nB: 2\r\nCookie: c=d\r\nC: 3\r\nX-Forwarded-For: "));
}

TEST_CASE("forward: drops hop-by-hop fields", "[proxy]") {
  std::string out = Forward(
      "Connection: keep-alive, te\r\nKeep-Alive: timeout=5\r\nTE: trailers\r\n"
      "Trailer: X\r\nUpgrade: h2c\r\nHTTP2-Settings: AAM\r\n"
      "Proxy-Authorization: Basic eA==\r\nProxy-Connection: keep-alive\r\n"
      "Expect: 100-continue\r\nAuthorization: token app\r\n",
      UpstreamKind::kJob);
  for (const char* gone : {"Connection", "Keep-Alive", "TE:", "Trailer",
                           "Upgrade", "HTTP2", "Proxy-", "Expect"}) {
    INFO(gone);
    CHECK_FALSE(Has(out, gone));
  }
  CHECK(Has(out, "Authorization: token app\r\n"));
}

TEST_CASE("forward: Carme's cookies reach no job, others not the portal",
          "[proxy]") {
  const std::string cookies =
      "Cookie: a=1; __Host-carme=secret; __Host-carme-job=secret; b=2\r\n"
      "Cookie: __host-CARME-job=secret\r\nCookie: c=3; __Host-carme\r\n";
  std::string job = Forward(cookies, UpstreamKind::kJob);
  CHECK_FALSE(Has(job, "secret"));
  CHECK_FALSE(Has(job, "arme"));
  CHECK(Has(job, "Cookie: a=1; b=2\r\n"));
  CHECK(Has(job, "Cookie: c=3\r\n"));
  std::string portal = Forward(cookies, UpstreamKind::kPortal);
  CHECK(Has(portal, "Cookie: __Host-carme=secret\r\n"));
  CHECK_FALSE(Has(portal, "a=1"));
  CHECK_FALSE(Has(portal, "carme-job"));
}

TEST_CASE("forward: keeps the framing of the body", "[proxy]") {
  CHECK(Has(
      Forward("Content-Length: 7\r\n", UpstreamKind::kJob, "POST / HTTP/1.1"),
      "Content-Length: 7\r\n"));
  CHECK(Has(
      Forward("Content-Length: 0\r\n", UpstreamKind::kJob, "POST / HTTP/1.1"),
      "Content-Length: 0\r\n"));
  CHECK(Has(Forward("Transfer-Encoding: chunked\r\n", UpstreamKind::kJob,
                    "POST / HTTP/1.1"),
            "Transfer-Encoding: chunked\r\n"));
}

TEST_CASE("forward: a response affects only its origin", "[proxy]") {
  const std::string fields =
      "Set-Cookie: _xsrf=1; Path=/\r\n"
      "Set-Cookie: __Host-carme-job=planted; Path=/; Secure\r\n"
      "Set-Cookie: wide=planted; Domain=jobs.example\r\n"
      "Clear-Site-Data: \"cookies\"\r\nAlt-Svc: h3=\":1\"\r\n"
      "Strict-Transport-Security: max-age=1; includeSubDomains\r\n"
      "Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n"
      "Content-Length: 3\r\nServer: app\r\n";
  std::string job = ForwardAnswer(fields, UpstreamKind::kJob);
  CHECK_FALSE(Has(job, "planted"));
  CHECK(Has(job, "Set-Cookie: _xsrf=1; Path=/\r\n"));
  for (const char* gone : {"Clear-Site-Data", "Alt-Svc", "Strict-Transport",
                           "Connection", "Keep-Alive"}) {
    INFO(gone);
    CHECK_FALSE(Has(job, gone));
  }
  CHECK(Has(job, "Server: app\r\n"));
  CHECK(Has(job, "Content-Length: 3\r\n"));
  // The proxy sends it instead.
  std::string portal = ForwardAnswer(fields, UpstreamKind::kPortal);
  CHECK_FALSE(Has(portal, "Strict-Transport-Security"));
  CHECK(Has(portal, "Clear-Site-Data"));
}

TEST_CASE("forward: a body that ends with the connection is sent in chunks",
          "[proxy]") {
  CHECK(Has(ForwardAnswer("", UpstreamKind::kJob),
            "Transfer-Encoding: chunked\r\n"));
}

TEST_CASE("cookies: which an app may set", "[proxy]") {
  for (const char* refused :
       {"", ";a=b", "=nameless", "nameless", "__Host-carme=x",
        "__Host-carme-job=x; Path=/", "__HOST-CARME-anything=x",
        "  __Host-carme=x", "a=b; domain=example", "a=b;DOMAIN = .example",
        "a=b; Path=/; Domain=jobs.example; Secure", "a=b; Domain",
        "=__Host-carme=x"}) {
    INFO(refused);
    CHECK_FALSE(MayJobSetCookie(refused));
  }
  for (const char* allowed :
       {"a=b", "a=b; Path=/; HttpOnly", "a=domain", "__Host-other=x; Secure",
        "a=; Max-Age=0", "a=b; Path=/domain=x"}) {
    INFO(allowed);
    CHECK(MayJobSetCookie(allowed));
  }
}

TEST_CASE("cookies: a duplicate cookie is ignored", "[proxy]") {
  auto find = [](const std::string& cookies) {
    const std::string bytes =
        "GET / HTTP/1.1\r\nHost: h\r\n" + cookies + "\r\n";
    RequestHead head = Parse(bytes);
    return std::string(FindCookie(head, "__Host-carme-job"));
  };
  CHECK(find("Cookie: a=b; __Host-carme-job=v; c=d\r\n") == "v");
  CHECK(find("Cookie: __Host-carme-job=v; __Host-carme-job=w\r\n").empty());
  CHECK(find("Cookie: __Host-carme-job=v\r\nCookie: __Host-carme-job=w\r\n")
            .empty());
  CHECK(find("Cookie: x__Host-carme-job=v\r\n").empty());
  CHECK(find("Cookie: a=__Host-carme-job=v\r\n").empty());
}

struct OriginCase {
  const char* name;
  const char* method;
  const char* fields;
  bool allowed;
};

TEST_CASE("origin: rejects requests of another site", "[proxy]") {
  const OriginCase table[] = {
      {"post from a sibling job", "POST",
       "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n", false},
      {"post from elsewhere", "POST", "Sec-Fetch-Site: cross-site\r\n", false},
      {"old browser, post from elsewhere", "POST",
       "Origin: https://evil.example\r\n", false},
      {"sandboxed post", "POST", "Origin: null\r\n", false},
      {"delete from elsewhere", "DELETE", "Sec-Fetch-Site: cross-site\r\n",
       false},
      {"post of a form", "POST",
       "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
       "Sec-Fetch-Dest: document\r\n",
       false},
      {"script for a sibling", "GET",
       "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\n"
       "Sec-Fetch-Dest: script\r\n",
       false},
      {"frame in a sibling", "GET",
       "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: navigate\r\n"
       "Sec-Fetch-Dest: iframe\r\n",
       false},
      {"fetch by a sibling", "GET",
       "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n"
       "Origin: https://x.jobs.example\r\n",
       false},
      {"own post", "POST",
       "Sec-Fetch-Site: same-origin\r\nOrigin: "
       "https://j23456789abcdefg.jobs.example\r\n",
       true},
      {"own post, old browser", "POST",
       "Origin: https://j23456789abcdefg.jobs.example\r\n", true},
      {"a link in the portal", "GET",
       "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: navigate\r\n"
       "Sec-Fetch-Dest: document\r\n",
       true},
      {"typed address", "GET",
       "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n", true},
      {"own image", "GET",
       "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: no-cors\r\n", true},
      {"no browser", "POST", "", true},
      {"no browser, a tool", "GET", "User-Agent: curl/8.0\r\n", true},
      {"image in a sibling, old browser", "GET",
       "User-Agent: Mozilla/5.0 (old)\r\nAccept: image/*\r\n"
       "Referer: https://x.jobs.example/lab\r\n",
       false},
      {"script in a sibling, old browser, no referrer", "GET",
       "User-Agent: Mozilla/5.0 (old)\r\nAccept: */*\r\n", false},
      {"script in a page of a similar name, old browser", "GET",
       "User-Agent: Mozilla/5.0 (old)\r\nAccept: */*\r\n"
       "Referer: https://j23456789abcdefg.jobs.example.evil/\r\n",
       false},
      {"fetch by a sibling, old browser", "GET",
       "User-Agent: Mozilla/5.0 (old)\r\nAccept: text/html\r\n"
       "Origin: https://x.jobs.example\r\n",
       false},
      {"form of a sibling, old browser without Origin", "POST",
       "User-Agent: Mozilla/5.0 (old)\r\nAccept: text/html\r\n"
       "Referer: https://x.jobs.example/\r\n",
       false},
      {"own image, old browser", "GET",
       "User-Agent: Mozilla/5.0 (old)\r\nAccept: image/*\r\n"
       "Referer: https://j23456789abcdefg.jobs.example/lab\r\n",
       true},
      {"own image, old browser, origin only", "GET",
       "User-Agent: Mozilla/5.0 (old)\r\nAccept: image/*\r\n"
       "Referer: https://j23456789abcdefg.jobs.example\r\n",
       true},
      {"a link in the portal, old browser", "GET",
       "User-Agent: Mozilla/5.0 (old)\r\nAccept: text/html,*/*\r\n"
       "Referer: https://carme.example/\r\n",
       true},
  };
  for (const OriginCase& c : table) {
    INFO(c.name);
    const std::string bytes = std::string(c.method) +
                              " / HTTP/1.1\r\nHost: " + kJobHost + "\r\n" +
                              c.fields + "\r\n";
    RequestHead head = Parse(bytes);
    const char* error =
        CrossOriginRefusal(head, std::string("https://") + kJobHost);
    CHECK((error == nullptr) == c.allowed);
  }
}

TEST_CASE("origin: rejects a websocket of another origin", "[proxy]") {
  auto allowed = [](const std::string& fields) {
    const std::string bytes =
        std::string("GET / HTTP/1.1\r\nHost: ") + kJobHost +
        "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
        fields + "\r\n";
    RequestHead head = Parse(bytes);
    REQUIRE(head.opens_websocket);
    return CrossOriginRefusal(head, std::string("https://") + kJobHost) ==
           nullptr;
  };
  CHECK_FALSE(allowed("Origin: https://evil.example\r\n"));
  CHECK_FALSE(allowed("Origin: https://other.jobs.example\r\n"));
  CHECK_FALSE(allowed("Origin: null\r\n"));
  CHECK_FALSE(allowed("Origin: http://j23456789abcdefg.jobs.example\r\n"));
  CHECK_FALSE(
      allowed("Origin: https://j23456789abcdefg.jobs.example:8443\r\n"));
  CHECK(allowed("Origin: https://j23456789abcdefg.jobs.example\r\n"));
  CHECK(allowed(""));
}

TEST_CASE("virtual hosts: reject invalid host names", "[proxy]") {
  for (auto [portal, jobs] :
       {std::pair("", "jobs.example"), std::pair("portal.example", ""),
        std::pair("Portal.example", "jobs.example"),
        std::pair("portal.example:", "jobs.example"),
        std::pair("portal.example:x", "jobs.example"),
        std::pair("https://p.example", "jobs.example"),
        std::pair("jobs.example", "jobs.example"),
        std::pair("x.jobs.example", "jobs.example"),
        std::pair(".example", "jobs.example")}) {
    INFO(portal << " " << jobs);
    CHECK_FALSE(VirtualHosts::Create(portal, jobs).ok());
  }
}

TEST_CASE("virtual hosts: match the portal and the jobs only", "[proxy]") {
  auto hosts = VirtualHosts::Create("carme.example", "jobs.carme.example");
  REQUIRE_THAT(hosts, IsOk());
  for (const char* unknown :
       {"", "example", "www.carme.example", "carme.example:8443",
        "carme.example.", "jobs.carme.example", ".jobs.carme.example",
        "short.jobs.carme.example", "0123456789abcdef.jobs.carme.example",
        "a.j23456789abcdefg.jobs.carme.example",
        "j23456789abcdefg.jobs.carme.example.evil",
        "j23456789abcdefg-.jobs.carme.example",
        "j23456789abcdefg--code.jobs.carme.example",
        "j23456789abcdefg-code_x.jobs.carme.example",
        "short-code.jobs.carme.example",
        "j23456789abcdefg.jobs.carme.example:8443"}) {
    INFO(unknown);
    CHECK(hosts->Match(unknown, "/").kind == HostKind::kUnknown);
  }
  CHECK(hosts->Match("CARME.example", "/").kind == HostKind::kPortal);
  CHECK(hosts->Match("carme.example:443", "/").kind == HostKind::kPortal);
  HostMatch job = hosts->Match("J23456789abcdefg.jobs.Carme.example", "/");
  CHECK(job.kind == HostKind::kJob);
  CHECK(job.host.job.value() == "j23456789abcdefg");
  CHECK(hosts->JobOrigin(job.host) ==
        "https://j23456789abcdefg.jobs.carme.example");
  HostMatch app = hosts->Match("J23456789abcdefg-Code.jobs.carme.example", "/");
  CHECK(app.kind == HostKind::kJob);
  CHECK(app.host.job.value() == "j23456789abcdefg");
  CHECK(hosts->JobOrigin(app.host) ==
        "https://j23456789abcdefg-code.jobs.carme.example");
  CHECK(hosts->PortalUrl() == "https://carme.example/");
}

}  // namespace
}  // namespace carme::proxy
