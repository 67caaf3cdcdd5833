// Calls to two clusters behind one portal: alpha is the identity backend's.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "carme/v1/jobs.pb.h"
#include "frontend/gateway/json_codec.h"
#include "tests/frontend/portal_fixture.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;
using testing::kKnownAccessToken;
using testing::kKnownToken;
using testing::kStreamHeaders;
using testing::PortalFixture;
using testing::Request;
using testing::SessionHeader;

constexpr char kBeta[] = "Carme-Cluster: beta\r\n";
constexpr char kMine[] = R"({"jobId":"mine"})";

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A call of a logged-in page to beta.
HttpAnswer CallBeta(const PortalFixture& portal, const std::string& method,
                    const std::string& json) {
  return portal.Call(method, json, absl::StrCat(SessionHeader(), kBeta));
}

std::string OpenApp(const std::string& url) {
  return absl::StrCat(R"({"jobId":")", url, R"("})");
}

TEST_CASE("clusters: an unknown name reaches no backend", "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  for (const char* name : {"gamma", "Beta", "beta,alpha", "%"}) {
    CAPTURE(name);
    const HttpAnswer answer = portal.Call(
        "JobService/GetJob", kMine,
        absl::StrCat(SessionHeader(), "Carme-Cluster: ", name, "\r\n"));
    CHECK(answer.status == 400);
    CHECK(Has(answer.body, "expected one of: alpha, beta"));
  }
  CHECK(portal.backend().calls() == 0);
  CHECK(portal.beta().calls() == 0);
}

TEST_CASE("clusters: a further one receives no session and no token",
          "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  REQUIRE(CallBeta(portal, "JobService/GetJob", kMine).status == 200);
  auto metadata = portal.beta().metadata();
  CHECK(metadata.at("carme-assertion") == "beta-1");
  for (const auto& [name, value] : metadata) {
    CAPTURE(name);
    CHECK_FALSE(Has(value, kKnownToken));
  }
  REQUIRE(HttpClient(portal.port())
              .Ask(Request("POST", "/carme.v1.JobService/GetJob",
                           absl::StrCat("Content-Type: application/json\r\n"
                                        "Authorization: Bearer ",
                                        kKnownAccessToken, "\r\n", kBeta),
                           kMine))
              .status == 200);
  metadata = portal.beta().metadata();
  CHECK(metadata.at("carme-assertion") == "beta-2");
  for (const auto& [name, value] : metadata) {
    CAPTURE(name);
    CHECK_FALSE(Has(value, kKnownAccessToken));
  }
}

TEST_CASE("clusters: without a session a further one is not called",
          "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  const HttpAnswer answer =
      portal.Call("JobService/GetJob", kMine,
                  absl::StrCat(SessionHeader(std::string(43, 'x')), kBeta));
  CHECK(answer.status == 401);
  // The identity backend does not find the session.
  CHECK(Has(answer.Header("set-cookie"), "Max-Age=0"));
  CHECK(portal.Call("JobService/GetJob", kMine, kBeta).status == 401);
  CHECK(portal.beta().calls() == 0);
}

TEST_CASE("clusters: a further one cannot end the session", "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  portal.beta().RefuseAssertions(1000);
  const HttpAnswer answer = CallBeta(portal, "JobService/ListJobs", "{}");
  CHECK(answer.status == 503);
  CHECK(Has(answer.body, "cluster \\\"beta\\\" does not accept your log-in"));
  CHECK(answer.Header("set-cookie").empty());
  // A new assertion was refused, so that another one would be, too.
  CHECK(portal.beta().calls() == 1);
}

TEST_CASE("clusters: a further one cannot open an address outside its domain",
          "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  for (const char* url :
       {"https://carme.test/", "https://j.jobs.test/?ticket=1",
        "http://j.jobs-beta.test/", "javascript:alert(1)", ""}) {
    CAPTURE(url);
    const HttpAnswer answer =
        CallBeta(portal, "JobService/OpenApp", OpenApp(url));
    CHECK(answer.status == 500);
    CHECK(Has(answer.body, "is not in its domain \\\"jobs-beta.test\\\""));
    CHECK_FALSE(Has(answer.body, "ticket"));
  }
  const std::string own = "https://j.jobs-beta.test/.carme/open?ticket=1";
  CHECK(CallBeta(portal, "JobService/OpenApp", OpenApp(own)).status == 200);
  // The proxy of the identity backend's cluster is the portal's own.
  CHECK(portal
            .Call("JobService/OpenApp", OpenApp("https://j.jobs.test/"),
                  SessionHeader())
            .status == 200);
}

