#include "slurm-hooks/srun/srun_options.h"

#include <catch2/catch.hpp>

#include "tests/support/status_matchers.h"

namespace carme::node {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("srun inside: refuses and names options beyond the job's nodes",
          "[nodes]") {
  for (const char* option : {"--jobid=5",
                             "--task-prolog=/tmp/x",
                             "--prolog=/tmp/x",
                             "--bcast",
                             "--multi-prog",
                             "--output=/etc/x",
                             "-o/etc/x",
                             "--export-file=/x",
                             "--clusters=other",
                             "-Mother",
                             "--partition=big",
                             "-pbig",
                             "--nodelist=/etc/passwd",
                             "-w/etc/passwd",
                             "--exclude=./x",
                             "--environment=x",
                             "--no-allocate",
                             "-Z",
                             "--job=5",
                             "--ntask=2"}) {
    INFO(option);
    const auto status = ReadSrunCall({option, "id"}).status();
    CHECK(absl::IsInvalidArgument(status));
    CHECK(status.message().find(std::string(option).substr(0, 2)) !=
          std::string::npos);
  }
}

TEST_CASE("srun inside: a refusal lists the options and the alternative",
          "[nodes]") {
  const auto refusal = [](const std::string& option) {
    return std::string(ReadSrunCall({option, "id"}).status().message());
  };
  CHECK_THAT(
      refusal("--environment=x"),
      Catch::StartsWith("option \"--environment=x\" is not available "
                        "inside a job\nfor a step in another environment "
                        "call srun --overlap --jobid=ID"));
  CHECK_THAT(refusal("--jobid=5"),
             Catch::Contains("\na step runs on the nodes of its own job\n"));
  CHECK_THAT(refusal("-pbig"),
             Catch::Contains("\"-p\"") && Catch::Contains("in the portal"));
  for (const char* option : {"--ntasks,", "--gres,", "--mpi,", "--pty,"}) {
    CHECK_THAT(refusal("--unheard-of"), Catch::Contains(option));
  }
  CHECK_THAT(refusal("--nodelist=./x"), Catch::Contains("not a file"));
}

TEST_CASE("srun inside: its help lists each option that is available",
          "[nodes]") {
  const std::string help = SrunHelp();
  CHECK_THAT(help, Catch::Contains("-n, --ntasks=VALUE") &&
                       Catch::Contains("--exclusive[=VALUE]") &&
                       Catch::Contains("-l, --label;") &&
                       Catch::Contains("sbatch"));
  CHECK_THAT(help, !Catch::Contains("--partition"));
}

TEST_CASE("srun inside: reports that --mpi was given", "[nodes]") {
  CHECK(ReadSrunCall({"--mpi=none", "id"})->chooses_mpi);
  CHECK_FALSE(ReadSrunCall({"-n", "2", "id"})->chooses_mpi);
}

TEST_CASE("srun inside: a call without a program is refused", "[nodes]") {
  for (const Words& words :
       {Words{}, Words{"-n", "2"}, Words{"--"}, Words{""}, Words{"-n"}}) {
    CHECK(absl::IsInvalidArgument(ReadSrunCall(words).status()));
  }
}

TEST_CASE("srun inside: options end where the program begins", "[nodes]") {
  const auto call = ReadSrunCall({"-n2", "-N", "2", "-lu", "--cpu-bind=none",
                                  "--gres", "gpu:1", "-K", "--chdir=/tmp",
                                  "prog", "-n", "--jobid=5", "--"});
  REQUIRE_THAT(call, IsOk());
  CHECK(call->options == Words{"--ntasks=2", "--nodes=2", "--label",
                               "--unbuffered", "--cpu-bind=none",
                               "--gres=gpu:1", "--kill-on-bad-exit"});
  CHECK(call->directory == "/tmp");
  CHECK(call->program == Words{"prog", "-n", "--jobid=5", "--"});
}

TEST_CASE("srun inside: a program behind two dashes may look like an option",
          "[nodes]") {
  const auto call = ReadSrunCall({"--", "-n"});
  REQUIRE_THAT(call, IsOk());
  CHECK(call->program == Words{"-n"});
}

}  // namespace
}  // namespace carme::node
