// No quota is exceeded, whatever happens in whatever order: random rules, and
// random submissions, starts, ends and extensions of several people in several
// projects, from a seed. What was really used is kept here, apart from the
// tables, and held against the rules at each moment and over each window.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/backend/quotas/quota_world.h"

namespace carme::backend {
namespace {

constexpr int kLives = 100;
constexpr int kSteps = 120;
const char* const kPeople[] = {"ada", "bob", "eve"};
const char* const kProjects[] = {"", "chem", "bio"};

class Dice {
 public:
  explicit Dice(int seed) : engine_(static_cast<unsigned>(seed)) {}
  int64_t Of(int64_t min, int64_t max) {
    return std::uniform_int_distribution<int64_t>(min, max)(engine_);
  }
  bool OneIn(int64_t n) { return Of(1, n) == 1; }

 private:
  std::mt19937 engine_;
};

struct Run {
  absl::Time begin;
  absl::Time end;
};

struct Life {
  std::string name;
  JobUsage usage;
  std::vector<Run> runs{};  // of its tasks; those that have not begun, too
  absl::Time end() const {
    absl::Time last = absl::InfinitePast();
    for (const Run& run : runs) last = std::max(last, run.end);
    return last;
  }
};

bool HasEnded(const Life& life) { return life.usage.ended_at.has_value(); }
bool Waits(const Life& life) {
  return !HasEnded(life) && !life.usage.started_at;
}

class Site {
 public:
  explicit Site(int seed) : dice_(seed) {
    for (const char* id : {"chem", "bio"}) world_.Project(id, id);
    world_.people_["eve"].role = Role::kManager;
    for (int rules = static_cast<int>(dice_.Of(1, 12)); rules > 0; --rules) {
      MakeRule();
    }
  }

  void Step() {
    switch (dice_.Of(0, 9)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return Submit();
      case 4:
      case 5:
        return Start();
      case 6:
        return EndOne();
      case 7:
        return Extend();
      case 8:
        return Pass(absl::Minutes(dice_.Of(1, 60)));
      default:
        if (dice_.OneIn(8)) world_.quotas_->Sweep();
        return Pass(absl::Minutes(dice_.Of(60, 60 * 30)));
    }
  }

  // At this moment.
  void CheckNow() {
    for (const auto& [rule, whose] : Rules()) {
      if (!rule.max) continue;
      int64_t gpus = 0, nodes = 0, jobs = 0, today = 0;
      for (const Life* life : whose) {
        const JobUse& use = life->usage.use;
        if (DayOf(life->usage.created_at).begin == DayOf(Now()).begin) {
          today += use.tasks;
        }
        if (HasEnded(*life)) continue;
        gpus += use.gpus * use.at_once;
        nodes += use.nodes * use.at_once;
        jobs += use.at_once;
      }
      const std::map<QuotaMetric, int64_t> found = {
          {v1::LIMIT_METRIC_GPUS, gpus},
          {v1::LIMIT_METRIC_NODES, nodes},
          {v1::LIMIT_METRIC_JOBS, jobs},
          {v1::LIMIT_METRIC_JOBS_PER_DAY, today}};
      const auto number = found.find(rule.metric);
      if (number == found.end() || number->second <= *rule.max) continue;
      FAIL(QuotaSource(rule) << " has " << number->second << " of "
                             << LimitName(rule.metric) << " " << *rule.max);
    }
  }

