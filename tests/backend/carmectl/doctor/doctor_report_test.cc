// The selection of checks, roles, and the formats of the report.
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/backend/carmectl/doctor/doctor_site.h"
#include "tests/support/status_matchers.h"

namespace carme::carmectl {
namespace {

using absl::StatusCode;

TEST_CASE("doctor: refuses the name of an unknown check", "[carmectl]") {
  DoctorSite site;
  const Host host(site.options, &site.resolver);
  CHECK_THAT(RunChecks(host, {.only = {"horoscope"}}),
             StatusIs(StatusCode::kInvalidArgument, "--list"));
  CHECK_THAT(RunChecks(host, {.skip = {"horoscope"}}),
             StatusIs(StatusCode::kInvalidArgument, "horoscope"));
}

TEST_CASE("doctor: refuses a host without configuration files", "[carmectl]") {
  DoctorSite site;
  site.options.config_directory = site.File("scratch");
  const Host host(site.options, &site.resolver);
  CHECK_THAT(RunChecks(host, {}), StatusIs(StatusCode::kNotFound, "scratch"));
}

TEST_CASE("doctor: starts a job only on request", "[carmectl]") {
  DoctorSite site;
  site.WriteTool("srun", ": > '" + site.File("started") + "'");
  site.Report({});
  CHECK(access(site.File("started").c_str(), F_OK) != 0);
  site.Report({.only = {"confinement-job"}});
  CHECK(access(site.File("started").c_str(), F_OK) == 0);
}

TEST_CASE("doctor: detects the roles of a host by its files", "[carmectl]") {
  DoctorSite site;
  CHECK(site.Report({.only = {"munge"}}).roles.size() == 8);
  for (const char* const file : {"backend", "impersonator", "storage-reader",
                                 "metrics", "agent", "environment"}) {
    site.Remove("etc/" + std::string(file) + ".toml");
  }
  const DoctorReport report = site.Report({});
  CHECK(report.roles == std::vector<std::string>{"proxy", "frontend"});
  for (const CheckResult& result : report.results) {
    CAPTURE(result.check);
    CHECK(result.check != "slurm");
    CHECK(result.check != "directory");
  }
}

TEST_CASE("doctor: a named role without its file is an error", "[carmectl]") {
  DoctorSite site;
  site.Remove("etc/agent.toml");
  site.options.roles = {HostRole::kNode};
  const DoctorReport report = site.Report({.only = {"configuration"}});
  REQUIRE(report.results.size() == 1);
  REQUIRE(report.results[0].findings.size() == 1);
  CHECK(report.results[0].findings[0].kind.id == "configuration-invalid");
}

TEST_CASE("doctor: a file that is not TOML does not stop other checks",
          "[carmectl]") {
  DoctorSite site;
  site.Write("etc/backend.toml", "[[[");
  CHECK(site.Report({}).results.size() > 15);
}

TEST_CASE("doctor: a tool that does not end is killed", "[carmectl]") {
  DoctorSite site;
  site.WriteTool("slow", "/bin/sleep 600");
  const ToolRunner tools({site.File("bin")});
  CHECK_THAT(tools.Run({.arguments = {"slow"}}, absl::Milliseconds(50)),
             StatusIs(StatusCode::kDeadlineExceeded, "slow"));
}

TEST_CASE("doctor: a tool gets its input and no foreign environment",
          "[carmectl]") {
  DoctorSite site;
  site.WriteTool("show", "/bin/cat; echo $HOME$ADDED");
  const ToolRunner tools({site.File("bin")});
  const auto result = tools.Run({.arguments = {"show"},
                                 .input = "typed ",
                                 .environment = {"ADDED=value"}});
  REQUIRE_THAT(result, IsOk());
  CHECK(result->output == "typed value\n");
}

TEST_CASE("doctor: the JSON report has findings with all fields",
          "[carmectl]") {
  DoctorSite site;
  site.WriteTool("munge", "printf 'a \"quoted\" error' >&2; exit 6");
  const std::string json =
      FormatReportJson(site.Report({.only = {"munge", "secrets"}}));
  CAPTURE(json);
  for (const char* const part :
       {"{\"version\":1,\"roles\":[\"proxy\",", "\"name\":\"secrets\"",
        "\"findings\":[]", "\"id\":\"munge-unavailable\"",
        "\"severity\":\"error\"", "a \\\"quoted\\\" error", "\"why\":\"",
        "\"remedy\":\"", "\"errors\":1,\"warnings\":0,\"notes\":0}"}) {
    CAPTURE(part);
    CHECK(json.find(part) != std::string::npos);
  }
}

TEST_CASE("doctor: the text report has no control characters of a tool",
          "[carmectl]") {
  DoctorSite site;
  site.WriteTool("munge", "printf '\\033[2J' >&2; exit 6");
  const std::string text = FormatReport(site.Report({.only = {"munge"}}));
  CHECK(text.find('\033') == std::string::npos);
  CHECK(text.find("error [munge] munge-unavailable") != std::string::npos);
  CHECK(text.find("1 errors, 0 warnings") != std::string::npos);
}

}  // namespace
}  // namespace carme::carmectl
