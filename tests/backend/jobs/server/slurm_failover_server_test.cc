// slurmctld dies, and a second one takes over. A program of its own: libslurm
// reads once in a process which controllers there are.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "tests/backend/jobs/server/slurm_fixture.h"
#include "tests/backend/jobs/server/slurm_site.h"
#include "tests/support/signals.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

// A second slurmctld on this host, by the name that goes with its second
// address; it shares the state of the first one.
class BackupController {
 public:
  BackupController()
      : conf_(
            "SlurmctldHost=backup(10.77.0.3)\n"
            "CommunicationParameters=NoCtldInAddrAny\n"
            "SlurmctldTimeout=6",
            MoreConf::How::kRestart) {
    const std::string text =
        absl::StrCat(ReadFile(kSlurmConf).value(), "SlurmctldPidFile=", kPid,
                     "\nSlurmctldLogFile=", kLog, "\n");
    REQUIRE_THAT(WriteFile(kConf, text, 0644), IsOk());
    OutputOf(absl::StrCat("touch ", kLog, "; chown slurm ", kLog,
                          "; unshare --uts sh -c 'hostname backup && "
                          "exec slurmctld -f ",
                          kConf, "' > /dev/null 2>&1"));
    REQUIRE(WaitFor([] { return Ping() == "UP UP"; }));
  }
  ~BackupController() {
    testing::Signal(std::atoi(ReadFile(kPid).value_or("0").c_str()), SIGKILL);
    unlink(kConf);
  }
  // Of both, the first one first.
  static std::string Ping() {
    return LineOf(
        "scontrol ping | sed -n 's/.* is \\(UP\\|DOWN\\).*/\\1/p' | "
        "paste -sd' '");
  }
  static void KillTheFirst() {
    const pid_t pid =
        std::atoi(ReadFile("/run/slurm/slurmctld.pid").value_or("0").c_str());
    REQUIRE(testing::Signal(pid, SIGKILL));
  }
  static void StartTheFirst() {
    OutputOf("$CARME_CLUSTER_SERVICE slurmctld start 2>&1");
  }

 private:
  static constexpr char kConf[] = "/run/slurm/backup.conf";
  static constexpr char kPid[] = "/run/slurm/backup.pid";
  static constexpr char kLog[] = "/run/log/slurmctld-backup.log";
  const MoreConf conf_;
};

// slurmctld writes down what changed some seconds later; until then a job is
// Slurm's to lose.
void AwaitSaved(const Job& job) {
  const auto now = std::filesystem::file_time_type::clock::now();
  Scontrol(absl::StrCat("update timelimit=6 jobid=", IdOf(job)));
  REQUIRE(WaitFor([&] {
    return std::filesystem::last_write_time("/run/slurm/state/job_state") > now;
  }));
}

TEST_CASE("slurm failure: a second slurmctld takes over", "[backend]") {
  ImpersonatorSite site;
  const BackupController backup;
  SlurmFixture day(site.folder.path(), site.impersonator);
  const Job waits = day.Submit(SlurmFixture::Later());
  const Job runs = day.Submit(SlurmFixture::Small());
  REQUIRE(AwaitState(runs, "RUNNING"));
  REQUIRE(day.AfterNextPoll(runs.id).state == v1::JOB_STATE_STARTING);
  AwaitSaved(waits);

  BackupController::KillTheFirst();
  REQUIRE(WaitFor([&] {
    return BackupController::Ping() == "DOWN UP" &&
           StateOf(waits) == "PENDING" && day.IsReachable();
  }));
  // What was known stays known, and what changes there is seen.
  CHECK(day.AfterNextPoll(waits.id).state == v1::JOB_STATE_PENDING);
  CHECK(day.AfterNextPoll(runs.id).state == v1::JOB_STATE_STARTING);
  Scontrol(absl::StrCat("update timelimit=9 jobid=", IdOf(waits)));
  CHECK(day.AfterNextPoll(waits.id).spec.walltime == absl::Minutes(9));
  const Job more = day.Submit(SlurmFixture::Later());
  CHECK(StateOf(more) == "PENDING");
  CHECK(day.AfterNextPoll(more.id).slurm_id == more.slurm_id);

  BackupController::StartTheFirst();
  REQUIRE(WaitFor([&] {
    return BackupController::Ping() == "UP UP" && StateOf(waits) == "PENDING" &&
           day.IsReachable();
  }));
  OutputOf("scancel " + IdOf(waits) + " 2>&1");
  CHECK(day.AfterNextPoll(waits.id).end == v1::JOB_END_STOPPED);
  CHECK(day.AfterNextPoll(runs.id).state == v1::JOB_STATE_STARTING);
  CHECK(StateOf(more) == "PENDING");
  CHECK(day.AfterNextPoll(more.id).state == v1::JOB_STATE_PENDING);
}

}  // namespace
}  // namespace carme::backend
