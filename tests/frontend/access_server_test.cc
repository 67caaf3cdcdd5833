// Which requests reach the backend.
#include <google/protobuf/descriptor.h>

#include <catch2/catch.hpp>
#include <string>

#include "carme/v1/access.pb.h"
#include "frontend/gateway/portal_services.h"
#include "tests/frontend/portal_fixture.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using testing::kCallHeaders;
using testing::PortalFixture;
using testing::Request;
using testing::SessionHeader;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The body without the request id.
std::string WithoutId(const std::string& body) {
  return body.substr(0, body.find(",\"requestId\""));
}

TEST_CASE("gateway: an rpc that is not for browsers is not found",
          "[frontend]") {
  PortalFixture portal;
  const HttpAnswer absent =
      portal.Call("NoService/NoMethod", "{}", SessionHeader());
  CHECK(absent.status == 404);
  int hidden = 0;
  for (const auto* file : PortalServiceFiles()) {
    for (int i = 0; i < file->service_count(); ++i) {
      const auto* service = file->service(i);
      for (int j = 0; j < service->method_count(); ++j) {
        const auto* rpc = service->method(j);
        if (rpc->options().GetExtension(v1::access).browser()) continue;
        const HttpAnswer answer = portal.Call(
            service->name() + "/" + rpc->name(), "{}", SessionHeader());
        CAPTURE(rpc->full_name());
        CHECK(answer.status == 404);
        CHECK(WithoutId(answer.body) == WithoutId(absent.body));
        ++hidden;
      }
    }
  }
  CHECK(hidden >= 3);
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("gateway: a page of another origin is refused", "[frontend]") {
  PortalFixture portal;
  const auto status = [&](const std::string& headers) {
    return HttpClient(portal.port())
        .Ask(Request("POST", "/carme.v1.JobService/ListJobs",
                     headers + SessionHeader(), "{}"))
        .status;
  };
  const std::string json = "Content-Type: application/json\r\n";
  CHECK(status(json + "Origin: https://evil.test\r\n") == 403);
  CHECK(status(json + "Origin: https://carme%2Etest\r\n") == 403);
  CHECK(status(json + "Origin: null\r\n") == 403);
  CHECK(status(json + "Sec-Fetch-Site: same-origin\r\n") == 403);
  CHECK(status(json + "Origin: https://carme.test\r\n"
                      "Sec-Fetch-Site: same-site\r\n") == 403);
  CHECK(status("Origin: https://carme.test\r\nContent-Type: text/plain\r\n") ==
        415);
  CHECK(status(json) == 403);  // a cookie without Origin
  CHECK(portal.backend().calls() == 0);
  CHECK(status(json + "Origin: https://carme.test\r\n") == 200);
}

TEST_CASE("gateway: another host is refused", "[frontend]") {
  PortalFixture portal;
  for (const char* path : {"/", "/carme.v1.JobService/ListJobs"}) {
    HttpClient client(portal.port());
    const HttpAnswer answer = client.Ask(std::string("GET ") + path +
                                         " HTTP/1.1\r\nHost: evil.test\r\n" +
                                         testing::kProbeHeader + "\r\n");
    CHECK(answer.status == 421);
  }
}

TEST_CASE("gateway: an escaped cookie separator does not add a cookie",
          "[frontend]") {
  PortalFixture portal;
  const auto call = [&](const std::string& cookie) {
    return portal
        .Call("JobService/ListJobs", "{}", "Cookie: " + cookie + "\r\n")
        .status;
  };
  const std::string session =
      std::string("__Host-carme=") + testing::kKnownToken;
  CHECK(call("a=1%3B " + session) == 401);
  CHECK(call("a=1%u003B " + session) == 401);
  CHECK(call("a=1%253B " + session) == 401);
  CHECK(call("a=1; " + session) == 200);
}

TEST_CASE("gateway: a request whose values may have been decoded is refused",
          "[frontend]") {
  PortalFixture portal;
  const std::string head = "GET / HTTP/1.1\r\nHost: carme.test\r\n";
  const HttpAnswer direct = HttpClient(portal.port()).Ask(head + "\r\n");
  CHECK(direct.status == 400);
  CHECK(Has(direct.body, "expected a request from carme-proxy"));
  CHECK(HttpClient(portal.port())
            .Ask(head + "X-Carme-Escape-Probe: 25\r\n\r\n")
            .status == 400);
}

TEST_CASE("gateway: no client header becomes metadata", "[frontend]") {
  PortalFixture portal;
  const std::string smuggled =
      "carme-session: stolen\r\nCarme-Client-Address: 10.9.9.9\r\n"
      "carme-request-id: forged-id\r\ncarme-user-agent: x\r\n"
      "grpc-metadata-carme-session: stolen\r\ncarme-session-bin: AAAA\r\n"
      "carme-token: stolen\r\nuser-agent: test/1\r\n"
      "x-forwarded-for: 192.0.2.7\r\nx-request-id: proxy-gave-this\r\n";
  const HttpAnswer answer = portal.Call("JobService/ListJobs", "{}", smuggled);
  CHECK(answer.status == 401);
  CHECK(answer.Header("x-request-id") == "proxy-gave-this");
  auto metadata = portal.backend().metadata();
  CHECK(metadata["user-agent"].starts_with("grpc-c++"));
  metadata.erase("user-agent");
  const std::map<std::string, std::string> expected = {
      {"carme-client-address", "192.0.2.7"},
      {"carme-request-id", "proxy-gave-this"},
      {"carme-user-agent", "test/1"}};
  CHECK(metadata == expected);
}

TEST_CASE("gateway: forwards only the session of the cookie", "[frontend]") {
  PortalFixture portal;
  CHECK(portal
            .Call("JobService/ListJobs", "{}",
                  SessionHeader() + "carme-session: stolen\r\n")
            .status == 200);
  CHECK(portal.backend().metadata()["carme-session"] == testing::kKnownToken);
}

TEST_CASE("gateway: refuses ambiguous requests", "[frontend]") {
  PortalFixture portal;
  const auto answer = [&](const std::string& json,
                          const std::string& headers = "") {
    return portal.Call("JobService/GetJob", json, headers);
  };
  CHECK(answer("{\"jobid\":\"a\"}").status == 400);
  CHECK(Has(answer("{\"jobid\":\"a\"}").body,
            R"("code":"invalid_argument","message":"request: jobid: Cannot)"));
  CHECK(answer("").status == 400);
  CHECK(answer("{}", "Connect-Timeout-Ms: soon\r\n").status == 400);
  CHECK(answer("{}", "Connect-Protocol-Version: 2\r\n").status == 400);
  CHECK(answer("{}", "Content-Encoding: gzip\r\n").status == 501);
  CHECK(answer("{}", "X-Forwarded-For: 10.0.0.1, 10.0.0.2\r\n").status == 400);
  CHECK(answer("{\"jobId\":\"" + std::string(65536, 'a') + "\"}").status ==
        413);
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("portal: every response has the security headers", "[frontend]") {
  PortalFixture portal;
  const std::string requests[] = {
      Request("GET", "/"),
      Request("GET", "/assets/main-1.js"),
      Request("GET", "/nothing"),
      Request("GET", "/nothing", "Accept: text/html\r\n"),
      Request("GET", "/carme.v1.JobService/ListJobs"),
      Request("DELETE", "/"),
      Request("OPTIONS", "/carme.v1.JobService/ListJobs"),
      Request("POST", "/carme.v1.AuthService/Login", kCallHeaders, "{}"),
      Request("POST", "/carme.v1.JobService/GetJob", kCallHeaders, "{}"),
      Request("POST", "/carme.v1.JobService/WatchJobs", testing::kStreamHeaders,
              ""),
      "GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
      "nonsense\r\n\r\n",
  };
  for (const std::string& request : requests) {
    CAPTURE(request.substr(0, 60));
    const HttpAnswer answer = HttpClient(portal.port()).Ask(request);
    REQUIRE(answer.status != 0);
    CHECK(answer.Header("content-security-policy") ==
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src "
          "'self' data:; connect-src 'self'; manifest-src 'self'; "
          "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
          "require-trusted-types-for 'script'; trusted-types 'none'");
    CHECK(answer.Header("strict-transport-security") == "max-age=63072000");
    CHECK(answer.Header("x-content-type-options") == "nosniff");
    CHECK(answer.Header("referrer-policy") == "no-referrer");
    CHECK(answer.Header("cross-origin-opener-policy") == "same-origin");
    CHECK(answer.Header("cross-origin-resource-policy") == "same-origin");
    CHECK_FALSE(answer.Header("permissions-policy").empty());
    CHECK(answer.Header("x-request-id").size() >= 8);
    CHECK_FALSE(answer.Header("date").empty());
    CHECK_FALSE(answer.Header("cache-control").empty());
    CHECK(answer.Header("access-control-allow-origin").empty());
  }
}

TEST_CASE("portal: reports its health to this machine only", "[frontend]") {
  PortalFixture portal;
  const std::string local = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  CHECK(HttpClient(portal.port()).Ask(local + "\r\n").body == "ok\n");
  CHECK(HttpClient(portal.port())
            .Ask(Request("GET", "/healthz", "X-Forwarded-For: 10.0.0.1\r\n"))
            .status == 404);
}

}  // namespace
}  // namespace carme::frontend
