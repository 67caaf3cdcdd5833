// Server streams through the gateway.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "frontend/gateway/envelope.h"
#include "tests/frontend/portal_fixture.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using testing::kStreamHeaders;
using testing::PortalFixture;
using testing::Request;
using testing::SessionHeader;
using testing::WaitFor;

std::string WatchRequest(const std::string& headers = SessionHeader(),
                         const std::string& body = Envelope(kMessage, "{}")) {
  return Request("POST", "/carme.v1.JobService/WatchJobs",
                 kStreamHeaders + headers, body);
}

// A stream whose snapshot has been read.
std::unique_ptr<HttpClient> Watch(
    const PortalFixture& portal, const std::string& headers = SessionHeader()) {
  auto client = std::make_unique<HttpClient>(portal.port());
  client->Send(WatchRequest(headers));
  const HttpAnswer head = client->ReadHead();
  REQUIRE(head.status == 200);
  REQUIRE(head.Header("content-type") == "application/connect+json");
  REQUIRE(client->ReadChunk() == Envelope(kMessage, R"({"snapshot":true})"));
  return client;
}

// The error of a stream that ends at once, without its request id.
std::string ErrorOf(const PortalFixture& portal, const std::string& request) {
  const HttpAnswer answer = HttpClient(portal.port()).Ask(request);
  REQUIRE(answer.status == 200);
  REQUIRE(answer.body.size() > 5);
  REQUIRE(answer.body[0] == '\2');
  return answer.body.substr(5, answer.body.find(",\"requestId\"") - 5);
}

TEST_CASE("stream: refusals are in its last message", "[frontend]") {
  PortalFixture portal;
  CHECK(ErrorOf(portal, WatchRequest("")) ==
        R"({"error":{"code":"unauthenticated","message":"log in")");
  CHECK(ErrorOf(portal, WatchRequest(SessionHeader(), "{}")) ==
        R"({"error":{"code":"invalid_argument","message":)"
        R"("request of 2 bytes: expected one enveloped message")");
  CHECK(ErrorOf(portal, WatchRequest(SessionHeader(),
                                     Envelope(kMessage, R"({"a":1})"))) ==
        R"({"error":{"code":"invalid_argument","message":)"
        R"("request: a: Cannot find field")");
  portal.backend().Stop();
  CHECK(ErrorOf(portal, WatchRequest()) ==
        R"({"error":{"code":"unavailable","message":)"
        R"("Carme's backend cannot be reached; try again")");
}

TEST_CASE("stream: refuses a unary content type", "[frontend]") {
  PortalFixture portal;
  CHECK(portal.Call("JobService/WatchJobs", "{}").status == 415);
}

TEST_CASE("stream: each message arrives at once, and then the end",
          "[frontend]") {
  PortalFixture portal;
  const auto client = Watch(portal);
  portal.backend().Push("j-1");
  CHECK(client->ReadChunk() ==
        Envelope(kMessage, R"({"jobs":[{"id":"j-1"}]})"));
  portal.backend().Push("end");
  CHECK(client->ReadChunk() ==
        Envelope(kMessage, R"({"jobs":[{"id":"end"}]})"));
  CHECK(client->ReadChunk() == Envelope(kEndOfStream, "{}"));
  CHECK_FALSE(client->ReadChunk().has_value());
  CHECK(client->ReadsEnd());
}

TEST_CASE("stream: an error after messages is in its last message",
          "[frontend]") {
  PortalFixture portal;
  const auto client = Watch(portal);
  portal.backend().Push("fail");
  REQUIRE(client->ReadChunk().has_value());
  const std::string end = client->ReadChunk().value();
  CHECK(end[0] == '\2');
  CHECK(end.find(R"("code":"unauthenticated","message":"the session ended")") !=
        std::string::npos);
}

TEST_CASE("stream: ends when the backend stops", "[frontend]") {
  PortalFixture portal;
  const auto client = Watch(portal);
  portal.backend().Stop();
  const std::string end = client->ReadChunk().value();
  CHECK(end[0] == '\2');
  CHECK(end.find(R"("code":"unavailable")") != std::string::npos);
}

TEST_CASE("stream: a client that disconnects ends the backend's call",
          "[frontend]") {
  PortalFixture portal;
  const auto client = Watch(portal);
  REQUIRE(WaitFor([&] { return portal.backend().open_streams() == 1; }));
  client->Close();
  CHECK(WaitFor([&] { return portal.backend().open_streams() == 0; }));
  CHECK(WaitFor([&] { return portal.streams().count() == 0; }));
}

TEST_CASE("stream: limits the streams of a session", "[frontend]") {
  PortalFixture portal({.streams_per_session = 2});
  const auto first = Watch(portal);
  const auto second = Watch(portal);
  CHECK(ErrorOf(portal, WatchRequest()) ==
        R"({"error":{"code":"resource_exhausted","message":"too many open )"
        R"(pages for one session: allowed: 2; close another one")");
}

TEST_CASE("stream: other calls are served when all streams are in use",
          "[frontend]") {
  PortalFixture portal(
      {.connections = 64, .streams = 48, .streams_per_session = 48});
  std::vector<std::unique_ptr<HttpClient>> open;
  for (int i = 0; i < 48; ++i) open.push_back(Watch(portal));
  CHECK(ErrorOf(portal, WatchRequest()) ==
        R"({"error":{"code":"unavailable","message":"too many open pages; )"
        R"(try again later")");
  for (int i = 0; i < 20; ++i) {
    const absl::Time start = absl::Now();
    CHECK(portal.Call("JobService/ListJobs", "{}", SessionHeader()).status ==
          200);
    CHECK(absl::Now() - start < absl::Seconds(10));
  }
  portal.backend().Push("j-1");
  for (const auto& client : open) {
    CHECK(client->ReadChunk() ==
          Envelope(kMessage, R"({"jobs":[{"id":"j-1"}]})"));
  }
}

TEST_CASE("stream: a stopping portal ends it with an error", "[frontend]") {
  PortalFixture portal;
  const auto client = Watch(portal);
  std::thread stopping([&] { portal.server().Stop(); });
  const std::string end = client->ReadChunk().value_or("");
  stopping.join();
  REQUIRE_FALSE(end.empty());
  CHECK(end[0] == '\2');
  CHECK(end.find("the portal is restarting; try again") != std::string::npos);
}

}  // namespace
}  // namespace carme::frontend
