#include "backend/dry_run/dry_run.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "backend/dry_run/joined_jobs.h"
#include "backend/dry_run/messages.h"
#include "backend/dry_run/usage_replay.h"
#include "backend/policy/limits/template_limits.h"
#include "backend/policy/messages.h"
#include "backend/policy/spec/quoted.h"
#include "backend/quotas/rule_check.h"
#include "backend/templates/template_rules.h"
#include "common/message.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Adds up the results of jobs, in the order of their submission.
class Tally {
 public:
  explicit Tally(const PastJobs& past) {
    result_.since = past.complete_since;
    result_.truncated = past.truncated;
  }
  void Count(const PastJob& job, const std::vector<Violation>& violations) {
    ++result_.examined;
    DryRunUser& user = users_[job.owner];
    ++user.examined;
    if (violations.empty()) return;
    ++result_.refused;
    ++user.refused;
    if (result_.jobs.size() == DryRuns::kMaxRefused) return;
    result_.jobs.push_back({.id = job.id,
                            .owner = job.owner,
                            .name = job.spec.name,
                            .submitted_at = job.created_at,
                            .violation = violations[0]});
  }
  void CountUnknown(const PastJob& job) {
    Count(job, {});
    ++result_.unknown;
  }
  DryRunResult Take() {
    for (auto& [name, user] : users_) {
      if (user.refused == 0) continue;
      user.username = name;
      result_.users.push_back(user);
    }
    std::stable_sort(result_.users.begin(), result_.users.end(),
                     [](const DryRunUser& a, const DryRunUser& b) {
                       return a.refused > b.refused;
                     });
    if (result_.users.size() > DryRuns::kMaxUsers) {
      result_.users.resize(DryRuns::kMaxUsers);
    }
    return std::move(result_);
  }

 private:
  DryRunResult result_;
  std::map<std::string, DryRunUser> users_;
};

// Whose usage a rule is checked against: a user, a project, or a user in a
// project.
struct Subject {
  Uid uid = kNoUid;
  std::string project{};
  friend auto operator<=>(const Subject& a, const Subject& b) {
    return std::tuple(a.uid.value(), a.project) <=>
           std::tuple(b.uid.value(), b.project);
  }
  friend bool operator==(const Subject&, const Subject&) = default;
};

Subject SubjectOf(const QuotaRule& rule, const PastJob& job) {
  if (rule.scope == v1::LIMIT_SCOPE_PROJECT) return {kNoUid, job.spec.project};
  if (rule.scope == v1::LIMIT_SCOPE_MEMBER) {
    return {job.owner_uid, job.spec.project};
  }
  return {job.owner_uid, ""};
}

bool IsOfProject(const QuotaRule& rule) {
  return rule.scope == v1::LIMIT_SCOPE_PROJECT ||
         rule.scope == v1::LIMIT_SCOPE_MEMBER;
}

bool SameTarget(const QuotaRule& a, const QuotaRule& b) {
  return a.scope == b.scope && a.name == b.name && a.project == b.project &&
         a.uid == b.uid && a.metric == b.metric &&
         a.set_by.empty() == b.set_by.empty();
}

QuotaTerms TermsOf(const QuotaRule& rule, const QuotaUsage& usage,
                   absl::Time now) {
  QuotaTerms terms{.rules = {rule}, .now = now};
  if (rule.scope == v1::LIMIT_SCOPE_PROJECT) {
    terms.project = usage;
  } else if (rule.scope == v1::LIMIT_SCOPE_MEMBER) {
    terms.member = usage;
  } else {
    terms.person = usage;
  }
  return terms;
}

// The owners of jobs, as rules see them.
class Owners {
 public:
  // `groups`: whether a rule depends on groups.
  Owners(UserStore* users, const Quotas* quotas, bool groups)
      : users_(*users), quotas_(*quotas), groups_(groups) {}

  // Null: not known now.
  const QuotaPerson* Find(const PastJob& job) {
    const auto found = owners_.find(job.owner_uid);
    if (found != owners_.end())
      return found->second ? &*found->second : nullptr;
    std::optional<QuotaPerson>& owner = owners_[job.owner_uid];
    owner = groups_ ? FromDirectory(job) : FromLastLogin(job);
    return owner ? &*owner : nullptr;
  }

