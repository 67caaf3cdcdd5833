// What jobs used, from a real slurmdbd on MariaDB.
#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/history/accounting_match.h"
#include "backend/slurm/accounting/slurm_usage.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, got);
  }
  pclose(pipe);
  return std::string(absl::StripAsciiWhitespace(output));
}

// Once in a process, as the backend does.
void ReadSlurmConf() {
  static const bool read = [] {
    InitSlurm("/etc/slurm/slurm.conf");
    return true;
  }();
  REQUIRE(read);
}

SlurmJobId Submit(const std::string& options, const std::string& command) {
  const std::string id = OutputOf(
      absl::StrCat("runuser -u ada -- sbatch --parsable -D /tmp --mem=50 "
                   "-o /dev/null ",
                   options, " --wrap '", command, "'"));
  REQUIRE_FALSE(id.empty());
  return SlurmJobId(static_cast<uint32_t>(std::stoul(id)));
}

// Repeated until it holds: slurmctld updates slurmdbd after some seconds.
std::vector<AccountedRun> Await(
    SlurmUsage& accounting, const std::vector<SlurmJobId>& jobs,
    const std::function<bool(const std::vector<AccountedRun>&)>& holds) {
  std::vector<AccountedRun> runs;
  REQUIRE(testing::WaitFor([&] {
    const auto answer = accounting.LoadRuns(jobs);
    if (answer.ok()) runs = *answer;
    return answer.ok() && holds(runs);
  }));
  return runs;
}

bool AllOver(const std::vector<AccountedRun>& runs, size_t count) {
  if (runs.size() != count) return false;
  for (const AccountedRun& run : runs) {
    if (run.ended == absl::InfiniteFuture()) return false;
  }
  return true;
}

TEST_CASE("slurmdbd: returns the usage of Carme's jobs only", "[backend]") {
  ReadSlurmConf();
  SlurmdbdUsage accounting;
  REQUIRE(accounting.IsConfigured());
  // Nothing is asked about, though there may be jobs.
  CHECK(accounting.LoadRuns({}).value().empty());
  const absl::Time begun = absl::Now();
  const SlurmJobId typed =
      Submit("--comment=carme:j234567890123456 -A vision --gres=gpu:h200:2",
             "sleep 2");
  const SlurmJobId untyped = Submit("--gres=gpu:1 -w n2", "true");
  const SlurmJobId array = Submit("--array=0-2%1 --gres=gpu:1 -w n1", "true");

  const auto runs = Await(accounting, {typed, array},
                          [&](const auto& found) { return AllOver(found, 4); });
  HistoryEntry entry{.id = JobId("j234567890123456"),
                     .owner = "ada",
                     .owner_uid = Uid(20001),
                     .slurm_id = typed,
                     .created_at = begun,
                     .ended_at = absl::Now()};
  const auto known = Accounted(entry, runs);
  REQUIRE(known.has_value());
  CHECK(known->gpu_type == "h200");
  CHECK(known->account == "vision");
  CHECK(known->gpu_seconds >= 4);
  CHECK(known->gpu_seconds % 2 == 0);

  // The array's three tasks, by the array's id; its comment is not ours.
  entry.slurm_id = array;
  const auto tasks = Accounted(entry, runs);
  REQUIRE(tasks.has_value());
  CHECK(tasks->gpu_type == "h200");
  int of_array = 0;
  for (const AccountedRun& run : runs) {
    if (run.id == array) ++of_array;
    CHECK(run.id != untyped);
    CHECK(run.uid == Uid(20001));
  }
  CHECK(of_array == 3);
}

TEST_CASE("slurmdbd: is reported unavailable until it responds", "[backend]") {
  ReadSlurmConf();
  SlurmdbdUsage accounting;
  const SlurmJobId job = Submit("", "true");
  Await(accounting, {job}, [](const auto& found) { return !found.empty(); });
  OutputOf("$CARME_CLUSTER_SERVICE slurmdbd stop 2>&1");
  CHECK(absl::IsUnavailable(accounting.LoadRuns({job}).status()));
  OutputOf("$CARME_CLUSTER_SERVICE slurmdbd start 2>&1");
  Await(accounting, {job}, [](const auto& found) { return !found.empty(); });
}

}  // namespace
}  // namespace carme::backend
