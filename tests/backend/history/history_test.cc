// The history of real jobs in a real table.
#include "backend/history/history.h"

#include <catch2/catch.hpp>
#include <set>

#include "backend/history/history_table.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

// slurmdbd as a test wants it.
class Ledger : public SlurmUsage {
 public:
  bool IsConfigured() const override { return there; }
  absl::StatusOr<std::vector<AccountedRun>> LoadRuns(
      const std::vector<SlurmJobId>& jobs) override {
    asked.push_back(jobs);
    if (!answer.ok()) return answer;
    return runs;
  }
  bool there = true;
  absl::Status answer;
  std::vector<AccountedRun> runs;
  std::vector<std::vector<SlurmJobId>> asked;
};

class Site : public JobFixture {
 public:
  Site() { Open(); }
  void Open(HistoryConfig config = {}) {
    history_ =
        std::make_unique<History>(History::Parts{.database = database_.get(),
                                                 .reading = database_.get(),
                                                 .clock = &clock_,
                                                 .active = &jobs_->active(),
                                                 .projects = projects_,
                                                 .accounting = &ledger_},
                                  config);
  }
  // One that ran for `minutes` and is in the table.
  Job Ran(const Session& who, int minutes, JobSpec spec = {}) {
    if (spec.gpus_per_node == 0) {
      spec.gpus_per_node = 1;
      spec.gpu_type = "a100";
    }
    const Job job = Submit(who, "", spec).value();
    slurm_.Run(job.slurm_id);
    slurm_.Poll();
    clock_.Advance(absl::Minutes(minutes));
    slurm_.End(job.slurm_id, SlurmState::kCompleted);
    slurm_.Poll();
    jobs_->active().FlushEnds(who.username);
    return job;
  }
  std::vector<std::string> Ids(const Session& who, HistoryFilter filter = {}) {
    const auto page = history_->Page(who, filter, 100, {});
    REQUIRE_THAT(page, IsOk());
    std::vector<std::string> ids;
    for (const auto& entry : page->entries) ids.push_back(entry.id.value());
    return ids;
  }
  AccountedRun RunOf(const Job& job) {
    return {.id = job.slurm_id,
            .uid = job.owner_uid,
            .comment = "carme:" + job.id.value(),
            .account = "site",
            .submitted = job.created_at,
            .ended = clock_.Now(),
            .elapsed = absl::Seconds(77),
            .cpus = 2,
            .gpus = 1,
            .gpu_types = {"a100"}};
  }
  HistoryEntry Entry(const Session& who) {
    return history_->Page(who, {}, 1, {}).value().entries.at(0);
  }
  UsageQuery All(UsageBy by) {
    return {.whose = v1::HISTORY_SCOPE_EVERYBODY,
            .project = "",
            .from = clock_.Now() - absl::Hours(24),
            .to = clock_.Now(),
            .by = by};
  }
  Ledger ledger_;
  std::unique_ptr<History> history_;
  const Session sam_ = SessionOf("sam", 20004, Role::kSupport);
};

TEST_CASE(
    "history: only support and administrators may see the jobs of all users",
    "[backend]") {
  Site site;
  site.Ran(site.bob_, 10);
  HistoryFilter all{.whose = v1::HISTORY_SCOPE_EVERYBODY};
  CHECK(absl::IsPermissionDenied(
      site.history_->Page(site.ada_, all, 10, {}).status()));
  const Session fay = SessionOf("fay", 20006, Role::kManager);
  CHECK(
      absl::IsPermissionDenied(site.history_->Page(fay, all, 10, {}).status()));
  CHECK(absl::IsPermissionDenied(
      site.history_->Usage(site.ada_, site.All(v1::USAGE_BY_USER)).status()));
  CHECK(site.Ids(site.sam_, all).size() == 1);
}

TEST_CASE("history: 'mine' never contains the job of another user",
          "[backend]") {
  Site site;
  const Job adas = site.Ran(site.ada_, 10);
  CHECK(site.Ids(site.bob_).empty());
  CHECK(site.Ids(site.bob_, {.username = "ada"}).empty());
  CHECK(site.Ids(site.bob_, {.search = adas.id.value()}).empty());
  // A name that was given to another uid, and a uid to another name.
  CHECK(site.Ids(SessionOf("ada", 20009)).empty());
  CHECK(site.Ids(SessionOf("eve", 20001)).empty());
  CHECK(site.Ids(site.ada_) == std::vector<std::string>{adas.id.value()});
}