 private:
  std::optional<QuotaPerson> FromLastLogin(const PastJob& job) {
    const absl::StatusOr<UserRecord> user = users_.Find(job.owner_uid);
    return QuotaPerson{.uid = job.owner_uid,
                       .role = user.ok() ? user->person.role : Role::kUser};
  }
  std::optional<QuotaPerson> FromDirectory(const PastJob& job) {
    if (lookups_ == DryRuns::kMaxLookups || absl::Now() > deadline_) {
      return std::nullopt;
    }
    ++lookups_;
    const absl::StatusOr<Quotas::Asker> asker =
        quotas_.AskerOf(job.owner, job.owner_uid);
    if (!asker.ok() || !asker->groups.ok()) return std::nullopt;
    return QuotaPerson{
        .uid = job.owner_uid, .role = asker->role, .groups = *asker->groups};
  }

  UserStore& users_;
  const Quotas& quotas_;
  const bool groups_;
  const absl::Time deadline_ = absl::Now() + DryRuns::kMaxLookupTime;
  int lookups_ = 0;
  std::map<Uid, std::optional<QuotaPerson>> owners_;
};

// Whether a rule is the one that applies to a job, beside others of its metric.
class Applicability {
 public:
  Applicability(const QuotaRule& rule, std::vector<QuotaRule> others,
                Owners* owners, absl::Time now)
      : rule_(rule), rules_(std::move(others)), owners_(*owners), now_(now) {
    std::erase_if(rules_, [&](const QuotaRule& other) {
      return other.metric != rule.metric || SameTarget(other, rule);
    });
    rules_.push_back(rule);
  }

  // nullopt: not known.
  std::optional<bool> Find(const PastJob& job) {
    if (IsOfProject(rule_) && job.spec.project != rule_.project) return false;
    if (rule_.scope == v1::LIMIT_SCOPE_USER && job.owner_uid != rule_.uid) {
      return false;
    }
    const auto key = std::pair(job.owner_uid, job.spec.project);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    std::optional<bool>& applies = known_[key];
    const QuotaPerson* owner = owners_.Find(job);
    if (owner == nullptr) return applies;
    applies = false;
    for (const QuotaRule& one :
         Applying(rules_, *owner, job.spec.project, now_)) {
      if (SameTarget(one, rule_)) applies = true;
    }
    return applies;
  }

 private:
  const QuotaRule& rule_;
  std::vector<QuotaRule> rules_;
  Owners& owners_;
  const absl::Time now_;
  std::map<std::pair<Uid, std::string>, std::optional<bool>> known_;
};

// Clears what the old settings of a template have filled in.
JobSpec LeftOpen(const JobTemplate& old, JobSpec spec) {
  const auto clear = [](const std::string& filled, std::string* found) {
    if (!filled.empty() && *found == filled) found->clear();
  };
  clear(old.partition, &spec.partition);
  clear(old.qos, &spec.qos);
  clear(old.reservation, &spec.reservation);
  if (!old.gpu_types.empty()) clear(old.gpu_types[0], &spec.gpu_type);
  const int64_t shares = std::max(1, spec.gpus_per_node);
  if (spec.cpus_per_node == old.cpus_per_gpu * shares) spec.cpus_per_node = 0;
  if (spec.memory_per_node_mib == old.memory_per_gpu_mib * shares) {
    spec.memory_per_node_mib = 0;
  }
  return spec;
}

// The image of an environment is not recorded.
std::vector<Violation> CheckImage(const JobTemplate& settings,
                                  const JobSpec& spec) {
  const bool chosen = spec.linked_to.empty() && spec.builds.empty() &&
                      spec.environment.empty() && !spec.image.empty();
  if (!chosen || AllowsImage(settings, spec.image)) return {};
  const std::string offered = QuotedList(settings.images);
  return {{Refusal::kForbidden, "image", "images", offered, SourceOf(settings),
           FormatMessage(policy_messages::kImageNotOfTemplate,
                         {{"image", spec.image}, {"offered", offered}})}};
}

}  // namespace

absl::StatusOr<PastJobs> DryRuns::ReadJobs(const Session& caller) const {
  return ReadPastJobs(caller, parts_.history, parts_.active,
                      parts_.clock->Now() - kPeriod, kMaxJobs);
}

absl::StatusOr<QuotaRule> DryRuns::Complete(QuotaRule rule) const {
  RETURN_IF_ERROR(CheckRuleText(rule, parts_.clock->Now()));
  RETURN_IF_ERROR(CompleteRule(parts_.directory, &rule));
  if (rule.project.empty()) return rule;
  RETURN_IF_ERROR(parts_.reading->Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(rule.project_name, NameOfProject(db, rule.project));
    return absl::OkStatus();
  }));
  return rule;
}

