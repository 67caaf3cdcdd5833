// Error pages and JSON when an app cannot respond.
#include <catch2/catch.hpp>
#include <vector>

#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

bool Has(const TestResponse& response, const std::string& text) {
  return response.body.find(text) != std::string::npos;
}

void Tell(ProxyFixture& fixture, const v1::JobStatus& job_status) {
  v1::WatchRoutesResponse change;
  *change.add_statuses() = job_status;
  fixture.backend->Push(change);
}

v1::JobStatus JobStatus(v1::JobState state, const std::string& reason = "") {
  v1::JobStatus job_status;
  job_status.set_job_id(kJob.value());
  job_status.set_state(state);
  job_status.set_reason(reason);
  return job_status;
}

v1::JobStatus Running(v1::JobAppState state, const std::string& detail = "") {
  v1::JobStatus job_status = JobStatus(v1::JOB_STATE_READY);
  v1::JobApp* app = job_status.add_apps();
  app->set_app("jupyter");
  app->set_state(state);
  app->set_detail(detail);
  return job_status;
}

// As a page and as status, on all loops.
bool BothSay(ProxyFixture& fixture, const std::string& code) {
  return ProxyFixture::WaitForLoops([&] {
    return Has(fixture.Get("/.carme/status"), "\"code\":\"" + code + "\"");
  });
}

TestResponse Page(ProxyFixture& fixture, const std::string& path = "/lab") {
  return fixture.Get(path, "Accept: text/html\r\n");
}

TEST_CASE(
    "error page: without a cookie it does not reveal whether a job exists",
    "[proxy]") {
  ProxyFixture fixture;
  Tell(fixture, JobStatus(v1::JOB_STATE_ENDED, "a secret of the job"));
  CHECK(BothSay(fixture, "job-ended"));
  std::string there, nowhere;
  for (const std::string path : {"/", "/.carme/status"}) {
    for (const std::string fields : {"Accept: text/html\r\n", ""}) {
      const auto ask = [&](const std::string& host) {
        TestResponse got =
            fixture.Connect(host)->Ask(Request("GET " + path, host, fields));
        CHECK(got.status == 401);
        CHECK_FALSE(Has(got, "secret"));
        // Except for the request id.
        const std::string id = got.Value("X-Request-Id");
        REQUIRE_FALSE(id.empty());
        const size_t at = got.body.find(id);
        REQUIRE(at != std::string::npos);
        return got.body.erase(at, id.size());
      };
      CHECK(ask(kJobHost) == ask(kOtherJobHost));
    }
  }
}

TEST_CASE("error page: a pending job shows its reason and loads the app later",
          "[proxy]") {
  ProxyFixture fixture;
  fixture.RemoveRoute(kJob);
  v1::JobStatus waits =
      JobStatus(v1::JOB_STATE_PENDING, "other <b>jobs</b> are ahead");
  waits.mutable_expected_start()->set_seconds(1795345445);
  Tell(fixture, waits);
  CHECK(BothSay(fixture, "job-pending"));
  const TestResponse page = Page(fixture);
  CHECK(page.status == 503);
  CHECK(page.Value("Content-Type") == "text/html; charset=utf-8");
  CHECK(page.Value("Retry-After") == "2");
  CHECK(Has(page, "other &lt;b&gt;jobs&lt;/b&gt; are ahead"));
  CHECK(Has(page, "data-start=\"2026-11-22T11:04:05Z\""));
  CHECK(Has(page, "data-status=\"/.carme/status\""));
  const TestResponse program = fixture.Get("/api/kernels");
  CHECK(program.status == 503);
  CHECK(program.Value("Content-Type") == "application/problem+json");
  CHECK(Has(program, "\"code\":\"job-pending\""));
  CHECK(Has(program, "\"reason\":\"other \\u003cb>jobs\\u003c/b> are ahead\""));

  v1::WatchRoutesResponse runs;
  *runs.add_routes() = fixture.Snapshot().routes(0);
  *runs.add_statuses() = Running(v1::JOB_APP_STATE_READY);
  fixture.backend->Push(runs);
  CHECK(BothSay(fixture, "ready"));
  CHECK(Page(fixture, "/echo").status == 200);
}

TEST_CASE("error page: an ended job shows how it ended", "[proxy]") {
  ProxyFixture fixture;
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  v1::WatchRoutesResponse change;
  change.add_removed(kJob.value());
  *change.add_statuses() =
      JobStatus(v1::JOB_STATE_ENDED, "its walltime of 1 h was over");
  fixture.backend->Push(change);
  CHECK(websocket->EndsWithin(kSoon));
  CHECK(BothSay(fixture, "job-ended"));
  const TestResponse page = Page(fixture);
  CHECK(page.status == 404);
  CHECK(Has(page, "This job has ended"));
  CHECK(Has(page, "its walltime of 1 h was over"));
  CHECK_FALSE(Has(page, "<script"));
  CHECK(
      Has(fixture.Get("/api"), "\"reason\":\"its walltime of 1 h was over\""));
  // The backend no longer reports it.
  Tell(fixture, JobStatus(v1::JOB_STATE_UNSPECIFIED));
  CHECK(ProxyFixture::WaitForLoops([&] {
    const TestResponse brief = Page(fixture);
    return brief.status == 404 && !Has(brief, "walltime");
  }));
}

