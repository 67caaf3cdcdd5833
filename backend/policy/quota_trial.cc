// What one rule has against a job, or against more time for one.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/policy/quota.h"
#include "backend/policy/saturated.h"

namespace carme::backend {
namespace {

// "2", "2.5": rounded up, as what is left is rounded down. Less than a tenth is
// not written as one.
std::string Hours(absl::Duration time) {
  if (time > absl::ZeroDuration() && time < absl::Minutes(6)) {
    return "less than 0.1";
  }
  const int64_t tenths =
      absl::ToInt64Minutes(absl::Ceil(time, absl::Minutes(6))) / 6;
  return tenths % 10 == 0 ? absl::StrCat(tenths / 10)
                          : absl::StrCat(tenths / 10, ".", tenths % 10);
}

// What one rule has against a job.
class Trial {
 public:
  Trial(const QuotaTerms& terms, const QuotaRule& rule)
      : terms_(terms), rule_(rule), usage_(UsageFor(terms, rule)) {}

  std::optional<Violation> Of(const JobUse& use) const {
    switch (rule_.metric) {
      case QuotaMetric::kGpusPerJob:
        return OfOne("gpusPerNode", use.gpus, use.gpus_joined, "GPUs");
      case QuotaMetric::kNodesPerJob:
        return OfOne("nodes", use.nodes, use.nodes_joined, "nodes");
      case QuotaMetric::kWalltime:
        return OfWalltime(use.walltime);
      case QuotaMetric::kGpus:
        return AtOnce("gpusPerNode", usage_.gpus, Times(use.gpus, use.at_once),
                      "GPUs");
      case QuotaMetric::kNodes:
        return AtOnce("nodes", usage_.nodes, Times(use.nodes, use.at_once),
                      "nodes");
      case QuotaMetric::kJobs:
        return OfJobs(usage_.jobs, use.at_once, "that have not ended");
      case QuotaMetric::kQueuedJobs:
        return OfJobs(usage_.queued, use.tasks, "that wait");
      case QuotaMetric::kJobsPerDay:
        return OfJobs(usage_.jobs_today, use.tasks, "submitted today (UTC)");
      case QuotaMetric::kGpuHoursPerDay:
        return OfWindow(usage_.day, DayOf(terms_.now), use, "a day");
      case QuotaMetric::kGpuHoursPerMonth:
        return OfWindow(usage_.month, MonthOf(terms_.now), use, "a month");
      case QuotaMetric::kGpuHours:
        return OfHours(usage_.ever, Whole(use), Whole(use), "in all");
    }
    return std::nullopt;
  }

  // The running job gets `extra`.
  std::optional<Violation> OfMore(const JobUse& use, absl::Time end,
                                  absl::Duration extra) const {
    switch (rule_.metric) {
      case QuotaMetric::kWalltime:
        return OfWalltime(use.walltime);
      case QuotaMetric::kGpuHoursPerDay:
        return OfMoreWindow(usage_.day, DayOf(terms_.now), use.gpus, end, extra,
                            "a day");
      case QuotaMetric::kGpuHoursPerMonth:
        return OfMoreWindow(usage_.month, MonthOf(terms_.now), use.gpus, end,
                            extra, "a month");
      case QuotaMetric::kGpuHours:
        return OfHours(usage_.ever, extra * use.gpus, extra * use.gpus,
                       "in all");
      default:
        return std::nullopt;
    }
  }

 private:
  static absl::Duration Whole(const JobUse& use) {
    return use.walltime * Times(use.gpus, use.tasks);
  }
  // At most, of a window of this length.
  static absl::Duration Within(const JobUse& use, absl::Duration length) {
    return std::min(Whole(use), length * Times(use.gpus, use.at_once));
  }

  Violation Refuse(Refusal refusal, const char* field,
                   const std::string& found) const {
    const std::string source = QuotaSource(rule_);
    const std::string most = rule_.metric == QuotaMetric::kWalltime
                                 ? absl::StrCat(*rule_.most, " min")
                                 : absl::StrCat(*rule_.most);
    return {refusal,
            field,
            LimitName(rule_.metric),
            absl::StrCat(*rule_.most),
            source,
            absl::StrCat(found, ": ", source, " allows at most ", most, " (",
                         LimitName(rule_.metric), ")")};
  }

  std::string Whose() const {
    if (rule_.scope == QuotaScope::kProject) return "the project's jobs";
    if (rule_.scope == QuotaScope::kMember) return "your jobs in the project";
    return "your jobs";
  }

  std::optional<Violation> OfOne(const char* field, int64_t wanted,
                                 int64_t joined, const char* what) const {
    if (wanted == 0 || Plus(wanted, joined) <= *rule_.most) return std::nullopt;
    std::string found = absl::StrCat("job wants ", wanted, " ", what);
    if (joined > 0) {
      absl::StrAppend(&found, " beside ", joined, " of the job that it joins");
    }
    return Refuse(Refusal::kForbidden, field, found);
  }

