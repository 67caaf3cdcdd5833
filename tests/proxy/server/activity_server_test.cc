// The activity of jobs that the proxy reports to the backend.
#include <catch2/catch.hpp>
#include <optional>

#include "proxy/telemetry/activity_reporter.h"
#include "tests/proxy/fixtures/proxy_fixture.h"

namespace carme::testing {
namespace {

// A proxy with short report intervals.
class Reporting : public ProxyFixture {
 public:
  Reporting()
      : connection_(
            {"127.0.0.1:" + std::to_string(backend->port()), "carme-backend",
             directory.path() + "/ca.pem", directory.path() + "/proxy.pem",
             directory.path() + "/proxy.key", directory.path() + "/crl.pem"}),
        reporter_(&connection_, &server->activity(),
                  {.changes = absl::Milliseconds(300),
                   .all_open = absl::Seconds(2)}) {
    reporter_.Start();
  }

  // The newest report about the job.
  std::optional<v1::JobActivity> Last() const {
    std::optional<v1::JobActivity> last;
    for (const v1::ReportActivityRequest& report : backend->reports()) {
      for (const v1::JobActivity& row : report.jobs()) {
        CHECK(row.job_id() == kJob.value());
        last = row;
      }
    }
    return last;
  }
  bool WaitForRow(const std::function<bool(const v1::JobActivity&)>& is) {
    return WaitFor([&] {
      const auto last = Last();
      return last && is(*last);
    });
  }

 private:
  const proxy::BackendCallChannel connection_;
  proxy::ActivityReporter reporter_;
};

// A browser's frame, masked by zeros.
std::string Frame(int opcode, const std::string& payload) {
  std::string frame(1, static_cast<char>(0x80 | opcode));
  frame += static_cast<char>(0x80 | payload.size());
  return frame + std::string(4, '\0') + payload;
}

TEST_CASE("activity: polling and pings are counted", "[proxy]") {
  Reporting fixture;
  auto websocket = fixture.OpenWebsocket(fixture.cookie);
  for (int i = 0; i < 5; ++i) {
    CHECK(fixture.Get("/echo").status == 200);
    const std::string ping = Frame(9, "tick");
    websocket->Send(ping);
    CHECK(websocket->Read(ping.size()) == ping);
  }
  CHECK(fixture.WaitForRow([](const v1::JobActivity& row) {
    return row.connections() == 1 && row.received_bytes() == 50 &&
           row.sent_bytes() > 500;
  }));
  for (const auto& report : fixture.backend->reports()) {
    CHECK(report.instance() == fixture.backend->reports()[0].instance());
  }

  // Open connections without change are reported again.
  const size_t before = fixture.backend->reports().size();
  CHECK(WaitFor([&] { return fixture.backend->reports().size() > before; }));
  CHECK(fixture.Last()->connections() == 1);

  const std::string typed = Frame(1, R"(["stdin","ls"])");
  websocket->Send(typed);
  CHECK(websocket->Read(typed.size()) == typed);
  CHECK(fixture.WaitForRow([&](const v1::JobActivity& row) {
    return row.received_bytes() == 50 + typed.size();
  }));

  websocket.reset();
  CHECK(fixture.WaitForRow(
      [](const v1::JobActivity& row) { return row.connections() == 0; }));
}

TEST_CASE("activity: bodies of requests are counted", "[proxy]") {
  Reporting fixture;
  CHECK(fixture.Get("/echo").status == 200);
  CHECK(fixture.WaitForRow(
      [](const v1::JobActivity& row) { return row.sent_bytes() > 0; }));
  CHECK(fixture.Last()->received_bytes() == 0);
  auto client = fixture.Connect();
  CHECK(client
            ->Ask(Request(
                "PUT /echo", kJobHost,
                "Cookie: " + fixture.cookie + "\r\nContent-Length: 5\r\n",
                "saved"))
            .status == 200);
  CHECK(fixture.WaitForRow(
      [](const v1::JobActivity& row) { return row.received_bytes() == 5; }));
}

TEST_CASE("activity: reports are sent after the backend was unavailable",
          "[proxy]") {
  Reporting fixture;
  fixture.backend->RefuseReports(true);
  CHECK(fixture.Get("/echo").status == 200);
  absl::SleepFor(absl::Seconds(3));
  CHECK(fixture.backend->reports().empty());
  fixture.backend->RefuseReports(false);
  CHECK(fixture.WaitForRow([](const v1::JobActivity& row) {
    return row.sent_bytes() > 0 && row.connections() == 0;
  }));
}

TEST_CASE("activity: rejected requests do not count", "[proxy]") {
  Reporting fixture;
  auto client = fixture.Connect();
  CHECK(client
            ->Ask(Request("POST /echo", kJobHost, "Content-Length: 5\r\n",
                          "saved"))
            .status == 401);
  CHECK(fixture.Get("/.carme/status").status == 200);
  // By this time a report would have arrived.
  CHECK(fixture.Get("/echo").status == 200);
  CHECK(fixture.WaitForRow(
      [](const v1::JobActivity& row) { return row.sent_bytes() > 0; }));
  CHECK(fixture.Last()->received_bytes() == 0);
}

}  // namespace
}  // namespace carme::testing
