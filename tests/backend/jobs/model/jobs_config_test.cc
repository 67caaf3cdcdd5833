#include "backend/jobs/model/jobs_config.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr char kPortal[] =
    "[portal]\nurl = \"https://carme.example:8443\"\n"
    "jobs_domain = \"jobs.carme.example:8443\"\n";
constexpr char kApp[] =
    "[[apps]]\nid = \"jupyter\"\nname = \"Jupyter\"\n"
    "command = [\"jupyter\", \"--sock={socket}\"]\nready_path = \"/api\"\n";

absl::Status Read(const std::string& text, JobsConfig* config) {
  ConfigFile file = ConfigFile::Parse(text, "x").value();
  ReadJobsConfig(file.root(), config);
  return file.Finish();
}

TEST_CASE("jobs config: refuses invalid values", "[jobs]") {
  const struct {
    std::string text;
    const char* errors;
  } rows[] = {
      {"",
       "x:1: \"portal.jobs_domain\" is missing\n"
       "x:1: \"portal.url\" is missing"},
      {std::string(kPortal) + "[limits.user]\nmax_gpus_per_job = -1\n",
       "x:5: \"limits.user.max_gpus_per_job\": -1 is out of range: expected 0 "
       "to 1048576"},
      {std::string(kPortal) + "[limits.guest]\n",
       "x:4: unknown key \"limits.guest\""},
      {std::string(kPortal) + kApp + kApp,
       "x:10: \"apps.id\": another app has the same id"},
      {std::string(kPortal) +
           "[[apps]]\nid = \"A B\"\nname = \"n\"\ncommand = [\"x\"]\n"
           "ready_path = \"api\"\n",
       "x:5: \"apps.id\": expected 1 to 31 of a-z, 0-9 and \"-\", a letter "
       "first\n"
       "x:7: \"apps.command\": expected \"{socket}\" or \"{port}\" in one of "
       "its arguments\n"
       "x:8: \"apps.ready_path\": expected a path that begins with \"/\""},
      {std::string(kPortal) +
           "[[images]]\nid = \"base\"\npath = \"a:b\"\nsha256 = \"AB\"\n",
       "x:5: \"images.id\": expected name:version of letters, digits and "
       "\"._-+\"\n"
       "x:6: \"images.path\": expected an absolute path without \":\" and "
       "\",\"\n"
       "x:7: \"images.sha256\": expected 64 hexadecimal digits in lower case"},
      {std::string(kPortal) +
           "[[images]]\nid = \"base:1\"\npath = \"/base.sif\"\n"
           "status_file = \"base\"\n",
       "x:7: \"images.status_file\": expected an absolute path without \":\" "
       "and \",\""},
      {std::string(kPortal) +
           "[[images]]\nid = \"base:1\"\npath = \"/base.sif\"\n",
       "x:4: \"images.sha256\" is missing"},
      {"[portal]\nurl = \"http://a\"\njobs_domain = \"jobs.a/x\"\n",
       "x:2: \"portal.url\": expected https://host or https://host:port\n"
       "x:3: \"portal.jobs_domain\": expected host or host:port"},
      {"[portal]\nurl = \"https://carme.a\"\njobs_domain = \"a:8443\"\n",
       "x:3: \"portal.jobs_domain\": expected a domain that the portal is not "
       "in"},
      {"[portal]\nurl = \"https://carme.a\"\njobs_host = \"carme.a:8443\"\n",
       "x:3: \"portal.jobs_host\": expected a domain that the portal is not "
       "in"},
      {"[portal]\nurl = \"https://carme.a\"\njobs_host = \"a\"\n",
       "x:3: \"portal.jobs_host\": expected a domain that the portal is not "
       "in"},
      {"[portal]\nurl = \"https://carme.a\"\njobs_host = \"jobs.a/x\"\n",
       "x:3: \"portal.jobs_host\": expected host or host:port"},
      {std::string(kPortal) + "jobs_host = \"jobs.example\"\n",
       "x:4: \"portal.jobs_host\": cannot be combined with jobs_domain"},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    JobsConfig config;
    CHECK(Read(row.text, &config).message() == row.errors);
  }
}

TEST_CASE("jobs config: reads limits, apps and the portal", "[jobs]") {
  JobsConfig config;
  REQUIRE_THAT(Read(std::string(kPortal) + kApp +
                        "[limits.user]\nmax_gpus_per_job = 2\n"
                        "max_running_jobs = 3\nmax_walltime_min = 480\n",
                    &config),
               IsOk());
  CHECK(config.LimitsOf(Role::kUser).max_walltime == absl::Hours(8));
  CHECK(config.LimitsOf(Role::kAdmin).max_gpus_per_job == 0);
  CHECK(config.FindApp("jupyter")->ready_path == "/api");
  CHECK(config.FindApp("other") == nullptr);
  CHECK(config.jobs_domain == "jobs.carme.example:8443");
  CHECK_FALSE(config.by_path());
}

TEST_CASE("jobs config: jobs may be on one host, at paths", "[jobs]") {
  JobsConfig config;
  REQUIRE_THAT(Read("[portal]\nurl = \"https://carme.example\"\n"
                    "jobs_host = \"carme-jobs.example:8443\"\n",
                    &config),
               IsOk());
  CHECK(config.by_path());
}

}  // namespace
}  // namespace carme::backend