TEST_CASE("history: owner and managers see that of their project",
          "[backend]") {
  Site site;
  const std::string project = site.AdasProject();
  const Job job = site.Ran(site.ada_, 10, {.project = project});
  site.Ran(site.ada_, 10);
  const HistoryFilter filter{.whose = v1::HISTORY_SCOPE_PROJECT,
                             .project = project};
  CHECK(absl::IsNotFound(
      site.history_->Page(site.bob_, filter, 10, {}).status()));
  // With the words for one that does not exist.
  CHECK(site.history_->Page(site.bob_, filter, 10, {}).status() ==
        site.history_
            ->Page(site.bob_,
                   {.whose = v1::HISTORY_SCOPE_PROJECT, .project = "nosuch"},
                   10, {})
            .status());
  CHECK(absl::IsInvalidArgument(
      site.history_
          ->Page(site.ada_, {.whose = v1::HISTORY_SCOPE_PROJECT}, 10, {})
          .status()));
  CHECK(site.Ids(site.ada_, filter) ==
        std::vector<std::string>{job.id.value()});
  CHECK(site.Ids(site.sam_, filter).size() == 1);
}

TEST_CASE("history: a filter that makes no sense is refused", "[backend]") {
  Site site;
  const auto refused = [&](const HistoryFilter& filter) {
    return absl::IsInvalidArgument(
        site.history_->Page(site.ada_, filter, 10, {}).status());
  };
  CHECK(refused({.search = std::string(101, 'x')}));
  CHECK(refused({.search = "a\nb"}));
  CHECK(refused({.whose = static_cast<Whose>(9)}));
  CHECK(refused({.from = site.clock_.Now(), .to = site.clock_.Now()}));
}

TEST_CASE("history: filters return the matching jobs", "[backend]") {
  Site site;
  const Job one = site.Ran(site.ada_, 10, {.name = "50% done_x"});
  const absl::Time between = site.clock_.Now() + absl::Seconds(1);
  site.clock_.Advance(absl::Minutes(1));
  const Job two = site.Ran(site.ada_, 10, {.name = "other"});
  const std::vector<std::string> first = {one.id.value()};
  const std::vector<std::string> second = {two.id.value()};
  CHECK(site.Ids(site.ada_) ==
        std::vector<std::string>{two.id.value(), one.id.value()});
  CHECK(site.Ids(site.ada_, {.search = "DONE"}) == first);
  // Signs of LIKE are signs like any other.
  CHECK(site.Ids(site.ada_, {.search = "0% d"}) == first);
  CHECK(site.Ids(site.ada_, {.search = "_"}) == first);
  CHECK(site.Ids(site.ada_, {.search = "%other"}).empty());
  CHECK(site.Ids(site.ada_, {.search = "' OR 1=1 --"}).empty());
  CHECK(site.Ids(site.ada_, {.from = between}) == second);
  CHECK(site.Ids(site.ada_, {.to = between}) == first);
  CHECK(site.Ids(site.ada_, {.ends = {v1::JOB_END_FAILED}}).empty());
  CHECK(
      site.Ids(site.ada_, {.ends = {v1::JOB_END_FAILED, v1::JOB_END_COMPLETED}})
          .size() == 2);
  CHECK(site.Ids(site.ada_, {.gpu_type = "a100"}).size() == 2);
  CHECK(site.Ids(site.ada_, {.gpu_type = "a1"}).empty());
}

TEST_CASE("history: pages hold every job once", "[backend]") {
  Site site;
  std::set<std::string> all;
  for (int i = 0; i < 7; ++i) all.insert(site.Ran(site.ada_, 1).id.value());
  std::set<std::string> seen;
  std::optional<HistoryPlace> from;
  int pages = 0;
  do {
    const auto page = site.history_->Page(site.ada_, {}, 3, from);
    REQUIRE_THAT(page, IsOk());
    CHECK(page->entries.size() <= 3);
    for (const auto& entry : page->entries) {
      CHECK(seen.insert(entry.id.value()).second);
    }
    from = page->next;
    ++pages;
  } while (from && pages < 10);
  CHECK(pages == 3);
  CHECK(seen == all);
}

