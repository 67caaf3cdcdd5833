// srun, sbatch and salloc with --environment, in a real Slurm that has the
// plugin. Nodes cannot make an environment yet, and say so.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <string>

namespace carme {
namespace {

constexpr char kPlugin[] = "/opt/carme/lib/carme/spank_carme_env.so";

// ctest reads 77 as a skip.
[[maybe_unused]] const bool installed = [] {
  if (access(kPlugin, R_OK) == 0) return true;
  std::fprintf(stderr, "skipped: %s is not there\n", kPlugin);
  std::_Exit(77);
}();

struct Ran {
  int code = -1;
  std::string text;
};

// As ada, in her home.
Ran AsAda(const std::string& script) {
  const std::string line =
      "runuser -u ada -- env -i HOME=/home/ada USER=ada "
      "PATH=/usr/bin:/bin sh -c 'cd /home/ada; " +
      script + "' 2>&1";
  FILE* const pipe = popen(line.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe)) {
    text.append(buffer, got);
  }
  return {WEXITSTATUS(pclose(pipe)), text};
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// No refusal may look like a broken node.
void CheckNodesStayUp() {
  CHECK_FALSE(Contains(AsAda("sinfo -h -N -o %T").text, "drain"));
}

void WriteJob(const std::string& text) {
  REQUIRE(AsAda("printf \"" + text + "\" > job.toml").code == 0);
}

const std::string kGood =
    "image = \\\"ubuntu\\\"\\nworkdir = "
    "\\\"/scratch/\\${USER}\\\"\\n";
const std::string kNoRuntime =
    "--environment: this node has no environment runtime";

TEST_CASE("srun --environment: an error is told before anything runs",
          "[edf]") {
  WriteJob("image = 1\\nmounts = [\\\"a\\\", 2]\\n");
  for (const std::string command :
       {"srun hostname", "sbatch --wrap=hostname", "salloc hostname"}) {
    INFO(command);
    const Ran ran = AsAda("CARME_ENVIRONMENT=./job.toml " + command);
    INFO(ran.text);
    CHECK(ran.code != 0);
    CHECK(Contains(ran.text,
                   "1. Error 004: /home/ada/job.toml:1: \"image\" is an "
                   "integer, 1: expected a string"));
    CHECK(Contains(ran.text, "2. Error 004: "));
    CHECK(Contains(ran.text, "--environment: \"./job.toml\" is refused"));
  }
  CHECK(AsAda("squeue -h").text.empty());
}

TEST_CASE("srun --environment: a task is refused, and the node stays up",
          "[edf]") {
  WriteJob(kGood);
  for (const char* choice :
       {"srun --environment=./job.toml", "srun --edf=./job.toml",
        "CARME_ENVIRONMENT=./job.toml srun",
        "srun --export=NONE --environment=./job.toml"}) {
    INFO(choice);
    const Ran ran = AsAda(std::string(choice) + " echo it-ran");
    INFO(ran.text);
    CHECK(ran.code != 0);
    CHECK(Contains(ran.text, kNoRuntime));
    CHECK_FALSE(Contains(ran.text, "it-ran"));
  }
  CheckNodesStayUp();
}

TEST_CASE("sbatch --environment: the script is refused, the node stays up",
          "[edf]") {
  WriteJob(kGood);
  REQUIRE(AsAda("printf \"#!/bin/sh\\n#SBATCH --environment=./job.toml\\n"
                "echo it-ran\\n\" > batch.sh")
              .code == 0);
  for (const std::string what :
       {"--environment=./job.toml --wrap=\"echo it-ran\"", "batch.sh"}) {
    INFO(what);
    const Ran ran = AsAda("sbatch -Q -W -o batch.log " + what +
                          "; echo code $?; cat batch.log");
    INFO(ran.text);
    CHECK(Contains(ran.text, kNoRuntime));
    CHECK_FALSE(Contains(ran.text, "code 0"));
    CHECK_FALSE(Contains(ran.text, "it-ran"));
  }
  CheckNodesStayUp();
}

TEST_CASE("salloc --environment: its steps have the environment", "[edf]") {
  WriteJob(kGood);
  const Ran ran = AsAda(
      "salloc -Q --environment=./job.toml sh -c \"printenv SLURM_EDF_EXPANDED; "
      "srun echo it-ran; srun --environment= echo outside\"");
  INFO(ran.text);
  CHECK(Contains(ran.text, "workdir = \"/scratch/ada\"\n"));
  CHECK(Contains(ran.text, kNoRuntime));
  CHECK_FALSE(Contains(ran.text, "it-ran"));
  CHECK(Contains(ran.text, "outside"));
}

TEST_CASE("srun: without an environment all is as before", "[edf]") {
  const Ran ran = AsAda("srun printenv SLURM_EDF_EXPANDED; srun echo it-ran");
  CHECK(Contains(ran.text, "it-ran\n"));
  CHECK_FALSE(Contains(ran.text, "image"));
  CHECK(Contains(AsAda("srun --help").text, "--environment=ENVIRONMENT"));
}

}  // namespace
}  // namespace carme
