// The overlay of app pages: which documents get its script, and what the script
// can ask.
#include <catch2/catch.hpp>

#include "tests/proxy/fixtures/http2_client.h"
#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

const std::string kDocument = "<!doctype html><p>app</p>";
const std::string kElement =
    "<script src=\"/.carme/overlay.js\" async></script>\n";
// Of a document in a tab.
const std::string kTab =
    "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n"
    "Sec-Fetch-Dest: document\r\n";

TEST_CASE("overlay: documents of a tab get the script, however they are framed",
          "[proxy]") {
  ProxyFixture fixture;
  for (const char* path : {"/html", "/html-chunked", "/html-until-close"}) {
    INFO(path);
    const TestResponse page = fixture.Get(path, kTab);
    CHECK(page.status == 200);
    CHECK(page.body == kDocument + kElement);
  }
  CHECK(fixture.Get("/html", kTab).Value("Content-Length") ==
        std::to_string(kDocument.size() + kElement.size()));
}

TEST_CASE("overlay: the connection serves further requests", "[proxy]") {
  ProxyFixture fixture;
  auto client = fixture.Connect();
  for (const char* path : {"/html", "/html-chunked", "/html"}) {
    const TestResponse page =
        client->Ask(Request(std::string("GET ") + path, kJobHost,
                            kTab + "Cookie: " + fixture.cookie + "\r\n"));
    CHECK(page.body == kDocument + kElement);
  }
}

TEST_CASE("overlay: nothing else is changed", "[proxy]") {
  ProxyFixture fixture;
  for (const char* path : {"/html-gzip", "/html-download", "/html-sandbox"}) {
    INFO(path);
    CHECK(fixture.Get(path, kTab).body == kDocument);
  }
  CHECK(fixture.Get("/html-missing", kTab).body == "none");
  CHECK(fixture.Get("/chunked", kTab).body == "hello world");
  // As a frame, for a script, and of a program.
  for (const char* fields :
       {"Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\n"
        "Sec-Fetch-Dest: iframe\r\n",
        "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n"
        "Sec-Fetch-Dest: empty\r\n",
        ""}) {
    INFO(fields);
    CHECK(fixture.Get("/html", fields).body == kDocument);
  }
}

TEST_CASE("overlay: apps are asked for documents that are not compressed",
          "[proxy]") {
  ProxyFixture fixture;
  const std::string accepts = "Accept-Encoding: gzip, br\r\n";
  CHECK(fixture.Get("/echo", kTab + accepts).body.find("gzip, br") ==
        std::string::npos);
  CHECK(fixture.Get("/echo", accepts).body.find("gzip, br") !=
        std::string::npos);
}

TEST_CASE("overlay: HTTP/2 clients get it, too", "[proxy]") {
  ProxyFixture fixture;
  Http2Client client(fixture.port, fixture.ClientOptions(kJobHost), {});
  REQUIRE(client.connected());
  for (const char* path : {"/html", "/html-chunked", "/html-until-close"}) {
    INFO(path);
    const auto page = client.Ask({{":method", "GET"},
                                  {":scheme", "https"},
                                  {":authority", kJobHost},
                                  {":path", path},
                                  {"sec-fetch-site", "none"},
                                  {"sec-fetch-mode", "navigate"},
                                  {"sec-fetch-dest", "document"},
                                  {"cookie", fixture.cookie}});
    CHECK(page.status == 200);
    CHECK(page.body == kDocument + kElement);
  }
}

TEST_CASE("overlay: a site can turn it off", "[proxy]") {
  ProxyFixture fixture(
      [](proxy::ProxyConfig& config) { config.app_overlay = false; });
  CHECK(fixture.Get("/html", kTab).body == kDocument);
}

TEST_CASE("overlay: other sites cannot load its script", "[proxy]") {
  ProxyFixture fixture;
  const TestResponse own = fixture.Get("/.carme/overlay.js");
  CHECK(own.status == 200);
  CHECK(own.Value("Content-Type") == "text/javascript; charset=utf-8");
  CHECK(own.body.find("\"use strict\"") == 0);
  CHECK(fixture
            .Get("/.carme/overlay.js",
                 "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"
                 "Sec-Fetch-Dest: script\r\n")
            .status == 403);
}

TEST_CASE("overlay: the status has the end of the job and its page",
          "[proxy]") {
  ProxyFixture fixture;
  CHECK(fixture.Get("/.carme/status").body.find("ends_at") ==
        std::string::npos);
  v1::WatchRoutesResponse change;
  v1::JobStatus* status = change.add_statuses();
  status->set_job_id(kJob.value());
  status->set_state(v1::JOB_STATE_READY);
  status->mutable_ends_at()->set_seconds(1795345445);
  fixture.backend->Push(change);
  const auto has = [&](const std::string& text) {
    return fixture.Get("/.carme/status").body.find(text) != std::string::npos;
  };
  CHECK(ProxyFixture::WaitForLoops(
      [&] { return has("\"ends_at\":\"2026-11-22T11:04:05Z\""); }));
  CHECK(has("\"job\":\"https://portal.test/#/jobs/" + kJob.value() + "\""));
  // Without access nothing of the job is revealed.
  const TestResponse unknown =
      fixture.Connect()->Ask(Request("GET /.carme/status", kJobHost));
  CHECK(unknown.status == 401);
  CHECK(unknown.body.find("ends_at") == std::string::npos);
}

}  // namespace
}  // namespace carme::testing
