// Lines for the service log: of agents, and of hooks by carme-hook-report.
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "slurm-hooks/hook_report/report_spool.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/support/status_matchers.h"

namespace carme::agent {
namespace {

// Only root can write it and the directories above it.
class SpoolDirectory {
 public:
  SpoolDirectory() {
    REQUIRE(mkdtemp(path_.data()) != nullptr);
    REQUIRE(chmod(path_.c_str(), 0755) == 0);
  }
  ~SpoolDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string spool() const { return path_ + "/spool"; }
  int RunSender(const FakeAgentBackend& backend) const {
    const std::string ca = path_ + "/ca.pem", config = path_ + "/agent.toml";
    REQUIRE_THAT(WriteFile(ca, backend.ca_pem(), 0644), IsOk());
    REQUIRE_THAT(
        WriteFile(
            config,
            absl::StrCat("backend = \"127.0.0.1:", backend.port(),
                         "\"\nbackend_name = \"carme-backend\"\nca = \"", ca,
                         "\"\nreport_directory = \"", spool(), "\"\n"),
            0644),
        IsOk());
    const int state =
        system(absl::StrCat(CARME_HOOK_REPORT, " --config ", config).c_str());
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  }

 private:
  std::string path_ = "/run/carme-report-test-XXXXXX";
};

TEST_CASE("hook report: failures arrive once, signed by root", "[agent]") {
  FakeAgentBackend backend;
  const AgentProcess needs_cluster(backend);
  const SpoolDirectory directory;
  for (const char* hook : {"carme-prolog", "carme-epilog"}) {
    REQUIRE_THAT(hooks::WriteToSpool(directory.spool(),
                                     {.service = hook,
                                      .node = "n1",
                                      .slurm_job = 7,
                                      .text = "no space left on device"}),
                 IsOk());
  }
  CHECK(directory.RunSender(backend) == 0);
  REQUIRE(backend.log_reports().size() == 1);
  const carme::v1::ReportLogRequest report = backend.log_reports()[0];
  CHECK(backend.uids() == std::set<uint32_t>{0});
  CHECK(report.node() == "n1");
  CHECK(report.slurm_job_id() == 0);
  REQUIRE(report.lines_size() == 2);
  CHECK(report.lines(0).service() == "carme-prolog");
  CHECK(report.lines(1).service() == "carme-epilog");
  CHECK(report.lines(1).slurm_job_id() == 7);
  CHECK(report.lines(1).message() == "no space left on device");
  CHECK(hooks::ReadSpool(directory.spool())->empty());
  CHECK(directory.RunSender(backend) == 0);
  CHECK(backend.log_reports().size() == 1);
}

TEST_CASE("agent: its warnings reach the service log", "[agent]") {
  FakeAgentBackend backend;
  backend.RefuseNext({absl::UnavailableError("the database is locked")});
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  const auto arrived = [&] {
    const auto reports = backend.log_reports();
    return std::any_of(reports.begin(), reports.end(), [](const auto& report) {
      return report.slurm_job_id() == 7 && report.lines_size() > 0 &&
             report.lines(0).severity() == v1::LOG_SEVERITY_WARNING &&
             report.lines(0).message().find("the database is locked") !=
                 std::string::npos;
    });
  };
  CHECK(WaitFor(arrived));
  CHECK(backend.uids() == std::set<uint32_t>{kAda});
}

}  // namespace
}  // namespace carme::agent
