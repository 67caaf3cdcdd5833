// The program gssr-record, with the test double of the driver.
#include <stdlib.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::gssr {
namespace {

class Recording {
 public:
  explicit Recording(const std::string& series = "") {
    if (!series.empty()) {
      REQUIRE_THAT(WriteFile(directory_.File("series"), series, 0600), IsOk());
      driver_ = absl::StrCat("LD_LIBRARY_PATH=" CARME_FAKE_DRIVER
                             " FAKE_NVML_SERIES=",
                             directory_.File("series"));
    }
  }
  // Returns the exit code of the program.
  int Run(const std::string& command, const std::string& variables = "",
          const std::string& options = "") {
    const int state = system(
        absl::StrCat("env -u SLURM_JOB_ID -u SLURM_STEP_GPUS ", driver_, " ",
                     variables, " ", CARME_GSSR_RECORD, " -o ",
                     directory_.File("out"), " ", options, " -- ", command,
                     " < /dev/null > ", directory_.File("stdout"), " 2> ",
                     directory_.File("stderr"))
            .c_str());
    return WEXITSTATUS(state);
  }
  // As gssr 0.3: `gssr profile`.
  int Profile(const std::string& options) {
    const int state = system(
        absl::StrCat("cd ", directory_.path(),
                     " && env -u SLURM_JOB_ID -u SLURM_STEP_GPUS " CARME_GSSR
                     " profile ",
                     options, " < /dev/null > stdout 2> stderr")
            .c_str());
    return WEXITSTATUS(state);
  }
  std::string Read(const std::string& name) const {
    const auto text = ReadFile(directory_.File(name));
    REQUIRE_THAT(text, IsOk());
    return *text;
  }
  bool Has(const std::string& name) const {
    return std::filesystem::exists(directory_.File(name));
  }

