#include "tests/slurm-hooks/agent/slurm/slurm_fixture.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/file.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/support/status_matchers.h"

namespace carme::agent {
namespace {

constexpr char kPrograms[] = "/opt/carme/libexec/carme";
constexpr char kConfig[] = "/etc/carme/agent.toml";
constexpr char kLog[] = "/home/ada/agent.log";

// ctest reads 77 as a skip.
const bool installed = [] {
  if (access(kPrograms, X_OK) == 0) return true;
  std::fprintf(stderr, "skipped: %s is not there\n", kPrograms);
  std::_Exit(77);
}();

}  // namespace

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

std::string OnNode(const std::string& node, const std::string& command) {
  return Output(
      absl::StrCat("srun -Q -w ", node, " --overlap --chdir=/ ", command));
}

bool JobEnded(const std::string& job) {
  return WaitFor([&] { return Output("squeue -h -j " + job).empty(); });
}

AgentSlurmFixture::AgentSlurmFixture(const FakeAgentBackend& backend,
                                     std::vector<std::string> nodes)
    : nodes_(std::move(nodes)) {
  REQUIRE(installed);
  REQUIRE(chmod(dir_.path().c_str(), 0755) == 0);
  std::filesystem::copy_file(CARME_TEST_APP, app());
  REQUIRE_THAT(WriteFile(dir_.File("ca.pem"), backend.ca_pem(), 0644), IsOk());
  REQUIRE_THAT(
      WriteFile(
          dir_.File("agent.toml"),
          absl::StrCat("backend = \"head:", backend.port(), "\"\n",
                       "backend_name = \"carme-backend\"\n", "ca = \"",
                       dir_.File("ca.pem"), "\"\n",
                       "scratch_directory = ", "\"/run/carme/scratch\"\n"),
          0644),
      IsOk());
  REQUIRE_THAT(WriteFile(dir_.File("script"),
                         absl::StrCat("#!/bin/sh\nexec ", kPrograms,
                                      "/carme-agent --config ", kConfig, "\n"),
                         0755),
               IsOk());
  // As the impersonator does it for the job's log.
  mkdir("/home/ada/.carme", 0700);
  REQUIRE(chown("/home/ada/.carme", kAda, kAda) == 0);
  for (const std::string& node : nodes_) {
    OnNode(node, absl::StrCat("cp ", dir_.File("agent.toml"), " ", kConfig));
  }
}

AgentSlurmFixture::~AgentSlurmFixture() {
  for (const std::string& node : nodes_) RemoveNode(node);
}

void AgentSlurmFixture::RemoveNode(const std::string& node) {
  OnNode(node, absl::StrCat("rm -f ", kConfig));
}

std::string AgentSlurmFixture::Submit(const std::string& options) const {
  return Output(absl::StrCat("runuser -u ada -- sbatch --parsable ",
                             "--chdir=/home/ada -o ", kLog, " ", options, " ",
                             dir_.File("script")));
}

std::string AgentSlurmFixture::Log() {
  return ReadFile(kLog).value_or("no log");
}

}  // namespace carme::agent