TEST_CASE("clusters: a job has the name of the cluster that was called",
          "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  CHECK(Has(CallBeta(portal, "JobService/GetJob", kMine).body,
            R"("cluster":"beta")"));
  CHECK(Has(portal.Call("JobService/GetJob", kMine, SessionHeader()).body,
            R"("cluster":"alpha")"));
  CHECK(Has(portal
                .Call("JobService/GetJob", kMine,
                      absl::StrCat(SessionHeader(), "Carme-Cluster: alpha\r\n"))
                .body,
            R"("cluster":"alpha")"));
  CHECK(portal.backend().metadata().at("carme-session") == kKnownToken);
}

TEST_CASE("clusters: sessions are the identity backend's, with any header",
          "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  CHECK(CallBeta(portal, "AuthService/GetSession", "{}").status == 200);
  const HttpAnswer login =
      portal.Call("AuthService/VerifyFactor", R"({"totp":"1"})", kBeta);
  CHECK(Has(login.Header("set-cookie"), kKnownToken));
  CHECK(portal.beta().calls() == 0);
}

TEST_CASE("clusters: an assertion serves until it expires", "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  for (int i = 0; i < 3; ++i) CallBeta(portal, "JobService/GetJob", kMine);
  CHECK(portal.backend().assertions() == 1);
  CHECK(portal.backend().calls() == 1);
  // Too short for a call to arrive in time.
  portal.beta().RefuseAssertions(1);
  portal.backend().SetAssertionLife(absl::Seconds(9));
  for (int i = 0; i < 3; ++i) {
    CHECK(CallBeta(portal, "JobService/GetJob", kMine).status == 200);
  }
  CHECK(portal.backend().assertions() == 4);
}

TEST_CASE("clusters: an assertion serves one address only", "[frontend]") {
  // Tokens can be bound to addresses, which the identity backend checks.
  PortalFixture portal({.two_clusters = true});
  for (const char* address : {"10.0.0.1", "10.0.0.2", "10.0.0.1"}) {
    const HttpAnswer answer =
        portal.Call("JobService/GetJob", kMine,
                    absl::StrCat(SessionHeader(), kBeta,
                                 "X-Forwarded-For: ", address, "\r\n"));
    CHECK(answer.status == 200);
    CHECK(portal.beta().metadata().at("carme-client-address") == address);
  }
  CHECK(portal.backend().assertions() == 2);
}

TEST_CASE("clusters: a refused assertion is replaced once", "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  CallBeta(portal, "JobService/GetJob", kMine);
  portal.beta().RefuseAssertions(1);
  CHECK(CallBeta(portal, "JobService/GetJob", kMine).status == 200);
  CHECK(portal.beta().metadata().at("carme-assertion") == "beta-2");
  // The confirmation of a second factor may be newer than the assertion.
  const HttpAnswer stale =
      CallBeta(portal, "JobService/GetJob", R"({"jobId":"stale"})");
  CHECK(Has(stale.body, "REAUTHENTICATION_REQUIRED"));
  CHECK(portal.backend().assertions() == 3);
}

TEST_CASE("clusters: a call that may end the session ends its assertions",
          "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  CallBeta(portal, "JobService/GetJob", kMine);
  CHECK(portal.Call("AuthService/Logout", "{}", SessionHeader()).status == 200);
  CallBeta(portal, "JobService/GetJob", kMine);
  CHECK(portal.backend().assertions() == 2);
}

TEST_CASE("clusters: one that is away does not affect the other",
          "[frontend]") {
  PortalFixture portal(
      {.timeout = absl::Milliseconds(100), .two_clusters = true});
  portal.beta().Stop();
  const HttpAnswer answer = CallBeta(portal, "JobService/GetJob", kMine);
  CHECK(answer.status == 503);
  CHECK(Has(answer.body, "cluster \\\"beta\\\" cannot be reached"));
  CHECK(portal.Call("JobService/GetJob", kMine, SessionHeader()).status == 200);
}

TEST_CASE("clusters: without the identity backend no call has a caller",
          "[frontend]") {
  PortalFixture portal(
      {.timeout = absl::Milliseconds(100), .two_clusters = true});
  portal.backend().Stop();
  const HttpAnswer answer = CallBeta(portal, "JobService/GetJob", kMine);
  CHECK(answer.status == 503);
  CHECK(Has(answer.body, "Carme's backend cannot be reached"));
  CHECK(answer.Header("set-cookie").empty());
  CHECK(portal.beta().calls() == 0);
}