  // The sum of all usage, after all jobs have ended.
  void CheckWindows() {
    for (Life& life : lives_) {
      if (!HasEnded(life)) Finish(&life);
    }
    for (const auto& [rule, whose] : Rules()) {
      if (!rule.max) continue;
      std::map<absl::Time, absl::Duration> days, months;
      absl::Duration ever;
      for (const Life* life : whose) {
        const int64_t gpus = life->usage.use.gpus;
        for (const Run& run : life->runs) {
          if (rule.metric == v1::LIMIT_METRIC_WALLTIME &&
              run.end - run.begin > absl::Minutes(*rule.max)) {
            FAIL("a job is too long for " << QuotaSource(rule));
          }
          ever += (run.end - run.begin) * gpus;
          for (absl::Time at = run.begin; at < run.end;) {
            const absl::Time next = std::min(run.end, DayOf(at).end);
            days[DayOf(at).begin] += (next - at) * gpus;
            months[MonthOf(at).begin] += (next - at) * gpus;
            at = next;
          }
        }
      }
      const auto check = [&](absl::Duration used) {
        if (used <= absl::Hours(*rule.max)) return;
        FAIL(QuotaSource(rule)
             << " used " << absl::FormatDuration(used) << " of "
             << LimitName(rule.metric) << " " << *rule.max);
      };
      if (rule.metric == v1::LIMIT_METRIC_GPU_HOURS) check(ever);
      for (const auto& [day, used] : days) {
        if (rule.metric == v1::LIMIT_METRIC_GPU_HOURS_PER_DAY) check(used);
      }
      for (const auto& [month, used] : months) {
        if (rule.metric == v1::LIMIT_METRIC_GPU_HOURS_PER_MONTH) check(used);
      }
    }
  }

  int admitted = 0, refused = 0, extended = 0;

 private:
  absl::Time Now() { return world_.clock_.Now(); }

  void MakeRule() {
    QuotaRule rule;
    rule.scope = static_cast<QuotaScope>(dice_.Of(1, 5));
    // GPU-hours more often: there is most to get wrong.
    rule.metric = static_cast<QuotaMetric>(
        dice_.OneIn(2) ? dice_.Of(9, 11) : dice_.Of(1, kQuotaMetrics));
    rule.max = rule.metric == v1::LIMIT_METRIC_WALLTIME ? dice_.Of(60, 3000)
                                                        : dice_.Of(0, 80);
    if (dice_.OneIn(15)) rule.max.reset();
    switch (rule.scope) {
      case v1::LIMIT_SCOPE_ROLE:
        rule.name = dice_.OneIn(2) ? "user" : "manager";
        break;
      case v1::LIMIT_SCOPE_GROUP:
        rule.name = dice_.OneIn(2) ? "chem" : "staff";
        break;
      case v1::LIMIT_SCOPE_USER:
        rule.username = kPeople[dice_.Of(0, 2)];
        break;
      case v1::LIMIT_SCOPE_MEMBER:
        if (dice_.OneIn(2)) rule.username = kPeople[dice_.Of(0, 2)];
        [[fallthrough]];
      case v1::LIMIT_SCOPE_PROJECT:
        rule.project = kProjects[dice_.Of(1, 2)];
        break;
      default:
        break;
    }
    world_.Set(rule);
  }

  // Each rule with the jobs that it applies to.
  std::vector<std::pair<QuotaRule, std::vector<const Life*>>> Rules() {
    const std::vector<QuotaRule> all = world_.quotas_->Rules().value();
    std::vector<std::pair<QuotaRule, std::vector<const Life*>>> found;
    for (const char* name : kPeople) {
      const Person& person = world_.people_.at(name);
      for (const char* project : kProjects) {
        for (const QuotaRule& rule :
             Applying(all, {person.uid, person.role, person.groups}, project,
                      Now())) {
          const bool in_project = !rule.project.empty();
          if (in_project != (*project != '\0')) continue;
          std::vector<const Life*> whose;
          for (const Life& life : lives_) {
            if (in_project && life.usage.project != project) continue;
            if (rule.scope != v1::LIMIT_SCOPE_PROJECT && life.name != name) {
              continue;
            }
            whose.push_back(&life);
          }
          found.emplace_back(rule, std::move(whose));
        }
      }
    }
    return found;
  }

  void Submit() {
    JobUse use{.gpus = dice_.Of(0, 4),
               .nodes = dice_.Of(1, 3),
               .walltime = absl::Minutes(dice_.Of(1, 1500))};
    if (dice_.OneIn(6)) {
      use.tasks = dice_.Of(2, 6);
      use.at_once = dice_.Of(1, use.tasks);
    }
    const std::string name = kPeople[dice_.Of(0, 2)];
    const JobUsage usage = world_.Submit(name, use, kProjects[dice_.Of(0, 2)]);
    if (!world_.refusal_.ok()) {
      ++refused;
      return;
    }
    ++admitted;
    lives_.push_back({name, usage});
  }