TEST_CASE("error page: a user who waits for a starting app gets a page",
          "[proxy]") {
  ProxyFixture fixture;
  Tell(fixture, Running(v1::JOB_APP_STATE_STARTING));
  CHECK(BothSay(fixture, "app-starting"));
  // The app accepts requests but does not respond yet.
  const TestResponse page = Page(fixture, "/held");
  CHECK(page.status == 503);
  CHECK(Has(page, "data-code=\"app-starting\""));
  // A program's request waits for its response.
  auto program = fixture.Connect();
  program->Send(
      Request("GET /held", kJobHost, "Cookie: " + fixture.cookie + "\r\n"));
  CHECK(WaitFor([&] { return fixture.app.holding() >= 1; }));
  fixture.app.Release();
  CHECK(program->ReadResponse().status == 200);
  Tell(fixture, Running(v1::JOB_APP_STATE_READY));
  CHECK(BothSay(fixture, "ready"));
}

TEST_CASE("error page: a slow response of a ready app is awaited", "[proxy]") {
  ProxyFixture fixture;
  Tell(fixture, Running(v1::JOB_APP_STATE_READY));
  CHECK(BothSay(fixture, "ready"));
  auto person = fixture.Connect();
  person->Send(
      Request("GET /held", kJobHost,
              "Accept: text/html\r\nCookie: " + fixture.cookie + "\r\n"));
  REQUIRE(WaitFor([&] { return fixture.app.holding() == 1; }));
  // Longer than the delay of the page.
  absl::SleepFor(absl::Seconds(3));
  CHECK_FALSE(person->Readable());
  fixture.app.Release();
  CHECK(person->ReadResponse().status == 200);
}

TEST_CASE("error page: a failed app shows the reason and is not polled",
          "[proxy]") {
  ProxyFixture fixture;
  Tell(fixture, Running(v1::JOB_APP_STATE_FAILED, "exit code 3: no such file"));
  CHECK(BothSay(fixture, "app-failed"));
  fixture.agent.HangUpNext(1);
  const TestResponse page = Page(fixture);
  CHECK(page.status == 503);
  CHECK(Has(page, "exit code 3: no such file"));
  CHECK_FALSE(Has(page, "<script"));
  CHECK_FALSE(Has(page, "refresh"));
  // The next try starts it again.
  CHECK(WaitFor([&] { return Page(fixture, "/echo").status == 200; }));
}

TEST_CASE("error page: ended sessions and expired grants differ", "[proxy]") {
  ProxyFixture fixture;
  // Long enough for this machine to open it.
  std::string brief;
  for (absl::Duration lives = absl::Seconds(2); brief.empty(); lives *= 2) {
    REQUIRE(lives < kWaitTimeout);
    const std::string set =
        fixture.Connect()
            ->Ask(Request("GET /.carme/open?ticket=" +
                              fixture.Ticket(kJob, "session-2", lives),
                          kJobHost))
            .Value("Set-Cookie");
    brief = set.substr(0, set.find(';'));
  }
  CHECK(ProxyFixture::WaitForLoops([&] {
    return Has(fixture.Connect()->Ask(
                   Request("GET /echo", kJobHost, "Cookie: " + brief + "\r\n")),
               "\"code\":\"access-expired\"");
  }));
  fixture.Revoke("session-1");
  CHECK(ProxyFixture::WaitForLoops(
      [&] { return Has(fixture.Get("/echo"), "\"code\":\"session-ended\""); }));
  const TestResponse page = Page(fixture);
  CHECK(page.status == 401);
  CHECK(Has(page, "https://portal.test/"));
  CHECK(fixture.Get("/.carme/status").status == 401);
}

TEST_CASE("error page: the status is served to GET of the app's own pages",
          "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  const std::string cookie = "Cookie: " + fixture.cookie + "\r\n";
  CHECK(client->Ask(Request("POST /.carme/status", kJobHost, cookie)).status ==
        404);
  CHECK(client
            ->Ask(Request("GET /.carme/status", kJobHost,
                          cookie + "Sec-Fetch-Site: same-site\r\n"
                                   "Sec-Fetch-Mode: cors\r\n"))
            .status == 403);
  CHECK(
      client->Ask(Request("GET /.carme/status?x=1", kJobHost, cookie)).status ==
      200);
  CHECK(client->Ask(Request("GET /.carme/status/", kJobHost, cookie)).status ==
        404);
}

TEST_CASE("proxy: retries an unreachable agent once", "[proxy]") {
  ProxyFixture fixture;
  fixture.agent.RefuseNext(1);
  CHECK(fixture.Get("/echo").status == 200);
  CHECK(fixture.agent.connections() == 2);
  // Nothing was sent, so unrepeatable requests are retried, too.
  auto client = fixture.Connect();
  fixture.agent.RefuseNext(1);
  CHECK(client
            ->Ask(Request("POST /echo", kJobHost,
                          "Cookie: " + fixture.OpenJob(kJobHost, "session-2") +
                              "\r\nContent-Length: 2\r\n",
                          "hi"))
            .status == 200);
  // Not more than once.
  const int before = fixture.agent.connections();
  fixture.agent.RefuseNext(100);
  const std::string third = fixture.OpenJob(kJobHost, "session-3");
  const TestResponse silent = fixture.Connect()->Ask(Request(
      "GET /echo", kJobHost, "Accept: text/html\r\nCookie: " + third + "\r\n"));
  CHECK(silent.status == 503);
  CHECK(Has(silent, "data-code=\"node-unreachable\""));
  CHECK(fixture.agent.connections() == before + 2);
}

TEST_CASE("proxy: does not retry after the agent closed behind the grant",
          "[proxy]") {
  ProxyFixture fixture;
  fixture.agent.HangUpNext(1);
  const TestResponse answer = fixture.Get("/echo");
  CHECK(answer.status == 503);
  CHECK(Has(answer, "\"code\":\"app-unreachable\""));
  CHECK(fixture.agent.connections() == 1);
}

}  // namespace
}  // namespace carme::testing