absl::StatusOr<DryRunResult> DryRuns::TryRule(const Session& caller,
                                              QuotaRule wanted) {
  const auto slot = running_.TryAcquire(caller.uid);
  if (!slot.acquired()) return MakeError(dry_run_messages::kTooMany);
  wanted.set_by = caller.username;  // not of the configuration
  ASSIGN_OR_RETURN(const QuotaRule rule, Complete(std::move(wanted)));
  ASSIGN_OR_RETURN(std::vector<QuotaRule> others, parts_.quotas->Rules());
  ASSIGN_OR_RETURN(const PastJobs past, ReadJobs(caller));

  const bool of_groups =
      rule.scope == v1::LIMIT_SCOPE_GROUP ||
      std::any_of(others.begin(), others.end(), [&](const QuotaRule& other) {
        return other.scope == v1::LIMIT_SCOPE_GROUP &&
               other.metric == rule.metric;
      });
  Owners owners(parts_.users, parts_.quotas, of_groups);
  Applicability applicability(rule, std::move(others), &owners,
                              parts_.clock->Now());
  const JoinedJobs joined(past.jobs);
  std::map<Subject, std::vector<const PastJob*>> jobs_of;
  for (const PastJob& job : past.jobs) {
    jobs_of[SubjectOf(rule, job)].push_back(&job);
  }
  std::map<Subject, std::unique_ptr<UsageReplay>> replays;
  RETURN_IF_ERROR(parts_.reading->Query([&](Database& db) -> absl::Status {
    for (const auto& [subject, jobs] : jobs_of) {
      if (subject == Subject()) continue;  // of no project
      ASSIGN_OR_RETURN(auto days,
                       ReadUsageDays(db, subject.uid, subject.project));
      replays[subject] = std::make_unique<UsageReplay>(std::move(days), jobs);
    }
    return absl::OkStatus();
  }));

  Tally tally(past);
  for (const PastJob& job : past.jobs) {
    const auto replay = replays.find(SubjectOf(rule, job));
    const QuotaUsage usage =
        replay == replays.end() ? QuotaUsage() : replay->second->Before(job);
    if (job.created_at < past.complete_since) continue;
    const std::optional<bool> applies = applicability.Find(job);
    if (!applies) {
      tally.CountUnknown(job);
      continue;
    }
    tally.Count(job, *applies
                         ? CheckQuotas(TermsOf(rule, usage, job.created_at),
                                       joined.UseOf(job))
                         : std::vector<Violation>());
  }
  return tally.Take();
}

absl::StatusOr<DryRunResult> DryRuns::TryTemplate(const Session& caller,
                                                  const std::string& id,
                                                  JobTemplate settings) {
  const auto slot = running_.TryAcquire(caller.uid);
  if (!slot.acquired()) return MakeError(dry_run_messages::kTooMany);
  RETURN_IF_ERROR(CheckTemplateSettings(settings));
  settings.id = id;
  JobTemplate old;
  if (!id.empty()) {
    ASSIGN_OR_RETURN(old, parts_.templates->Find(id));
  }
  ASSIGN_OR_RETURN(const PastJobs past, ReadJobs(caller));
  const JoinedJobs joined(past.jobs);
  const auto counts = [&](const PastJob& job) {
    return id.empty() || job.spec.job_template == id;
  };
  std::map<std::string, std::vector<const PastJob*>> active;  // by owner
  Tally tally(past);
  for (const PastJob& job : past.jobs) {
    if (!counts(job)) continue;
    std::vector<const PastJob*>& own = active[job.owner];
    std::erase_if(own, [&](const PastJob* other) {
      return !IsActiveAt(*other, job.created_at);
    });
    TemplateChoice choice{.job_template = settings};
    int64_t jobs_now = 0;
    for (const PastJob* other : own) {
      jobs_now += UseOf(other->spec).at_once;
    }
    choice.jobs_now =
        static_cast<int>(std::min<int64_t>(jobs_now, kMaxJobs * kMaxJobs));
    own.push_back(&job);
    if (job.created_at < past.complete_since) continue;
    JobSpec spec = LeftOpen(old, job.spec);
    std::vector<Violation> violations = CheckImage(settings, spec);
    ApplyDefaults(settings, &spec);
    for (Violation& violation : CheckTemplate(
             choice, spec, static_cast<int>(joined.UseOf(job).nodes_joined))) {
      violations.push_back(std::move(violation));
    }
    tally.Count(job, violations);
  }
  return tally.Take();
}

}  // namespace carme::backend
