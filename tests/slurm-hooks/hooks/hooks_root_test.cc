// The two programs as slurmd runs them: by environment, never with a failure.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "slurm-hooks/hook_report/report_spool.h"
#include "slurm-hooks/hooks/guarded_run.h"
#include "tests/slurm-hooks/hooks/root_dir.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::hooks {
namespace {

class Node {
 public:
  Node() { Configure(jobs()); }
  std::string jobs() const { return dir_.At("carme/jobs"); }
  std::string reports() const { return dir_.At("reports"); }
  std::string config() const { return dir_.At("agent.toml"); }
  void Configure(const std::string& runtime_directory,
                 const std::string& more = "scratch_directory = \"\"\n") {
    REQUIRE_THAT(
        WriteFile(
            config(),
            absl::StrCat("backend = \"head:9444\"\n",
                         "backend_name = \"b\"\nca = \"/ca.pem\"\n",
                         "runtime_directory = \"", runtime_directory,
                         "\"\nreport_directory = \"", reports(), "\"\n", more),
            0644),
        IsOk());
  }
  // Returns the exit code; the output is in <node>/said.
  int Run(const std::string& program, const std::string& variables) {
    const int state =
        system(absl::StrCat("env -i ", variables, " ", program, " --config ",
                            config(), " > ", dir_.At("said"), " 2>&1")
                   .c_str());
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  }
  std::string Said() const { return ReadFile(dir_.At("said")).value(); }
  bool HasJob() const { return Exists(jobs() + "/7"); }
  const RootDir& dir() const { return dir_; }

