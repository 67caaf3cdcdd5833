// carme-vet itself, on one node, as a user calls it.
#include <stdlib.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::vet {
namespace {

struct Ran {
  int code = -1;
  std::string out;
  std::string error;
};

class Directory {
 public:
  std::string File(const std::string& name) const { return dir_.File(name); }
  void Write(const std::string& text) {
    REQUIRE_THAT(WriteFile(File("v.yaml"), text, 0644), IsOk());
  }
  Ran Run(const std::string& arguments, const std::string& variables = "") {
    return RunProgram(CARME_VET, arguments, variables);
  }
  // By the link of that name.
  Ran RunVetnode(const std::string& arguments,
                 const std::string& variables = "") {
    std::error_code error;
    std::filesystem::create_symlink(CARME_VET, File("vetnode"), error);
    return RunProgram("./vetnode", arguments, variables);
  }

 private:
  Ran RunProgram(const std::string& program, const std::string& arguments,
                 const std::string& variables) {
    const std::string line = "cd " + dir_.path() + " && env -i PATH=$PATH " +
                             variables + " " + program + " " + arguments +
                             " >out 2>error";
    const int status = system(line.c_str());
    return {WEXITSTATUS(status), ReadFile(File("out")).value_or(""),
            ReadFile(File("error")).value_or("")};
  }