  Life* OneOf(bool (*is_one)(const Life&)) {
    std::vector<Life*> some;
    for (Life& life : lives_) {
      if (is_one(life)) some.push_back(&life);
    }
    if (some.empty()) return nullptr;
    return some[static_cast<size_t>(
        dice_.Of(0, static_cast<int64_t>(some.size()) - 1))];
  }

  void Start() {
    Life* life = OneOf(Waits);
    if (life == nullptr) return;
    world_.Start(&life->usage);
    const JobUse& use = life->usage.use;
    if (use.tasks == 1) {
      life->runs = {{Now(), Now() + use.walltime}};
      return;
    }
    // Each lane runs its share of the tasks, with pauses between them.
    std::vector<absl::Time> free(static_cast<size_t>(use.at_once), Now());
    for (int64_t task = 0; task < use.tasks; ++task) {
      absl::Time& lane = free[static_cast<size_t>(task % use.at_once)];
      const absl::Time begin =
          lane + (task < use.at_once ? absl::ZeroDuration()
                                     : absl::Minutes(dice_.Of(0, 300)));
      lane = begin + use.walltime * (dice_.Of(1, 10) / 10.0);
      life->runs.push_back({begin, lane});
    }
  }

  void Finish(Life* life) {
    absl::Duration ran;
    for (Run& run : life->runs) {
      run.begin = std::min(run.begin, Now());
      run.end = std::min(run.end, Now());
      ran += run.end - run.begin;
    }
    const JobUse& use = life->usage.use;
    if (use.tasks > 1) life->usage.spent = ran * use.gpus;
    world_.End(&life->usage);
  }

  void EndOne() {
    Life* life = OneOf([](const Life& one) { return !HasEnded(one); });
    if (life != nullptr) Finish(life);
  }

  void Extend() {
    Life* life = OneOf([](const Life& one) {
      return !HasEnded(one) && one.usage.ends_at.has_value();
    });
    if (life == nullptr) return;
    const absl::Duration extra = absl::Minutes(dice_.Of(1, 600));
    if (!world_.ReserveExtension(life->name, life->usage, extra).ok()) return;
    ++extended;
    // Slurm refuses one in four, and responds late to one in four.
    switch (dice_.Of(0, 3)) {
      case 0:
        return world_.In([&](Database& db) {
          return world_.quotas_->CompleteExtension(db, life->usage.job);
        });
      case 1:
        life->runs[0].end += extra;
        return;
      default:
        life->runs[0].end += extra;
        life->usage.ends_at = life->runs[0].end;
        return world_.Follow(life->usage);
    }
  }

  // Time passes; jobs that reach their end meanwhile end.
  void Pass(absl::Duration by) {
    const absl::Time until = Now() + by;
    while (true) {
      Life* next = nullptr;
      for (Life& life : lives_) {
        if (HasEnded(life) || !life.usage.started_at) continue;
        if (next == nullptr || life.end() < next->end()) next = &life;
      }
      if (next == nullptr || next->end() > until) break;
      world_.clock_.Set(std::max(Now(), next->end()));
      Finish(next);
    }
    world_.clock_.Set(until);
  }

  Dice dice_;
  QuotaWorld world_;
  std::vector<Life> lives_;
};

TEST_CASE("quotas: no order of events exceeds one", "[quotas]") {
  int admitted = 0, refused = 0, extended = 0;
  for (int seed = 0; seed < kLives; ++seed) {
    INFO("seed " << seed);
    Site site(seed);
    for (int step = 0; step < kSteps; ++step) {
      site.Step();
      site.CheckNow();
    }
    site.CheckWindows();
    admitted += site.admitted;
    refused += site.refused;
    extended += site.extended;
  }
  // It has tried both.
  CHECK(admitted > 500);
  CHECK(refused > 500);
  CHECK(extended > 50);
}

}  // namespace
}  // namespace carme::backend