 private:
  RootDir dir_;
};

constexpr char kOurs[] =
    "SLURM_JOB_ID=7 SLURM_JOB_UID=47001 'SLURM_JOB_CONSTRAINTS=big&carme'";

TEST_CASE("prolog: leaves other people's jobs alone", "[slurm-hooks]") {
  Node node;
  CHECK(node.Run(CARME_PROLOG, "SLURM_JOB_ID=7 SLURM_JOB_UID=47001") == 0);
  CHECK(node.Run(CARME_PROLOG,
                 "SLURM_JOB_ID=7 SLURM_JOB_UID=47001 "
                 "SLURM_JOB_CONSTRAINTS=carmen") == 0);
  CHECK(node.Said().empty());
  CHECK_FALSE(Exists(node.jobs()));
}

TEST_CASE("prolog: logs errors and does not fail", "[slurm-hooks]") {
  Node node;
  CHECK(node.Run(CARME_PROLOG,
                 "SLURM_JOB_ID=7 SLURM_JOB_UID=0 "
                 "SLURM_JOB_CONSTRAINTS=carme") == 0);
  CHECK(node.Said().find("PERMISSION_DENIED") != std::string::npos);
  MakeDirectory(node.dir().At("users"), kUser, 0755);
  node.Configure(node.dir().At("users/jobs"));
  CHECK(node.Run(CARME_PROLOG, kOurs) == 0);
  CHECK(node.Said().find("FAILED_PRECONDITION") != std::string::npos);
  REQUIRE_THAT(WriteFile(node.config(), "nonsense", 0644), IsOk());
  CHECK(node.Run(CARME_PROLOG, kOurs) == 0);
  CHECK(node.Said().find("INVALID_ARGUMENT") != std::string::npos);
  CHECK(node.Run(CARME_EPILOG, kOurs) == 0);
}

TEST_CASE("prolog and epilog: make and remove", "[slurm-hooks]") {
  Node node;
  CHECK(node.Run(CARME_PROLOG, kOurs) == 0);
  INFO(node.Said());
  CHECK(node.Said().empty());
  REQUIRE(node.HasJob());
  AsUser(kUser, [&] {
    if (mkdir((node.jobs() + "/7/jupyter").c_str(), 0700) != 0) _exit(1);
    close(creat((node.jobs() + "/7/jupyter/file").c_str(), 0600));
  });
  AsUser(kOtherUser, [&] {
    if (chdir((node.jobs() + "/7").c_str()) == 0) _exit(1);
  });
  CHECK(node.Run(CARME_EPILOG, kOurs) == 0);
  CHECK(node.Said().empty());
  CHECK_FALSE(node.HasJob());
}

TEST_CASE("prolog and epilog: create and remove a scratch with a limit",
          "[slurm-hooks]") {
  Node node;
  const RootDir disk("/run/disk");
  node.Configure(node.jobs(),
                 absl::StrCat("scratch_directory = \"", disk.At("scratch"),
                              "\"\nscratch_limit_gib = 1\n"));
  CHECK(node.Run(CARME_PROLOG, kOurs) == 0);
  INFO(node.Said());
  CHECK(node.Said().empty());
  CHECK(Exists(disk.At("scratch/7.image")));
  AsUser(kUser, [&] {
    if (mkdir(disk.At("scratch/7/mine").c_str(), 0700) != 0) _exit(1);
  });
  CHECK(node.Run(CARME_EPILOG, kOurs) == 0);
  CHECK(node.Said().empty());
  CHECK_FALSE(Exists(disk.At("scratch/7")));
  CHECK_FALSE(Exists(disk.At("scratch/7.image")));
  // By a process that outlives the Epilog.
  CHECK(testing::WaitFor(
      [&] { return std::filesystem::is_empty(disk.At("scratch/trash")); }));
}

TEST_CASE("prolog: leaves the reason for the agent, and epilog removes it",
          "[slurm-hooks]") {
  Node node;
  node.Configure(
      node.jobs(),
      absl::StrCat("scratch_directory = \"", node.dir().At("scratch"),
                   "\"\nscratch_limit_gib = 1000000\n"));
  CHECK(node.Run(CARME_PROLOG, kOurs) == 0);
  CHECK(node.Said().find("RESOURCE_EXHAUSTED") != std::string::npos);
  const std::string reason = node.jobs() + "/7.failed";
  CHECK(ReadFile(reason).value_or("").find("no room for the job's scratch") !=
        std::string::npos);
  AsUser(kUser, [&] {
    if (access(reason.c_str(), R_OK) != 0) _exit(1);
    if (access(reason.c_str(), W_OK) == 0) _exit(1);
  });
  CHECK_FALSE(Exists(node.dir().At("scratch/7")));
  CHECK_FALSE(Exists(node.dir().At("scratch/7.image")));
  CHECK(node.Run(CARME_EPILOG, kOurs) == 0);
  CHECK_FALSE(Exists(reason));
}

TEST_CASE("prolog and epilog: a parallel file system that hangs costs no node",
          "[slurm-hooks]") {
  Node node;
  node.Configure(node.jobs(),
                 "scratch_directory = \"\"\n[job_storage]\n"
                 "start = [\"/bin/sleep\", \"600\"]\n"
                 "stop = [\"/bin/sleep\", \"600\"]\n"
                 "directory = \"/run/none\"\ntime_limit_s = 1\n");
  const std::string ours =
      std::string(kOurs) + " SLURM_NODELIST=n1 SLURMD_NODENAME=n1";
  CHECK(node.Run(CARME_PROLOG, ours) == 0);
  CHECK(ReadFile(node.jobs() + "/7.failed")
            .value_or("")
            .find("parallel file system does not start: \"/bin/sleep\" took "
                  "longer than allowed") != std::string::npos);
  CHECK(node.Run(CARME_EPILOG, ours) == 0);
  CHECK(node.Said().find("does not stop") != std::string::npos);
  CHECK_FALSE(node.HasJob());
  CHECK_FALSE(Exists(node.jobs() + "/7.failed"));
}

TEST_CASE("epilog: succeeds without a jobs directory", "[slurm-hooks]") {
  Node node;
  CHECK(node.Run(CARME_EPILOG, kOurs) == 0);
  CHECK(node.Said().empty());
}

TEST_CASE("hook report: a directory of a user is not used", "[slurm-hooks]") {
  Node node;
  node.Configure("/dev/null/jobs");
  REQUIRE(mkdir(node.reports().c_str(), 0755) == 0);
  REQUIRE(chown(node.reports().c_str(), 47001, 47001) == 0);
  CHECK(node.Run(CARME_PROLOG, kOurs) == 0);
  CHECK_FALSE(ReadSpool(node.reports()).ok());
}

TEST_CASE("hook report: a failure waits for the backend by node and job",
          "[slurm-hooks]") {
  Node node;
  node.Configure("/dev/null/jobs");
  CHECK(node.Run(CARME_PROLOG, std::string(kOurs) + " SLURMD_NODENAME=n1") ==
        0);
  const std::vector<SpooledFailure> waiting = ReadSpool(node.reports()).value();
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].failure.service == "carme-prolog");
  CHECK(waiting[0].failure.node == "n1");
  CHECK(waiting[0].failure.slurm_job == 7);
  CHECK(waiting[0].failure.text.find("/dev/null") != std::string::npos);
  REQUIRE_THAT(RemoveFromSpool(node.reports(), waiting[0].name), IsOk());
  CHECK(ReadSpool(node.reports())->empty());
}

