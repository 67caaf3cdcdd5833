#include "backend/jobs/diagnosis/slurm_limits.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "backend/jobs/diagnosis/messages.h"

namespace carme::backend {
namespace {

constexpr int kMaxLevels = 32;  // of nested accounts

bool EndsWith(const std::string& text, absl::string_view end) {
  return absl::EndsWith(text, end);
}

bool IsTime(const SlurmLimit& limit) {
  return limit.tres.empty() && absl::StrContains(limit.name, "Wall");
}
bool IsMinutes(const SlurmLimit& limit) {
  return absl::StrContains(limit.name, "Mins");
}

// The amount of a resource, and minutes of it.
struct AmountTexts {
  std::string_view tres;
  const TextTemplate& amount;
  const TextTemplate& minutes;
};

constexpr AmountTexts kAmounts[] = {
    {"cpu", job_diagnosis_messages::kAmountOfCpus,
     job_diagnosis_messages::kAmountOfCpuMinutes},
    {"node", job_diagnosis_messages::kAmountOfNodes,
     job_diagnosis_messages::kAmountOfNodeMinutes},
    {"gres/gpu", job_diagnosis_messages::kAmountOfGpus,
     job_diagnosis_messages::kAmountOfGpuMinutes},
    {"billing", job_diagnosis_messages::kAmountOfBillingUnits,
     job_diagnosis_messages::kAmountOfBillingMinutes},
    {"energy", job_diagnosis_messages::kAmountOfEnergy,
     job_diagnosis_messages::kAmountOfEnergyMinutes},
};

// How a user's share of a QOS is counted.
std::string CountedAs(const SlurmLimit& limit) {
  if (!limit.tres.empty()) return limit.tres;
  return absl::StrContains(limit.name, "Submit") ? "submitted" : "jobs";
}

std::string Scope(const std::string& name) {
  if (EndsWith(name, "PerJob")) return "each job ";
  if (EndsWith(name, "PerNode")) return "each node of a job ";
  if (EndsWith(name, "PerUser")) return "each user ";
  if (EndsWith(name, "PerAccount")) return "each account ";
  if (absl::StartsWith(name, "Grp")) return "all together ";
  return "";
}

std::string SentenceOf(const std::string& owner, const SlurmLimit& limit) {
  const bool is_min = absl::StartsWith(limit.name, "Min");
  const std::string when = absl::StartsWith(limit.name, "GrpTRESRunMins")
                               ? " reserved by what runs"
                           : IsMinutes(limit) || IsTime(limit) ? ""
                           : limit.used                        ? " at once"
                                                               : "";
  return absl::StrCat(owner, ": ", Scope(limit.name),
                      is_min ? "at least " : "at most ",
                      AmountOf(limit, limit.max).text, when);
}

class Collector {
 public:
  explicit Collector(Uid uid) : uid_(uid) {}

  void Add(const std::string& owner, const std::vector<SlurmLimit>& limits,
           const SlurmQos* qos = nullptr) {
    for (SlurmLimit limit : limits) {
      if (qos != nullptr && EndsWith(limit.name, "PerUser")) {
        limit.used = 0;
        const auto mine = qos->used_by.find(uid_);
        if (mine != qos->used_by.end()) {
          const auto counted = mine->second.find(CountedAs(limit));
          if (counted != mine->second.end()) limit.used = counted->second;
        }
      }
      std::string sentence = SentenceOf(owner, limit);
      found_.push_back({owner, std::move(limit), std::move(sentence)});
    }
  }
  std::vector<OwnSlurmLimit> Take() { return std::move(found_); }