 private:
  TempDir directory_;
  std::string driver_;
};

constexpr char kFolder[] = "out/nocluster_0/step_0/";

std::string In(const char* name) { return absl::StrCat(kFolder, name); }

TEST_CASE("gssr-record: a wrong option is refused", "[gssr]") {
  Recording recording;
  CHECK(recording.Run("true", "", "--no-such-option") == 2);
  CHECK(absl::StrContains(recording.Read("stderr"), "--no-such-option"));
}

TEST_CASE("gssr-record: a command that does not exist ends with 127",
          "[gssr]") {
  Recording recording;
  CHECK(recording.Run("/no/such/command") == 127);
  CHECK(recording.Run("/etc/passwd") == 126);
}

TEST_CASE("gssr-record: without a driver the command runs, with a reason",
          "[gssr]") {
  Recording recording;
  CHECK(recording.Run("sh -c 'echo ran; exit 3'") == 3);
  CHECK(recording.Read("stdout") == "ran\n");
  CHECK(absl::StrContains(recording.Read("stderr"), "GPUs are not recorded"));
  CHECK(absl::StrContains(recording.Read(In("proc_0.meta.txt")),
                          "\"arguments\": [\"-c\", \"echo ran; exit 3\"]"));
  CHECK_FALSE(recording.Has(In("proc_0.csv")));
}

TEST_CASE("gssr-record: returns 128 and the signal of the command", "[gssr]") {
  Recording recording;
  CHECK(recording.Run("sh -c 'kill -9 $$'") == 128 + 9);
}

TEST_CASE("gssr-record: forwards a signal to the command", "[gssr]") {
  Recording recording;
  // $PPID of the command is gssr-record.
  CHECK(recording.Run("sh -c 'trap \"exit 42\" USR1; kill -USR1 $PPID; "
                      "while :; do sleep 0.05; done'") == 42);
}

TEST_CASE("gssr-record: records only the GPUs of the job", "[gssr]") {
  Recording recording("0 0 devices 2\n0 0 gpu_util 11\n0 1 gpu_util 22\n");
  CHECK(recording.Run("sleep 1.3", "SLURM_STEP_GPUS=1") == 0);
  const std::vector<std::string> lines =
      absl::StrSplit(recording.Read(In("proc_0.csv")), '\n', absl::SkipEmpty());
  REQUIRE(lines.size() == 3);  // a header, a record and the rest
  CHECK(absl::StartsWith(lines[0], "timestamp,gpuId,DCGM_FI_DEV_GPU_UTIL_min"));
  CHECK(absl::StartsWith(lines[1], "1,1,22,22,22,,,"));
  CHECK(absl::StartsWith(lines[2], "2,1,22,22,22,,,"));
  const std::string source = recording.Read(In("proc_0.source.json"));
  CHECK(absl::StrContains(source, "\"driver\": \"test double 1.0\""));
}

TEST_CASE("gssr-record: a second run in a step says where it records",
          "[gssr]") {
  Recording recording("0 0 gpu_util 11\n");
  CHECK(recording.Run("true", "", "--test-only") == 0);
  CHECK_FALSE(recording.Has(In("proc_0.meta.txt")));
  CHECK(recording.Run("sh -c 'sleep 0.3; exit 3'") == 3);
  const std::string first = recording.Read(In("proc_0.csv"));
  CHECK_FALSE(absl::StrContains(recording.Read("stderr"), "before"));
  CHECK(recording.Run("true") == 0);
  CHECK(absl::StrContains(recording.Read("stderr"),
                          "/out/run_2/nocluster_0/step_0"));
  CHECK(recording.Read(In("proc_0.csv")) == first);
  CHECK(absl::StrContains(
      recording.Read("out/run_2/nocluster_0/step_0/proc_0.meta.txt"),
      "\"executable\": \"true\""));
  CHECK(recording.Has("out/run_2/nocluster_0/step_0/proc_0.csv"));
}

TEST_CASE("gssr-record: keeps its records if it is killed", "[gssr]") {
  Recording recording("0 0 gpu_util 11\n");
  CHECK(recording.Run("sh -c 'sleep 1.3; kill -9 $PPID'") == 137);
  CHECK(absl::StrContains(recording.Read(In("proc_0.csv")), "\n1,0,11,11,11,"));
}

TEST_CASE("gssr-record: numbers out of range are refused", "[gssr]") {
  Recording recording;
  for (const char* const option : {"--sampling-time 19", "--sampling-time x",
                                   "--max-runtime -1", "--max-runtime nan"}) {
    INFO(option);
    CHECK(recording.Run("true", "", option) == 2);
    CHECK(absl::StrContains(recording.Read("stderr"), "expected a number"));
  }
}

TEST_CASE("gssr-record: ends a command at the end of its time", "[gssr]") {
  Recording recording;
  CHECK(recording.Run("sleep 60", "", "--max-runtime 0.3") == 128 + 15);
  CHECK(
      absl::StrContains(recording.Read("stderr"), "--max-runtime is reached"));
  // what does not end is killed
  CHECK(recording.Run("sh -c 'trap \"\" TERM; while :; do sleep 0.1; done'", "",
                      "--max-runtime 0.3") == 128 + 9);
  CHECK(recording.Run("sh -c 'exit 4'", "", "--max-runtime 60") == 4);
}

TEST_CASE("gssr: profile returns the exit code of the command", "[gssr]") {
  Recording recording;
  CHECK(recording.Profile("-w 'echo ran; exit 5' -l mine -o out") == 5);
  CHECK(recording.Read("stdout") == "ran\n");
  const std::string meta = recording.Read(In("proc_0.meta.txt"));
  CHECK(absl::StrContains(meta, "\"jobname\": \"mine\""));
  CHECK(
      absl::StrContains(meta, "\"arguments\": [\"-c\", \"echo ran; exit 5\"]"));
  CHECK(recording.Profile("-m 0.3 -w 'sleep 60' -o other") == 128 + 15);
}

TEST_CASE("gssr: profile replaces a recording only if told so", "[gssr]") {
  Recording recording;
  CHECK(recording.Profile("-w true") == 0);
  CHECK(recording.Has("profile_out_JobID_0/nocluster_0/step_0"));
  for (const char* const options : {"-w true", "-a -w true"}) {
    CHECK(recording.Profile(options) == 1);
    CHECK(absl::StrContains(recording.Read("stderr"), "-f replaces it"));
  }
  CHECK(recording.Profile("-f -w true") == 0);
  CHECK(recording.Profile("-w true -z") == 2);
}

}  // namespace
}  // namespace carme::gssr
