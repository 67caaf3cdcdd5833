// Several calls in one request.
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "frontend/gateway/envelope.h"
#include "tests/frontend/portal_fixture.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using testing::kCallHeaders;
using testing::kKnownAccessToken;
using testing::PortalFixture;
using testing::Request;
using testing::SessionHeader;
using testing::WaitFor;

struct Call {
  std::string method;
  std::string body = "{}";
};

std::string BatchOf(const std::vector<Call>& calls) {
  const std::string items =
      absl::StrJoin(calls, ",", [](std::string* out, const Call& call) {
        absl::StrAppend(
            out, R"({"method":"carme.v1.)", call.method, R"(","body":")",
            absl::StrReplaceAll(call.body, {{"\"", "\\\""}}), "\"}");
      });
  return absl::StrCat(R"({"calls":[)", items, "]}");
}

HttpAnswer Send(const PortalFixture& portal, const std::vector<Call>& calls,
                const std::string& headers = SessionHeader()) {
  return portal.Call("Batch", BatchOf(calls), headers);
}

// The messages of a batch without their request ids; "end" for the last one.
std::vector<std::string> MessagesOf(const std::string& body) {
  std::vector<std::string> messages;
  size_t at = 0;
  while (at + 5 <= body.size()) {
    size_t length = 0;
    for (size_t i = 1; i < 5; ++i) {
      length = length << 8 | static_cast<unsigned char>(body[at + i]);
    }
    std::string message = body.substr(at + 5, length);
    if (body[at] == kEndOfStream) {
      message = message == "{}" ? "end" : message;
    } else {
      const size_t id = message.find(",\"requestId\":\"");
      REQUIRE(id != std::string::npos);
      message.erase(id, std::string(",\"requestId\":\"\"").size() + 16);
    }
    messages.push_back(std::move(message));
    at += 5 + length;
  }
  REQUIRE(at == body.size());
  return messages;
}