TEST_CASE("history: jobs that end meanwhile do not shift pages", "[backend]") {
  Site site;
  for (int i = 0; i < 6; ++i) site.Ran(site.ada_, 1);
  const auto before = site.Ids(site.ada_);
  const auto first = site.history_->Page(site.ada_, {}, 3, std::nullopt);
  REQUIRE_THAT(first, IsOk());
  for (int i = 0; i < 4; ++i) site.Ran(site.ada_, 1);
  const auto second = site.history_->Page(site.ada_, {}, 3, first->next);
  REQUIRE_THAT(second, IsOk());
  std::vector<std::string> seen;
  for (const auto& page : {*first, *second}) {
    for (const auto& entry : page.entries) seen.push_back(entry.id.value());
  }
  CHECK(seen == before);
  CHECK_FALSE(second->next);
}

TEST_CASE("history: GPU time is GPUs times seconds", "[backend]") {
  Site site;
  site.Ran(site.ada_, 60, {.gpus_per_node = 2, .gpu_type = "a100"});
  const HistoryEntry entry = site.Entry(site.ada_);
  CHECK(entry.gpus == 2);
  CHECK(entry.gpu_seconds == 7200);
  CHECK(entry.gpu_type == "a100");
  CHECK(entry.end == v1::JOB_END_COMPLETED);
  CHECK_FALSE(entry.accounted);
}

TEST_CASE("history: outlives the list of jobs, and a restart", "[backend]") {
  Site site;
  const Job job = site.Ran(site.ada_, 10);
  site.clock_.Advance(absl::Hours(24 * 100));
  site.slurm_.Poll();  // what is written leaves memory
  site.jobs_->Sweep();
  CHECK(site.jobs_->List(site.ada_, "request")->empty());
  site.history_.reset();
  site.Restart();
  site.Open();
  CHECK(site.Ids(site.ada_) == std::vector<std::string>{job.id.value()});
}

TEST_CASE("history: adds ended jobs that have no history row", "[backend]") {
  Site site;
  const Job job = site.Ran(site.ada_, 10);
  REQUIRE_THAT(site.database_->Query([](Database& db) {
    return db.Prepare("DELETE FROM history")->Run();
  }),
               IsOk());
  site.history_.reset();
  site.Restart();
  site.Open();
  CHECK(site.Ids(site.ada_) == std::vector<std::string>{job.id.value()});
}

TEST_CASE("history: deletes entries after the retention period", "[backend]") {
  Site site;
  site.Open({.retention_days = 30, .retention_jobs = 1000});
  site.Ran(site.ada_, 10);
  site.clock_.Advance(absl::Hours(24 * 29));
  site.history_->Sweep();
  CHECK(site.Ids(site.ada_).size() == 1);
  site.clock_.Advance(absl::Hours(24 * 2));
  site.history_->Sweep();
  CHECK(site.Ids(site.ada_).empty());
}

TEST_CASE("history: of too many jobs the oldest go", "[backend]") {
  Site site;
  for (int i = 0; i < 5; ++i) site.Ran(site.ada_, 1);
  const auto before = site.Ids(site.ada_);
  REQUIRE_THAT(site.database_->Query([](Database& db) {
    return DeleteHistory(db, absl::UnixEpoch(), 3).status();
  }),
               IsOk());
  CHECK(site.Ids(site.ada_) ==
        std::vector<std::string>(before.begin(), before.begin() + 3));
}

TEST_CASE("usage: refuses steps that are no parts of the time", "[backend]") {
  Site site;
  const UsageQuery whole = site.All(v1::USAGE_BY_USER);
  const auto after = [&](int minutes) {
    return whole.from + absl::Minutes(minutes);
  };
  std::vector<absl::Time> many;
  for (int i = 0; i <= 32; ++i) many.push_back(after(i));
  CHECK_THAT(History::UsageSteps(whole, many),
             StatusIs(absl::StatusCode::kInvalidArgument, "at most 32"));
  many.pop_back();
  CHECK_THAT(History::UsageSteps(whole, many), IsOk());
  for (const std::vector<absl::Time>& starts :
       {std::vector{after(-1)}, std::vector{after(1), after(0)},
        std::vector{after(1), after(1)},
        std::vector{after(0), absl::InfinitePast()}}) {
    CHECK_THAT(History::UsageSteps(whole, starts),
               StatusIs(absl::StatusCode::kInvalidArgument, "ascending"));
  }
}

