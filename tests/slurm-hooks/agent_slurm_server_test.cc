// The whole life of a job in real Slurm: Prolog, agent, Epilog. It needs the
// programs installed where the cluster's nodes see them.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/file.h"
#include "tests/slurm-hooks/agent_process.h"

namespace carme::agent {
namespace {

constexpr char kPrograms[] = "/opt/carme/libexec/carme";
constexpr char kConfig[] = "/etc/carme/agent.toml";

// ctest reads 77 as a skip.
const bool installed = [] {
  if (access(kPrograms, X_OK) == 0) return true;
  std::fprintf(stderr, "skipped: %s is not there\n", kPrograms);
  std::_Exit(77);
}();

std::string Output(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen((command + " 2>&1").c_str(), "r"), pclose);
  std::array<char, 4096> buffer;
  std::string text;
  while (const size_t got =
             std::fread(buffer.data(), 1, buffer.size(), pipe.get())) {
    text.append(buffer.data(), got);
  }
  return std::string(absl::StripSuffix(text, "\n"));
}

std::string OnNode(const std::string& command) {
  return Output("srun -Q -w n1 --overlap --chdir=/ " + command);
}

// The node n1 with its configuration, and a script as Carme's jobs have.
class Site {
 public:
  explicit Site(const TestBackend& backend) {
    REQUIRE(installed);
    REQUIRE(chmod(dir_.path().c_str(), 0755) == 0);
    std::filesystem::copy_file(CARME_TEST_APP, dir_.File("test_app"));
    REQUIRE(WriteFile(dir_.File("ca.pem"), backend.ca_pem(), 0644).ok());
    REQUIRE(WriteFile(dir_.File("agent.toml"),
                      absl::StrCat(
                          "backend = \"head:", backend.port(), "\"\n",
                          "backend_name = \"carme-backend\"\n", "ca = \"",
                          dir_.File("ca.pem"), "\"\n",
                          "scratch_directory = ", "\"/run/carme/scratch\"\n"),
                      0644)
                .ok());
    REQUIRE(WriteFile(dir_.File("script"),
                      absl::StrCat("#!/bin/sh\nexec ", kPrograms,
                                   "/carme-agent --config ", kConfig, "\n"),
                      0755)
                .ok());
    OnNode(absl::StrCat("cp ", dir_.File("agent.toml"), " ", kConfig));
  }
  ~Site() { OnNode(absl::StrCat("rm ", kConfig)); }
  Site(const Site&) = delete;
  std::string app() const { return dir_.File("test_app"); }
  // The id of the job.
  std::string Submit(const std::string& options) const {
    return Output(absl::StrCat("runuser -u ada -- sbatch --parsable -w n1 ",
                               "--chdir=/home/ada -o ", "/home/ada/agent.log ",
                               options, " ", dir_.File("script")));
  }

 private:
  TempDir dir_;
};

// squeue shows what is pending, running or completing.
bool Ended(const std::string& job) {
  return WaitFor([&] { return Output("squeue -h -j " + job).empty(); },
                 absl::Seconds(20));
}

TEST_CASE("agent in Slurm: from the Prolog to the Epilog", "[agent]") {
  TestBackend backend("carme-backend", "10.77.0.1", 9444);
  const Site site(backend);
  backend.SetCommand({site.app(), "{socket}", "{dir}/seen"});

  const std::string job = site.Submit("-C carme");
  INFO("job " << job);
  const bool ready = WaitFor(
      [&] {
        return backend.LastReport("jupyter").state() ==
               carme::v1::APP_STATE_READY;
      },
      absl::Seconds(20));
  INFO(ReadFile("/home/ada/agent.log").value_or("no log"));
  REQUIRE(ready);
  CHECK(backend.uids() == std::set<uint32_t>{kAda});
  CHECK(backend.agent_port() >= 34000);
  const std::string directory = "/run/carme/jobs/" + job;
  const std::string scratch = "/run/carme/scratch/" + job;
  CHECK(OnNode("stat -c '%U %a' " + directory) == "ada 700");
  CHECK(OnNode("stat -c '%U %a' " + scratch) == "ada 700");

  Output("runuser -u ada -- scancel " + job);
  CHECK(WaitFor([&] {
    return backend.LastReport("").state() == carme::v1::APP_STATE_ENDED;
  }));
  CHECK(Ended(job));
  CHECK(WaitFor(
      [&] { return OnNode("ls /run/carme/jobs | grep -c ''") == "0"; }));
  CHECK(OnNode("ls /run/carme/scratch | grep -c ''") == "0");
  CHECK(Output("sinfo -h -n n1 -o %T").find("drain") == std::string::npos);
}

TEST_CASE("agent in Slurm: a job without the feature gets nothing", "[agent]") {
  TestBackend backend("carme-backend", "10.77.0.1", 9444);
  const Site site(backend);
  const std::string job = site.Submit("");
  CHECK(Ended(job));
  CHECK(backend.registrations() == 0);
  CHECK(ReadFile("/home/ada/agent.log")
            .value_or("")
            .find("prolog must run on this node") != std::string::npos);
}

}  // namespace
}  // namespace carme::agent