TEST_CASE("prolog: vetting that cannot start fails no job", "[slurm-hooks]") {
  Node node;
  node.Configure(node.jobs(),
                 "scratch_directory = \"\"\n[vet]\nin_prolog = true\n");
  CHECK(node.Run(CARME_PROLOG, std::string(kOurs) + " SLURMD_NODENAME=n1") ==
        0);
  CHECK(node.HasJob());
  const std::vector<SpooledFailure> waiting = ReadSpool(node.reports()).value();
  REQUIRE(waiting.size() == 1);
  CHECK(waiting[0].failure.text.find("carme-vet") != std::string::npos);
}

TEST_CASE("hook report: a run of vetting that is too large is refused",
          "[slurm-hooks]") {
  const Node node;
  CHECK_THAT(
      WriteVetRunToSpool(node.reports(), std::string(kMaxVetRunBytes + 1, 'x')),
      StatusIs(absl::StatusCode::kInvalidArgument));
  CHECK(ReadVetRuns(node.reports())->empty());
}

TEST_CASE("hook report: runs of vetting wait beside failures, 64 at most",
          "[slurm-hooks]") {
  const Node node;
  const std::string bytes("\0any\nbytes", 10);
  for (int i = 0; i < 64; ++i) {
    REQUIRE_THAT(WriteVetRunToSpool(node.reports(), bytes), IsOk());
  }
  CHECK_THAT(WriteVetRunToSpool(node.reports(), bytes),
             StatusIs(absl::StatusCode::kResourceExhausted));
  REQUIRE_THAT(WriteToSpool(node.reports(), {.service = "carme-prolog",
                                             .node = "n1",
                                             .slurm_job = 7,
                                             .text = "no space"}),
               IsOk());
  const auto runs = ReadVetRuns(node.reports());
  REQUIRE_THAT(runs, IsOk());
  REQUIRE(runs->size() == 64);
  CHECK(runs->at(0).bytes == bytes);
  CHECK(ReadSpool(node.reports())->size() == 1);
  REQUIRE_THAT(RemoveFromSpool(node.reports(), runs->at(0).name), IsOk());
  CHECK(ReadVetRuns(node.reports())->size() == 63);
}

TEST_CASE("hook report: at most 64 failures wait, and no hook fails of them",
          "[slurm-hooks]") {
  Node node;
  for (int i = 0; i < 64; ++i) {
    REQUIRE_THAT(WriteToSpool(node.reports(),
                              {.service = "carme-prolog",
                               .node = "n1",
                               .slurm_job = 1,
                               .text = "a\nb\n" + std::string(5000, 'x')}),
                 IsOk());
  }
  node.Configure("/dev/null/jobs");
  CHECK(node.Run(CARME_PROLOG, kOurs) == 0);
  const std::vector<SpooledFailure> waiting = ReadSpool(node.reports()).value();
  REQUIRE(waiting.size() == 64);
  CHECK(waiting[0].failure.text.substr(0, 4) == "a?b?");
  CHECK(waiting[0].failure.text.size() == 1000);
}

TEST_CASE("guarded run: survives a crash and a hang", "[slurm-hooks]") {
  CHECK(RunGuarded("carme-test", testing::kWaitTimeout, [] {
          kill(getpid(), SIGKILL);
          return absl::OkStatus();
        }) == 0);
  const absl::Time start = absl::Now();
  CHECK(RunGuarded("carme-test", absl::Milliseconds(100), [] {
          pause();
          return absl::OkStatus();
        }) == 0);
  CHECK(absl::Now() - start < testing::kWaitTimeout / 2);
}

TEST_CASE("guarded run: survives a second hang", "[slurm-hooks]") {
  // The end of the first child is still to be heard of when the second begins.
  for (int i = 0; i < 2; ++i) {
    CHECK(RunGuarded("carme-test", absl::Milliseconds(100), [] {
            pause();
            return absl::OkStatus();
          }) == 0);
  }
}

}  // namespace
}  // namespace carme::hooks