  std::optional<Violation> OfWalltime(absl::Duration walltime) const {
    if (walltime <= absl::Minutes(*rule_.most)) return std::nullopt;
    const int64_t minutes =
        absl::ToInt64Minutes(absl::Ceil(walltime, absl::Minutes(1)));
    return Refuse(Refusal::kForbidden, "walltime",
                  absl::StrCat("walltime is ", minutes, " min"));
  }

  std::optional<Violation> AtOnce(const char* field, int64_t used,
                                  int64_t wanted, const char* what) const {
    if (wanted == 0 || Plus(used, wanted) <= *rule_.most) return std::nullopt;
    if (wanted > *rule_.most) {
      return Refuse(Refusal::kForbidden, field,
                    absl::StrCat("job wants ", wanted, " ", what, " at once"));
    }
    return Refuse(Refusal::kExhausted, field,
                  absl::StrCat(Whose(), " that have not ended have ", used, " ",
                               what, " and this one wants ", wanted));
  }

  std::optional<Violation> OfJobs(int64_t used, int64_t wanted,
                                  const char* which) const {
    if (Plus(used, wanted) <= *rule_.most) return std::nullopt;
    const bool at_once = rule_.metric == QuotaMetric::kJobs;
    if (wanted > 1 && wanted > *rule_.most) {
      return Refuse(Refusal::kForbidden, "batch.array",
                    at_once
                        ? absl::StrCat("array wants ", wanted, " tasks at once")
                        : absl::StrCat("array has ", wanted, " tasks"));
    }
    std::string found = absl::StrCat(
        rule_.scope == QuotaScope::kProject  ? "project has "
        : rule_.scope == QuotaScope::kMember ? "user has in the project "
                                             : "user has ",
        used, " jobs ", which);
    if (wanted > 1) {
      absl::StrAppend(&found, " and this array has ", wanted,
                      at_once ? " at once" : "");
    }
    return Refuse(
        wanted > *rule_.most ? Refusal::kForbidden : Refusal::kExhausted,
        wanted > 1 ? "batch.array" : "", found);
  }

  std::optional<Violation> OfWindow(const WindowUse& used, const Window& window,
                                    const JobUse& use, const char* when) const {
    const absl::Duration in_this = Within(use, window.end - terms_.now);
    // It may start as late as it likes.
    const absl::Duration later = Within(use, window.end - window.begin);
    if (auto now = OfHours(used.now, in_this, later, when)) return now;
    return OfHours(used.ahead, later, later, when);
  }

  // What is new of it in this window, and in the fullest of those after it.
  std::optional<Violation> OfMoreWindow(const WindowUse& used,
                                        const Window& window, int64_t gpus,
                                        absl::Time end, absl::Duration extra,
                                        const char* when) const {
    const absl::Duration length = window.end - window.begin;
    const auto part = [&](absl::Time until) {
      return std::clamp(until - terms_.now, absl::ZeroDuration(),
                        window.end - terms_.now);
    };
    const auto after = [&](absl::Time until) {
      return std::clamp(until - window.end, absl::ZeroDuration(), length);
    };
    const absl::Duration in_this = (part(end + extra) - part(end)) * gpus;
    const absl::Duration later = (after(end + extra) - after(end)) * gpus;
    if (auto now = OfHours(used.now, in_this, in_this, when)) return now;
    return OfHours(used.ahead, later, later, when);
  }

  std::optional<Violation> OfHours(absl::Duration used, absl::Duration wanted,
                                   absl::Duration alone,
                                   const char* when) const {
    const absl::Duration most = absl::Hours(*rule_.most);
    if (wanted <= absl::ZeroDuration() || used + wanted <= most) {
      return std::nullopt;
    }
    if (alone > most) {
      return Refuse(
          Refusal::kForbidden, "walltime",
          absl::StrCat("job may use ", Hours(alone), " GPU-hours ", when));
    }
    return Refuse(Refusal::kExhausted, "walltime",
                  absl::StrCat(Whose(), " have used, or may still use, ",
                               Hours(used), " GPU-hours ", when,
                               " and this one up to ", Hours(wanted)));
  }

  const QuotaTerms& terms_;
  const QuotaRule& rule_;
  const QuotaUsage& usage_;
};

}  // namespace

std::vector<Violation> CheckQuotas(const QuotaTerms& terms, const JobUse& use) {
  std::vector<Violation> violations;
  for (const QuotaRule& rule : terms.rules) {
    if (!rule.most) continue;
    if (auto violation = Trial(terms, rule).Of(use)) {
      violations.push_back(*std::move(violation));
    }
  }
  return violations;
}

std::vector<Violation> CheckMore(const QuotaTerms& terms, const JobUse& use,
                                 absl::Time end, absl::Duration extra) {
  std::vector<Violation> violations;
  for (const QuotaRule& rule : terms.rules) {
    if (!rule.most) continue;
    if (auto violation = Trial(terms, rule).OfMore(use, end, extra)) {
      violations.push_back(*std::move(violation));
    }
  }
  return violations;
}

}  // namespace carme::backend