TEST_CASE("usage: steps follow each other until the end of the time",
          "[backend]") {
  Site site;
  site.Ran(site.ada_, 60);
  UsageQuery whole = site.All(v1::USAGE_BY_USER);
  whole.from = whole.to - absl::Hours(3);
  // The last one starts when the browser's clock is ahead.
  const auto steps = History::UsageSteps(
      whole,
      {whole.from, whole.to - absl::Minutes(15), whole.to + absl::Minutes(1)});
  REQUIRE_THAT(steps, IsOk());
  REQUIRE(steps->size() == 3);
  CHECK((*steps)[0].to == (*steps)[1].from);
  CHECK((*steps)[1].to == whole.to);
  CHECK((*steps)[2].from == (*steps)[2].to);
  CHECK(History::UsageSteps(whole, {})->empty());
  const auto first = site.history_->Usage(site.sam_, (*steps)[0]).value();
  const auto second = site.history_->Usage(site.sam_, (*steps)[1]).value();
  REQUIRE(first.size() == 1);
  REQUIRE(second.size() == 1);
  CHECK(first[0].gpu_seconds == Approx(2700).margin(1));
  CHECK(second[0].gpu_seconds == Approx(900).margin(1));
}

TEST_CASE("usage: a job counts for its part within the time", "[backend]") {
  Site site;
  site.Ran(site.ada_, 60);
  UsageQuery question = site.All(v1::USAGE_BY_USER);
  question.from = site.clock_.Now() - absl::Minutes(15);
  const auto sums = site.history_->Usage(site.sam_, question);
  REQUIRE_THAT(sums, IsOk());
  REQUIRE(sums->size() == 1);
  CHECK((*sums)[0].key == "ada");
  CHECK((*sums)[0].jobs == 1);
  CHECK((*sums)[0].gpu_seconds == Approx(900).margin(1));
}

TEST_CASE("usage: a running job counts for its part within the time",
          "[backend]") {
  Site site;
  const Job job =
      site.Submit(site.bob_, "", {.gpus_per_node = 2, .gpu_type = "a100"})
          .value();
  site.slurm_.Run(job.slurm_id);
  site.slurm_.Poll();
  site.clock_.Advance(absl::Minutes(60));
  UsageQuery question = site.All(v1::USAGE_BY_USER);
  question.from = site.clock_.Now() - absl::Minutes(30);
  question.to = site.clock_.Now() - absl::Minutes(10);
  const auto sums = site.history_->Usage(site.sam_, question).value();
  REQUIRE(sums.size() == 1);
  CHECK(sums[0].gpu_seconds == Approx(2400).margin(2));
  question.to = question.from - absl::Minutes(40);
  question.from = question.to - absl::Minutes(30);
  CHECK(site.history_->Usage(site.sam_, question)->empty());
}

TEST_CASE("usage: running jobs count up to now", "[backend]") {
  Site site;
  site.Ran(site.ada_, 30);
  const Job job =
      site.Submit(site.bob_, "", {.gpus_per_node = 2, .gpu_type = "a100"})
          .value();
  site.slurm_.Run(job.slurm_id);
  site.slurm_.Poll();
  site.clock_.Advance(absl::Minutes(60));
  const auto sums =
      site.history_->Usage(site.sam_, site.All(v1::USAGE_BY_USER)).value();
  REQUIRE(sums.size() == 2);
  CHECK(sums[0].key == "bob");
  CHECK(sums[0].gpu_seconds == Approx(7200).margin(2));
  CHECK(sums[1].key == "ada");
  CHECK(sums[1].gpu_seconds == Approx(1800).margin(2));
  const auto types =
      site.history_->Usage(site.sam_, site.All(v1::USAGE_BY_GPU_TYPE)).value();
  REQUIRE(types.size() == 1);
  CHECK(types[0].key == "a100");
  CHECK(types[0].jobs == 2);
  // Ada's own are hers alone.
  UsageQuery mine = site.All(v1::USAGE_BY_GPU_TYPE);
  mine.whose = v1::HISTORY_SCOPE_MINE;
  const auto adas = site.history_->Usage(site.ada_, mine).value();
  REQUIRE(adas.size() == 1);
  CHECK(adas[0].jobs == 1);
}

