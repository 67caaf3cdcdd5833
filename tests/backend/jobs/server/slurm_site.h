// What a test does to the Slurm of the private cluster, beside Carme, and how
// it is asked what it did.
#ifndef CARME_TESTS_BACKEND_JOBS_SERVER_SLURM_SITE_H_
#define CARME_TESTS_BACKEND_JOBS_SERVER_SLURM_SITE_H_

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/jobs/model/job.h"
#include "common/file.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::backend {

using impersonator::EndJobs;
using impersonator::OutputOf;
using testing::WaitFor;

inline constexpr char kSlurmConf[] = "/etc/slurm/slurm.conf";

inline std::string LineOf(const std::string& command) {
  return std::string(absl::StripAsciiWhitespace(
      OutputOf(absl::StrCat("( ", command, " ) 2>&1"))));
}

// Each is answered once slurmctld has done it.
inline void Scontrol(const std::string& words) {
  INFO("scontrol " << words);
  const std::string said = LineOf(absl::StrCat("scontrol ", words));
  INFO(said);
  REQUIRE_FALSE(absl::StrContains(said, "rror"));
}

inline std::string IdOf(const Job& job) {
  return absl::StrCat(job.slurm_id.value());
}

// "RUNNING", "NODE_FAIL"; empty: Slurm does not have it.
inline std::string StateOf(const Job& job) {
  return LineOf(
      absl::StrCat("squeue -h -t all -o %T -j ", IdOf(job), " 2> /dev/null"));
}

inline bool AwaitState(const Job& job, const std::string& state) {
  const bool is = WaitFor([&] { return StateOf(job) == state; });
  if (!is) UNSCOPED_INFO("in Slurm: " << StateOf(job));
  return is;
}

inline bool NodesAreIdle() {
  return LineOf("sinfo -h -p main -t idle -o %D") == "2";
}

// More lines of slurm.conf, for as long as a test needs them.
class MoreConf {
 public:
  // What slurmctld does not change while it runs is known after a restart.
  enum class How { kReconfigure, kRestart };
  MoreConf(const std::string& lines, How how)
      : before_(ReadFile(kSlurmConf).value()), how_(how) {
    Put(absl::StrCat(before_, lines, "\n"));
  }
  ~MoreConf() { Put(before_); }

 private:
  void Put(const std::string& text) {
    if (!WriteFile(kSlurmConf, text, 0644).ok()) std::abort();
    if (how_ == How::kRestart) {
      OutputOf("$CARME_CLUSTER_SERVICE slurmctld restart 2>&1");
    }
    // The nodes' daemons read it, too.
    WaitFor([] { return LineOf("scontrol reconfigure").empty(); });
    WaitFor([] { return !LineOf("sinfo -h -t idle,alloc,mix,down").empty(); });
  }
  const std::string before_;
  const How how_;
};

struct ImpersonatorSite {
  const EndJobs end;
  TempDir folder;
  ImpersonatorProcess impersonator;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_JOBS_SERVER_SLURM_SITE_H_
