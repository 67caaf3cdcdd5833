// Slurm's own limits, from a real slurmctld with slurmdbd: what is used of
// them, and the numbers behind a job that waits for one.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/jobs/diagnosis/pending_reason.h"
#include "backend/jobs/diagnosis/slurm_limits.h"
#include "backend/slurm/poll/slurm_scheduler.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

const Uid kAda{20001};

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, got);
  }
  pclose(pipe);
  return output;
}

// A bound of one GPU for the account "vision", and of two jobs for Ada in it.
struct Bounds {
  Bounds() {
    Set("account vision set GrpTRES=gres/gpu=1");
    Set("user ada where account=vision set MaxJobs=2");
    Set("qos short set MaxTRESPerUser=cpu=7");
  }
  ~Bounds() {
    OutputOf("scancel --user ada 2>&1");
    Set("account vision set GrpTRES=gres/gpu=-1");
    Set("user ada where account=vision set MaxJobs=-1");
    Set("qos short set MaxTRESPerUser=cpu=-1");
  }
  static void Set(const std::string& what) {
    OutputOf(absl::StrCat("sacctmgr -i modify ", what, " 2>&1"));
  }
};

void SubmitAsAda(const JobId& id) {
  const std::string said = OutputOf(absl::StrCat(
      "runuser -u ada -- sbatch --parsable -D /tmp -A vision --mem=100 "
      "--gres=gpu:1 -t 10 -o /dev/null --comment carme:",
      id.value(), " --wrap 'sleep 600'"));
  REQUIRE_FALSE(said.empty());
}

struct Watched {
  Watched() {
    SlurmConfig config;
    config.poll_interval = absl::Milliseconds(200);
    scheduler = SlurmScheduler::Create(config).value();
    scheduler->Start();
  }
  SlurmSnapshotPtr Await(
      const std::function<bool(const SlurmSnapshot&)>& holds) {
    SlurmSnapshotPtr snapshot;
    REQUIRE(testing::WaitFor([&] {
      snapshot = scheduler->Snapshot();
      return holds(*snapshot);
    }));
    return snapshot;
  }
  std::unique_ptr<SlurmScheduler> scheduler;
};

const SlurmJob* JobOf(const SlurmSnapshot& snapshot, const JobId& id) {
  for (const auto& [slurm_id, job] : snapshot.jobs) {
    if (job.carme_id == id) return &job;
  }
  return nullptr;
}

std::string SentenceOf(const SlurmSnapshot& snapshot, const JobId& id) {
  const SlurmJob* job = JobOf(snapshot, id);
  return job == nullptr ? "" : PendingReason(*job, {}, &snapshot).text;
}

std::vector<std::string> SentencesOf(const SlurmSnapshot& snapshot,
                                     const std::string& name, Uid uid) {
  std::vector<std::string> sentences;
  for (const OwnSlurmLimit& own : SlurmLimitsOf(snapshot, name, uid)) {
    sentences.push_back(own.sentence);
  }
  return sentences;
}

bool Has(const std::vector<std::string>& sentences, const std::string& one) {
  return std::find(sentences.begin(), sentences.end(), one) != sentences.end();
}

TEST_CASE("slurm limits: reads associations and QOS with their usage",
          "[slurm]") {
  const Bounds bounds;
  const JobId first = NewJobId(), second = NewJobId();
  SubmitAsAda(first);
  SubmitAsAda(second);
  Watched watched;
  JobId waiting;
  const SlurmSnapshotPtr snapshot =
      watched.Await([&](const SlurmSnapshot& seen) {
        for (const JobId& id : {first, second}) {
          if (!absl::StrContains(SentenceOf(seen, id),
                                 "1 of 1 GPUs are used in account vision")) {
            continue;
          }
          waiting = id;
          return true;
        }
        return false;
      });
  CHECK(absl::StrContains(JobOf(*snapshot, waiting)->reason, "AssocGrp"));
  const std::vector<std::string> adas = SentencesOf(*snapshot, "ada", kAda);
  for (const char* sentence :
       {"account vision: all together at most 1 GPUs at once",
        "ada in account vision: at most 2 jobs at once",
        "QOS short: each job at most 30 min",
        "QOS short: each user at most 7 CPUs at once"}) {
    INFO(sentence);
    CHECK(Has(adas, sentence));
  }
  // Carol is not in that account.
  CHECK_FALSE(Has(SentencesOf(*snapshot, "carol", Uid(20003)),
                  "account vision: all together at most 1 GPUs at once"));
  const std::vector<std::string> qos = {"normal", "short"};
  CHECK(QosOf(*snapshot, "ada") == qos);
  CHECK(QosOf(*snapshot, "nobody").empty());
  const SlurmAssociation* own = snapshot->accounting->FindOf("vision", kAda);
  REQUIRE(own != nullptr);
  CHECK(own->user == "ada");
  CHECK(own->shares == 1);
  CHECK(own->fair_share >= 0);
  CHECK(snapshot->accounting->Find("vision", "")->parent == "root");
}

}  // namespace
}  // namespace carme::backend