TEST_CASE("clusters: a stream is of one cluster and survives no refusal",
          "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  HttpClient client(portal.port());
  client.Send(Request("POST", "/carme.v1.JobService/WatchJobs",
                      absl::StrCat(kStreamHeaders, SessionHeader(), kBeta),
                      std::string("\0\0\0\0\2{}", 7)));
  REQUIRE(client.ReadHead().status == 200);
  CHECK(Has(client.ReadChunk().value_or(""), R"("snapshot":true)"));
  CHECK(portal.backend().open_streams() == 0);
  portal.beta().Push("j-1");
  CHECK(Has(client.ReadChunk().value_or(""), R"("cluster":"beta")"));
  portal.beta().Push("fail");
  client.ReadChunk();
  // Not "unauthenticated", with which a page would go to the log-in.
  CHECK(Has(client.ReadChunk().value_or(""), R"("code":"unavailable")"));
}

// The ids of a response's jobs, and what follows them.
struct Listed {
  std::string ids, token, unreachable;
};

Listed ListAll(const PortalFixture& portal, int size,
               const std::string& token) {
  const HttpAnswer answer = portal.Call(
      "JobService/ListJobs",
      absl::StrCat("{\"pageSize\":", size, ",\"pageToken\":\"", token, "\"}"),
      SessionHeader());
  v1::ListJobsResponse response;
  REQUIRE(answer.status == 200);
  REQUIRE(ParseJson(answer.body, &response).ok());
  Listed listed{
      .ids = "",
      .token = response.next_page_token(),
      .unreachable = absl::StrJoin(response.unreachable_clusters(), ",")};
  for (const v1::Job& job : response.jobs()) {
    CHECK(job.cluster() == (job.id().starts_with("beta") ? "beta" : "alpha"));
    absl::StrAppend(&listed.ids, " ", job.id());
  }
  return listed;
}

TEST_CASE("clusters: a list of all refuses another list's token",
          "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  for (const char* token :
       {"1", "gamma=1", "alpha=1,alpha=2", ",", "alpha=1,"}) {
    CAPTURE(token);
    const HttpAnswer answer = portal.Call(
        "JobService/ListJobs",
        absl::StrCat(R"({"pageToken":")", token, R"("})"), SessionHeader());
    CHECK(answer.status == 400);
    CHECK(Has(answer.body, "CLUSTERS_PAGE_TOKEN_INVALID"));
  }
  CHECK(
      portal
          .Call("JobService/ListJobs", R"({"pageSize":1001})", SessionHeader())
          .status == 400);
  CHECK(portal.Call("JobService/ListJobs", "{}").status == 401);
}

TEST_CASE("clusters: without a name the jobs of all are listed", "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  const Listed all = ListAll(portal, 0, "");
  CHECK(all.ids == " -0 beta-0 -1 beta-1 -2 beta-2");
  CHECK(all.token.empty());
  CHECK(all.unreachable.empty());
  // With a name: of this cluster only.
  CHECK(Has(CallBeta(portal, "JobService/ListJobs", "{}").body, "j-1"));
}

TEST_CASE("clusters: pages of all have no more jobs than requested",
          "[frontend]") {
  PortalFixture portal({.two_clusters = true});
  Listed page = ListAll(portal, 4, "");
  CHECK(page.ids == " -0 beta-0 -1 beta-1");
  page = ListAll(portal, 4, page.token);
  CHECK(page.ids == " -2 beta-2");
  CHECK(page.token.empty());
  page = {};
  std::string ids;
  for (int i = 0; i < 7; ++i) {
    page = ListAll(portal, 1, page.token);
    ids += page.ids;
    if (page.token.empty()) break;
  }
  CHECK(ids.size() == std::string(" -0 -1 -2 beta-0 beta-1 beta-2").size());
  CHECK(page.token.empty());
}

TEST_CASE("clusters: a list of all names one that is away", "[frontend]") {
  PortalFixture portal(
      {.timeout = absl::Milliseconds(100), .two_clusters = true});
  portal.beta().Stop();
  const Listed all = ListAll(portal, 0, "");
  CHECK(all.ids == " -0 -1 -2");
  CHECK(all.unreachable == "beta");
  portal.beta().Start();
  portal.backend().Stop();
  const HttpAnswer answer =
      portal.Call("JobService/ListJobs", "{}", SessionHeader());
  CHECK(answer.status == 503);
}

TEST_CASE("clusters: a portal with one refuses the header", "[frontend]") {
  PortalFixture portal;
  const HttpAnswer answer = CallBeta(portal, "JobService/GetJob", kMine);
  CHECK(answer.status == 400);
  CHECK(Has(answer.body, "this portal has one cluster"));
  CHECK(portal.Call("JobService/GetJob", kMine, SessionHeader()).status == 200);
  CHECK(portal.backend().assertions() == 0);
}

}  // namespace
}  // namespace carme::frontend