 private:
  const Uid uid_;
  std::vector<OwnSlurmLimit> found_;
};

// The limit named by a reason; sacctmgr uses the same words.
std::string NameBehind(absl::string_view word, std::string* tres) {
  struct Word {
    absl::string_view in_reason;
    absl::string_view name;
    absl::string_view tres;
  };
  static constexpr Word kNames[] = {
      {"SubmitJob", "SubmitJobs", ""},
      {"Jobs", "Jobs", ""},
      {"Wall", "Wall", ""},
      {"Cpu", "TRES", "cpu"},
      {"CPU", "TRES", "cpu"},
      {"Mem", "TRES", "mem"},
      {"Node", "TRES", "node"},
      {"GRES", "TRES", "gres/"},
      {"Billing", "TRES", "billing"},
  };
  std::string name;
  for (const absl::string_view begin : {"Grp", "Max", "Min"}) {
    if (absl::StartsWith(word, begin)) name = std::string(begin);
  }
  if (name.empty()) return "";
  word.remove_prefix(name.size());
  for (const Word& row : kNames) {
    if (!absl::StartsWith(word, row.in_reason)) continue;
    absl::StrAppend(&name, row.name);
    *tres = std::string(row.tres);
    if (absl::StrContains(word, "RunMinutes")) {
      absl::StrAppend(&name, "RunMins");
    } else if (absl::StrContains(word, "Minutes")) {
      absl::StrAppend(&name, "Mins");
    }
    if (name == "MaxWall") name = "MaxWallDuration";
    for (const absl::string_view of :
         {"PerJob", "PerNode", "PerUser", "PerAccount"}) {
      if (absl::EndsWith(word, of)) absl::StrAppend(&name, of);
    }
    return name;
  }
  return "";
}

// Whether this can be the limit: Slurm's reasons leave out what is usual.
bool Matches(const SlurmLimit& limit, const std::string& name,
             const std::string& tres) {
  const bool same_name = limit.name == name ||
                         limit.name == absl::StrCat(name, "PerJob") ||
                         limit.name == absl::StrCat(name, "PerUser");
  return same_name && absl::StartsWith(limit.tres, tres) &&
         limit.tres.empty() == tres.empty();
}

DisplayText Behind(const DisplayText& owner, const SlurmLimit& limit) {
  if (!limit.used) {
    return MakeText(job_diagnosis_messages::kBound,
                    {{"owner", owner}, {"amount", AmountOf(limit, limit.max)}});
  }
  return MakeText(job_diagnosis_messages::kUsed,
                  {{"used", *limit.used},
                   {"amount", AmountOf(limit, limit.max)},
                   {"owner", owner}});
}

// The limit with the least left; null: none matches.
const SlurmLimit* Tightest(const std::vector<SlurmLimit>& limits,
                           const std::string& name, const std::string& tres) {
  const SlurmLimit* tightest = nullptr;
  const auto left = [](const SlurmLimit& limit) {
    return static_cast<int64_t>(limit.max) -
           static_cast<int64_t>(limit.used.value_or(0));
  };
  for (const SlurmLimit& limit : limits) {
    if (!Matches(limit, name, tres)) continue;
    if (tightest == nullptr || left(limit) < left(*tightest)) {
      tightest = &limit;
    }
  }
  return tightest;
}

}  // namespace

DisplayText AmountOf(const SlurmLimit& limit, uint64_t amount) {
  if (limit.tres.empty()) {
    return MakeText(IsTime(limit) ? job_diagnosis_messages::kAmountOfTime
                                  : job_diagnosis_messages::kAmountOfJobs,
                    {{"amount", amount}});
  }
  const bool minutes = IsMinutes(limit);
  if (limit.tres == "mem") {
    if (minutes) {
      return MakeText(job_diagnosis_messages::kAmountOfMemoryMinutes,
                      {{"amount", amount}});
    }
    const bool whole = amount % 1024 == 0;
    return MakeText(whole ? job_diagnosis_messages::kAmountOfMemoryGib
                          : job_diagnosis_messages::kAmountOfMemoryMib,
                    {{"amount", whole ? amount / 1024 : amount}});
  }
  for (const AmountTexts& row : kAmounts) {
    if (limit.tres != row.tres) continue;
    return MakeText(minutes ? row.minutes : row.amount, {{"amount", amount}});
  }
  absl::string_view type = limit.tres;
  if (absl::ConsumePrefix(&type, "gres/gpu:")) {
    return MakeText(minutes ? job_diagnosis_messages::kAmountOfTypedGpuMinutes
                            : job_diagnosis_messages::kAmountOfTypedGpus,
                    {{"amount", amount}, {"type", type}});
  }
  return MakeText(minutes ? job_diagnosis_messages::kAmountOfTresMinutes
                          : job_diagnosis_messages::kAmountOfTres,
                  {{"amount", amount}, {"tres", limit.tres}});
}

std::vector<OwnSlurmLimit> SlurmLimitsOf(const SlurmSnapshot& cluster,
                                         const std::string& user, Uid uid) {
  Collector found(uid);
  std::set<std::string> accounts, qos;
  if (cluster.accounting != nullptr) {
    const SlurmAccounting& accounting = *cluster.accounting;
    for (const SlurmAssociation& own : accounting.associations) {
      if (own.user != user || user.empty()) continue;
      found.Add(absl::StrCat(user, " in account ", own.account,
                             own.partition.empty() ? "" : ", partition ",
                             own.partition),
                own.limits);
      qos.insert(own.qos.begin(), own.qos.end());
      std::string account = own.account;
      for (int level = 0; level < kMaxLevels && !account.empty(); ++level) {
        const SlurmAssociation* above = accounting.Find(account, "");
        if (above == nullptr) break;
        if (accounts.insert(account).second) {
          found.Add(absl::StrCat("account ", account), above->limits);
        }
        account = above->parent;
      }
    }
    for (const std::string& name : qos) {
      const SlurmQos* own = accounting.FindQos(name);
      if (own == nullptr) continue;
      found.Add(absl::StrCat("QOS ", name), own->limits, own);
    }
  }
  for (const SlurmPartition& partition : cluster.partitions) {
    if (!partition.max_walltime) continue;
    const SlurmLimit longest{.name = "MaxWallPerJob",
                             .max = static_cast<uint64_t>(absl::ToInt64Minutes(
                                 *partition.max_walltime))};
    found.Add(absl::StrCat("partition ", partition.name), {longest});
  }
  return found.Take();
}

std::vector<std::string> QosOf(const SlurmSnapshot& cluster,
                               const std::string& user) {
  std::set<std::string> names;
  if (cluster.accounting == nullptr || user.empty()) return {};
  for (const SlurmAssociation& own : cluster.accounting->associations) {
    if (own.user == user) names.insert(own.qos.begin(), own.qos.end());
  }
  return {names.begin(), names.end()};
}

DisplayText NumbersBehind(const SlurmAccounting& accounting,
                          std::string_view reason, const SlurmJob& job) {
  absl::string_view word(reason.data(), reason.size());
  std::string tres;
  if (absl::ConsumePrefix(&word, "QOS")) {
    const SlurmQos* qos = accounting.FindQos(job.qos);
    const std::string name = NameBehind(word, &tres);
    if (qos == nullptr || name.empty()) return {};
    Collector own(job.uid);
    own.Add(absl::StrCat("QOS ", qos->name), qos->limits, qos);
    std::vector<SlurmLimit> limits;
    for (OwnSlurmLimit& row : own.Take()) limits.push_back(row.limit);
    const SlurmLimit* limit = Tightest(limits, name, tres);
    if (limit == nullptr) return {};
    return Behind(absl::StrCat("QOS ", qos->name), *limit);
  }
  if (!absl::ConsumePrefix(&word, "Assoc")) return {};
  const std::string name = NameBehind(word, &tres);
  if (name.empty()) return {};
  // The user's own first, then upwards: the first that is full.
  const SlurmAssociation* at = accounting.FindOf(job.account, job.uid);
  DisplayText first;
  for (int level = 0; level < kMaxLevels && at != nullptr; ++level) {
    if (const SlurmLimit* limit = Tightest(at->limits, name, tres)) {
      const DisplayText owner =
          MakeText(at->user.empty() ? job_diagnosis_messages::kOwnerAccount
                                    : job_diagnosis_messages::kOwnerPart,
                   {{"account", at->account}});
      DisplayText shown = Behind(owner, *limit);
      if (!limit->used || *limit->used >= limit->max) return shown;
      if (first.empty()) first = shown;
    }
    const std::string above = at->user.empty() ? at->parent : at->account;
    at = above.empty() ? nullptr : accounting.Find(above, "");
  }
  return first;
}

}  // namespace carme::backend