bool Has(const std::vector<std::string>& messages, const std::string& part) {
  for (const std::string& message : messages) {
    if (message.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST_CASE("batch: is refused without a session, before the backend",
          "[frontend]") {
  PortalFixture portal;
  const std::vector<Call> calls = {{"AuthService/GetSession"},
                                   {"JobService/ListJobs"}};
  CHECK(Send(portal, calls, "").status == 401);
  CHECK(Send(portal, calls, "Cookie: __Host-carme=%00\r\n").status == 401);
  CHECK(Send(portal, calls,
             SessionHeader() + "Authorization: Bearer " + kKnownAccessToken +
                 "\r\n")
            .status == 400);
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("batch: is refused from another origin and as a form", "[frontend]") {
  PortalFixture portal;
  const std::string body = BatchOf({{"AuthService/GetSession"}});
  const auto status = [&](const std::string& headers) {
    return HttpClient(portal.port())
        .Ask(
            Request("POST", "/carme.v1.Batch", headers + SessionHeader(), body))
        .status;
  };
  CHECK(status("Content-Type: application/json\r\n") == 403);
  CHECK(status("Content-Type: application/json\r\n"
               "Origin: https://evil.test\r\n") == 403);
  CHECK(status("Content-Type: application/json\r\n"
               "Origin: https://carme.test\r\n"
               "Sec-Fetch-Site: same-site\r\n") == 403);
  CHECK(status("Content-Type: text/plain\r\n"
               "Origin: https://carme.test\r\n") == 415);
  CHECK(status("Content-Type: application/connect+json\r\n"
               "Origin: https://carme.test\r\n") == 415);
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("batch: is refused whole with a method that changes something",
          "[frontend]") {
  PortalFixture portal;
  for (const char* method :
       {"AuthService/Logout", "AuthService/VerifyFactor", "JobService/StopJob",
        "JobService/WatchJobs", "Batch"}) {
    INFO(method);
    const HttpAnswer answer =
        Send(portal, {{"AuthService/GetSession"}, {method}});
    CHECK(answer.status == 400);
    CHECK_THAT(answer.body, Catch::Contains("GATEWAY_BATCH_METHOD"));
    CHECK(answer.Header("set-cookie").empty());
  }
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("batch: an unknown session costs the backend one call",
          "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer = Send(portal,
                                 {{"MaintenanceService/GetMaintenance"},
                                  {"JobService/ListJobs"},
                                  {"AuthService/GetSession"},
                                  {"JobService/ListJobs"}},
                                 SessionHeader(std::string(43, 'x')));
  REQUIRE(answer.status == 200);
  const auto messages = MessagesOf(answer.body);
  REQUIRE(messages.size() == 5);
  for (int i = 0; i < 4; ++i) {
    CHECK(Has(messages, absl::StrCat("{\"index\":", i, ",\"status\":401,")));
  }
  CHECK(messages.back() == "end");
  CHECK(portal.backend().calls() == 1);
}

TEST_CASE("batch: a session has at most two at the same time", "[frontend]") {
  PortalFixture portal;
  const std::string slow =
      BatchOf({{"AuthService/GetSession"},
               {"JobService/GetJob", R"({"jobId":"slow"})"}});
  std::vector<std::unique_ptr<HttpClient>> clients;
  const auto begin = [&](const std::string& timeout_ms) {
    clients.push_back(std::make_unique<HttpClient>(portal.port()));
    clients.back()->Send(Request("POST", "/carme.v1.Batch",
                                 kCallHeaders + SessionHeader() +
                                     "Connect-Timeout-Ms: " + timeout_ms +
                                     "\r\n",
                                 slow));
    return clients.back()->ReadHead().status;
  };
  CHECK(begin("3000") == 200);
  CHECK(begin("3000") == 200);
  const HttpAnswer third = Send(portal, {{"AuthService/GetSession"}});
  CHECK(third.status == 429);
  CHECK_THAT(third.body, Catch::Contains("GATEWAY_TOO_MANY_BATCHES"));
  // A call that is not in a batch is not affected.
  CHECK(portal.Call("AuthService/GetSession", "{}", SessionHeader()).status ==
        200);
  clients.clear();
  CHECK(WaitFor([&] {
    return Send(portal, {{"AuthService/GetSession"}}).status == 200;
  }));
}

TEST_CASE("batch: each call has the response that it has alone", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer =
      Send(portal, {{"JobService/ListJobs"},
                    {"JobService/GetJob", R"({"jobId":"missing"})"},
                    {"JobService/GetJob", R"({"nosuchfield":1})"},
                    {"JobService/GetJob", "not JSON"},
                    {"JobService/GetJob", R"({"jobId":"mine"})"},
                    {"AuthService/GetSession"}});
  REQUIRE(answer.status == 200);
  CHECK(answer.Header("content-type") == "application/connect+json");
  CHECK(answer.Header("cache-control") == "no-store");
  CHECK(answer.Header("set-cookie").empty());
  const auto messages = MessagesOf(answer.body);
  REQUIRE(messages.size() == 7);
  CHECK(messages.back() == "end");
  CHECK(
      Has(messages, R"({"index":0,"status":200,"body":{"jobs":[{"id":"j-1")"));
  CHECK(Has(messages, R"({"index":1,"status":404,"body":{"code":"not_found")"));
  CHECK(Has(messages,
            R"({"index":2,"status":400,"body":{"code":"invalid_argument")"));
  CHECK(Has(messages,
            R"({"index":3,"status":400,"body":{"code":"invalid_argument")"));
  CHECK(Has(messages, R"({"index":4,"status":200,"body":{"job":{"id":"mine")"));
  CHECK(Has(messages, R"({"index":5,"status":200,"body":{"session":)"));
}

TEST_CASE("batch: each call has a request id of its own", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer =
      Send(portal, {{"AuthService/GetSession"}},
           SessionHeader() + "X-Request-Id: 0123456789abcdef\r\n");
  CHECK(answer.Header("x-request-id") == "0123456789abcdef");
  const std::string id = portal.backend().metadata()["carme-request-id"];
  CHECK(id.size() == 16);
  CHECK(id != "0123456789abcdef");
  CHECK_THAT(answer.body, Catch::Contains("\"requestId\":\"" + id + "\""));
}

TEST_CASE("batch: a slow call does not hold the others", "[frontend]") {
  PortalFixture portal;
  HttpClient client(portal.port());
  client.Send(
      Request("POST", "/carme.v1.Batch",
              kCallHeaders + SessionHeader() + "Connect-Timeout-Ms: 3000\r\n",
              BatchOf({{"AuthService/GetSession"},
                       {"JobService/GetJob", R"({"jobId":"slow"})"},
                       {"JobService/ListJobs"}})));
  REQUIRE(client.ReadHead().status == 200);
  std::vector<std::string> order;
  while (const std::optional<std::string> chunk = client.ReadChunk()) {
    for (std::string& message : MessagesOf(*chunk)) {
      order.push_back(std::move(message));
    }
  }
  REQUIRE(order.size() == 4);
  CHECK_THAT(order[0], Catch::StartsWith(R"({"index":0,"status":200)"));
  CHECK_THAT(order[1], Catch::StartsWith(R"({"index":2,"status":200)"));
  CHECK_THAT(order[2], Catch::StartsWith(R"({"index":1,"status":504)"));
  CHECK(order[3] == "end");
}

}  // namespace
}  // namespace carme::frontend