  TempDir dir_;
};

std::string Evals(const std::string& evaluations) {
  return "name: x\nevals:\n" + evaluations;
}

TEST_CASE("carme vet: wrong use and wrong files exit with 2", "[vet]") {
  Directory directory;
  for (const char* arguments :
       {"a b", "diagnose", "--bogus", "--require 1", "--spare 1 v.yaml",
        "--requeue v.yaml", "--timeout 0 v.yaml", "none.yaml",
        "--if-requested --prolog-job 7 v.yaml",
        "--if-requested --require 1 -- true",
        "--require 1 --config none.yaml -- true"}) {
    INFO(arguments);
    CHECK(directory.Run(arguments).code == 2);
  }
  directory.Write(Evals("- {name: a, type: bogus}\n"));
  const Ran ran = directory.Run("diagnose v.yaml");
  CHECK(ran.code == 2);
  CHECK(absl::StartsWith(ran.error,
                         "carme vet: v.yaml:3: unknown type \"bogus\""));
  CHECK(ran.out.empty());
  CHECK(directory.Run("--check-config v.yaml").code == 2);
}

TEST_CASE("carme vet: --require outside of a job is refused", "[vet]") {
  Directory directory;
  const Ran ran = directory.Run("--require 1 -- touch started");
  CHECK(ran.code == 2);
  CHECK(absl::StrContains(ran.error, "works in a job only"));
  CHECK_FALSE(std::filesystem::exists(directory.File("started")));
}

TEST_CASE("carme vet: a job with too few nodes exits with 4 at once", "[vet]") {
  Directory directory;
  const Ran ran = directory.Run("--require 3 -- touch started",
                                "SLURM_JOB_ID=1 SLURM_JOB_NODELIST='n[1-2]'");
  CHECK(ran.code == 4);
  CHECK(ran.error == "carme vet: the job has 2 nodes: expected at least 3\n");
}

TEST_CASE("carme vet: an evaluation that cannot run is a failure", "[vet]") {
  Directory directory;
  directory.Write(Evals("- {name: a, type: command, command: [/none]}\n"));
  const Ran ran = directory.Run("v.yaml");
  CHECK(ran.code == 1);
  CHECK(absl::StrContains(ran.out, "failed \"a\" (command): could not run: "));
  CHECK(absl::StrContains(ran.out, "\nCordon: "));
  directory.Write(
      Evals("- {name: a, type: command, command: [/none], optional: true}\n"));
  const Ran optional = directory.Run("v.yaml");
  CHECK(optional.code == 0);
  CHECK(absl::StrContains(optional.out, "skipped \"a\""));
  // what was measured and is bad stays bad
  directory.Write(
      Evals("- {name: a, type: cpu, count: 99999, optional: true}\n"));
  CHECK(directory.Run("v.yaml").code == 1);
}

TEST_CASE("carme vet: a hang is a failure, and leaves no process", "[vet]") {
  Directory directory;
  directory.Write(
      Evals("- name: a\n  type: command\n  timeout: 300 ms\n"
            "  command: '(sleep 4711.5; true) & sleep 4711.5; true'\n"));
  const absl::Time start = absl::Now();
  const Ran ran = directory.Run("v.yaml");
  CHECK(ran.code == 1);
  CHECK(absl::StrContains(ran.out, "timed out after 0.3 s"));
  CHECK(absl::Now() - start < absl::Seconds(60));
  CHECK(system("pgrep -f '^sleep 4711.5' > /dev/null") != 0);
}

TEST_CASE("carme vet: an evaluation that crashes is a failure", "[vet]") {
  Directory directory;
  directory.Write(
      Evals("- {name: gpu, type: gpu}\n- {name: b, type: memory}\n"));
  // a driver whose library cannot even be loaded without a crash
  REQUIRE_THAT(WriteFile(directory.File("crash.c"),
                         "__attribute__((constructor)) static void f(void) "
                         "{ *(volatile int*)0 = 1; }\n",
                         0644),
               IsOk());
  REQUIRE(system(("cc -shared -fPIC -o " + directory.File("libnvidia-ml.so.1") +
                  " " + directory.File("crash.c"))
                     .c_str()) == 0);
  const Ran ran = directory.Run("v.yaml", "LD_LIBRARY_PATH=.");
  CHECK(ran.code == 1);
  CHECK(absl::StrContains(ran.out, "the evaluation was ended by signal 11"));
}

TEST_CASE("carme vet: GPUs are skipped where there are none, unless required",
          "[vet]") {
  Directory directory;
  const std::string types[] = {"vetnode.evaluations.gpu_eval.GPUEval",
                               "vetnode.evaluations.cuda_eval.CUDAEval",
                               "vetnode.evaluations.nccl_lib_eval.NcclLibEval"};
  for (const std::string& type : types) {
    INFO(type);
    directory.Write(Evals("- {name: g, type: " + type + "}\n"));
    const Ran ran = directory.Run("diagnose v.yaml");
    CHECK(ran.code == 0);
    CHECK(absl::StrContains(ran.out, ": skipped \"g\""));
    directory.Write(Evals("- {name: g, type: " + type + ", required: true}\n"));
    CHECK(directory.Run("diagnose v.yaml").code == 1);
  }
}

TEST_CASE("carme vet: GPUs that are hot, lost or have errors are named",
          "[vet]") {
  Directory directory;
  directory.Write(
      Evals("- {name: g, type: gpu, max_temp: 80, max_used_memory: 0.2}\n"));
  // State of GPU 1, as the test double of NVML reads it.
  const auto run = [&](const std::string& state, int gpus = 2) {
    const std::string series = "0 0 devices " + std::to_string(gpus) +
                               "\n0 0 memory_total 1000\n0 0 memory_used 100\n"
                               "0 1 temperature 40\n" +
                               state;
    REQUIRE_THAT(WriteFile(directory.File("series"), series, 0600), IsOk());
    return directory.Run("v.yaml", "LD_LIBRARY_PATH=" CARME_FAKE_DRIVER
                                   " FAKE_NVML_SERIES=series");
  };
  CHECK(run("").code == 0);
  CHECK(absl::StrContains(run("0 1 temperature 95\n").out,
                          "GPU 1: the temperature in Celsius is 95: expected "
                          "at most 79"));
  CHECK(absl::StrContains(run("0 1 error 15\n").out,
                          "GPU 1 does not answer: GPU is lost"));
  CHECK(absl::StrContains(run("0 0 ecc_uncorrected 3\n").out,
                          "GPU 0: the number of uncorrected memory errors is "
                          "3: expected at most 0"));
  CHECK(run("", 0).code == 0);
  directory.Write(Evals("- {name: g, type: gpu, count: 4}\n"));
  CHECK(absl::StrContains(run("").out, "the number of GPUs is 2: expected 4"));
  directory.Write(Evals("- {name: g, type: gpu, max_used_memory: 0.05}\n"));
  CHECK(run("").code == 1);
}

TEST_CASE("carme vet: vetnode's setup and options are accepted", "[vet]") {
  Directory directory;
  directory.Write(
      Evals("- name: a\n  type: vetnode.evaluations.env_var_eval.EnvVarEval\n"
            "  expected: {PATH: null}\n  requirements: [numpy]\n"));
  const Ran setup = directory.Run("setup v.yaml");
  CHECK(setup.code == 0);
  CHECK(absl::StrContains(
      setup.error,
      "note: v.yaml is valid, 1 evaluations; there is nothing to install"));
  const Ran ran = directory.Run("diagnose v.yaml --skip-install --verbose");
  CHECK(ran.code == 0);
  CHECK(absl::StrContains(ran.out, ": passed \"a\" (env)\n"));
  CHECK(absl::StrContains(ran.out, "\nVetted: "));
  CHECK(absl::StrContains(ran.error,
                          "v.yaml:6: note: \"requirements\" is ignored"));
}

TEST_CASE("vetnode: refuses what is neither setup nor diagnose", "[vet]") {
  Directory directory;
  directory.Write(Evals("- {name: a, type: cpu}\n"));
  for (const char* arguments :
       {"", "v.yaml", "vet v.yaml", "setup", "diagnose", "setup none.yaml",
        "diagnose none.yaml", "diagnose v.yaml --bogus"}) {
    INFO(arguments);
    CHECK(directory.RunVetnode(arguments).code == 2);
  }
  CHECK(absl::StrContains(
      directory.RunVetnode("v.yaml").error,
      "expected vetnode setup CONFIG or vetnode diagnose CONFIG"));
}

TEST_CASE("vetnode: setup checks the configuration", "[vet]") {
  Directory directory;
  directory.Write(Evals("- {name: a, type: bogus}\n"));
  const Ran refused = directory.RunVetnode("setup v.yaml");
  CHECK(refused.code == 2);
  CHECK(absl::StrContains(refused.error, "v.yaml:3: unknown type \"bogus\""));
  directory.Write(Evals("- {name: a, type: cpu}\n"));
  CHECK(directory.RunVetnode("setup v.yaml").code == 0);
  // not in a step, whose variables are malformed here
  CHECK(directory.RunVetnode("setup v.yaml", "SLURM_JOB_ID=1 SLURM_PROCID=x")
            .code == 0);
}

// As in vetnode's README.
TEST_CASE("vetnode: a published script finds vetted and cordoned nodes",
          "[vet]") {
  Directory directory;
  for (const auto& [count, verdict] :
       {std::pair("1", "Vetted"), std::pair("99999", "Cordon")}) {
    directory.Write(Evals(std::string("- {name: a, type: cpu, min_count: ") +
                          count + "}\n"));
    const Ran ran = directory.RunVetnode("diagnose v.yaml");
    CHECK(ran.code == (std::string(verdict) == "Vetted" ? 0 : 1));
    REQUIRE_THAT(WriteFile(directory.File("results.txt"), ran.out, 0644),
                 IsOk());
    CHECK(
        system(("cd " + directory.File("") + " && test \"$(grep '^" + verdict +
                ":' results.txt | awk '{print $2}')\" = \"$(hostname)\"")
                   .c_str()) == 0);
  }
}

TEST_CASE("carme vet: JSON lines hold results and verdicts", "[vet]") {
  Directory directory;
  directory.Write(
      Evals("- {name: 'a\"b', type: env, expected: {NONE: null}}\n"));
  const Ran ran = directory.Run("--json v.yaml");
  CHECK(ran.code == 1);
  CHECK(absl::StrContains(ran.out,
                          "\"evaluation\":\"a\\\"b\",\"type\":\"env\","
                          "\"status\":\"failed\",\"reason\":\"variable NONE is "
                          "not set\""));
  CHECK(absl::StrContains(ran.out, "\"verdict\":\"cordon\"}\n"));
}

TEST_CASE("carme vet: a baseline is learned, then compared with", "[vet]") {
  Directory directory;
  directory.Write(
      Evals("- {name: c, type: compute, duration: 20 ms, baseline: b.yaml, "
            "min_ratio: 0.01}\n"));
  const Ran first = directory.Run("--learn b.yaml v.yaml");
  CHECK(first.code == 0);
  CHECK(absl::StrContains(first.out, "no baseline of node type"));
  CHECK(absl::StrContains(first.error, "has learned from 1 nodes"));
  const Ran second = directory.Run("v.yaml");
  CHECK(second.code == 0);
  CHECK_FALSE(absl::StrContains(second.out, "skipped"));
  directory.Write(
      Evals("- {name: c, type: compute, duration: 20 ms, baseline: b.yaml, "
            "min_ratio: 1000}\n"));
  const Ran slow = directory.Run("v.yaml");
  CHECK(slow.code == 1);
  CHECK(absl::StrContains(slow.out, "of the baseline of node type"));
}

}  // namespace
}  // namespace carme::vet