TEST_CASE("accounting: without slurmdbd Carme's record counts alone",
          "[backend]") {
  Site site;
  site.ledger_.there = false;
  site.Open();
  site.Ran(site.ada_, 10);
  site.history_->Account();
  CHECK(site.ledger_.asked.empty());
  CHECK(site.history_->accounting().state == v1::Accounting::STATE_DISABLED);
  CHECK(site.Entry(site.ada_).gpu_seconds == 600);
}

TEST_CASE("accounting: Slurm's figures replace Carme's", "[backend]") {
  Site site;
  const Job job = site.Ran(site.ada_, 10);
  site.ledger_.runs = {site.RunOf(job)};
  site.history_->Account();
  const HistoryEntry entry = site.Entry(site.ada_);
  CHECK(entry.accounted);
  CHECK(entry.gpu_seconds == 77);
  CHECK(entry.cpu_seconds == 154);
  CHECK(entry.account == "site");
  CHECK(site.history_->accounting().state == v1::Accounting::STATE_AVAILABLE);
  // Once is enough.
  const size_t asked = site.ledger_.asked.size();
  site.clock_.Advance(absl::Seconds(30));
  site.history_->Account();
  CHECK(site.ledger_.asked.size() == asked);
  // Later it is asked about no job, only whether it answers.
  site.clock_.Advance(absl::Hours(1));
  site.history_->Account();
  REQUIRE(site.ledger_.asked.size() == asked + 1);
  CHECK(site.ledger_.asked.back().empty());
}
TEST_CASE("accounting: queries a job again that slurmdbd lacks", "[backend]") {
  Site site;
  const Job job = site.Ran(site.ada_, 10);
  site.history_->Account();
  CHECK_FALSE(site.Entry(site.ada_).accounted);
  CHECK(site.history_->accounting().state == v1::Accounting::STATE_AVAILABLE);
  site.ledger_.runs = {site.RunOf(job)};
  site.clock_.Advance(absl::Seconds(30));
  site.history_->Account();
  CHECK(site.Entry(site.ada_).accounted);
}

TEST_CASE("accounting: reports missing permission in slurmdbd", "[backend]") {
  Site site;
  site.Ran(site.ada_, 10);
  site.clock_.Advance(absl::Minutes(10));
  site.history_->Account();
  CHECK(site.history_->accounting().state == v1::Accounting::STATE_HIDDEN);
  // A job that ended just now does not change the state.
  const Job job = site.Ran(site.ada_, 10);
  site.history_->Account();
  CHECK(site.history_->accounting().state == v1::Accounting::STATE_HIDDEN);
  site.ledger_.runs = {site.RunOf(job)};
  site.clock_.Advance(absl::Minutes(5));
  site.history_->Account();
  CHECK(site.history_->accounting().state == v1::Accounting::STATE_AVAILABLE);
}

TEST_CASE("accounting: an unavailable slurmdbd is reported, and queried later",
          "[backend]") {
  Site site;
  const Job job = site.Ran(site.ada_, 10);
  site.ledger_.answer = absl::UnavailableError("away");
  site.history_->Account();
  CHECK(site.history_->accounting().state == v1::Accounting::STATE_UNAVAILABLE);
  site.clock_.Advance(absl::Seconds(10));
  site.history_->Account();
  CHECK(site.ledger_.asked.size() == 1);
  CHECK_FALSE(site.Entry(site.ada_).accounted);
  site.ledger_.answer = absl::OkStatus();
  site.ledger_.runs = {site.RunOf(job)};
  site.clock_.Advance(absl::Minutes(2));
  site.history_->Account();
  CHECK(site.history_->accounting().state == v1::Accounting::STATE_AVAILABLE);
  CHECK(site.Entry(site.ada_).accounted);
}

TEST_CASE("accounting: silence is found while no job ends", "[backend]") {
  Site site;
  site.history_->Account();
  CHECK(site.history_->accounting().state == v1::Accounting::STATE_AVAILABLE);
  site.ledger_.answer = absl::UnavailableError("away");
  site.clock_.Advance(absl::Minutes(1));
  site.history_->Account();
  CHECK(site.history_->accounting().state == v1::Accounting::STATE_UNAVAILABLE);
  CHECK(site.history_->accounting().since == site.clock_.Now());
  CHECK(site.history_->accounting().asked_at == site.clock_.Now());
}

}  // namespace
}  // namespace carme::backend
