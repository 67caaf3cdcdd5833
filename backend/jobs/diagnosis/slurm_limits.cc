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

std::string Things(const std::string& tres) {
  if (tres == "cpu") return "CPUs";
  if (tres == "node") return "nodes";
  if (tres == "gres/gpu") return "GPUs";
  if (tres == "billing") return "billing units";
  if (tres == "energy") return "joules";
  absl::string_view type = tres;
  if (absl::StartsWith(type, "gres/gpu:")) {
    return absl::StrCat(type.substr(9), " GPUs");
  }
  return absl::StrCat("units of ", tres);
}

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
                      AmountOf(limit, limit.max), when);
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

std::string Behind(const std::string& owner, const SlurmLimit& limit) {
  if (!limit.used) {
    return FormatMessage(
        job_diagnosis_messages::kBound,
        {{"owner", owner}, {"amount", AmountOf(limit, limit.max)}});
  }
  return FormatMessage(job_diagnosis_messages::kUsed,
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

std::string AmountOf(const SlurmLimit& limit, uint64_t amount) {
  if (limit.tres.empty()) {
    return absl::StrCat(amount, IsTime(limit) ? " min" : " jobs");
  }
  if (limit.tres == "mem") {
    if (IsMinutes(limit)) return absl::StrCat(amount, " MiB minutes of memory");
    return amount % 1024 == 0 ? absl::StrCat(amount / 1024, " GiB of memory")
                              : absl::StrCat(amount, " MiB of memory");
  }
  std::string things = Things(limit.tres);
  if (IsMinutes(limit)) {
    if (EndsWith(things, "s")) things.pop_back();
    return absl::StrCat(amount, " ", things, " minutes");
  }
  return absl::StrCat(amount, " ", things);
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

std::string NumbersBehind(const SlurmAccounting& accounting,
                          std::string_view reason, const SlurmJob& job) {
  absl::string_view word(reason.data(), reason.size());
  std::string tres;
  if (absl::ConsumePrefix(&word, "QOS")) {
    const SlurmQos* qos = accounting.FindQos(job.qos);
    const std::string name = NameBehind(word, &tres);
    if (qos == nullptr || name.empty()) return "";
    Collector own(job.uid);
    own.Add(absl::StrCat("QOS ", qos->name), qos->limits, qos);
    std::vector<SlurmLimit> limits;
    for (OwnSlurmLimit& row : own.Take()) limits.push_back(row.limit);
    const SlurmLimit* limit = Tightest(limits, name, tres);
    if (limit == nullptr) return "";
    return Behind(absl::StrCat("QOS ", qos->name), *limit);
  }
  if (!absl::ConsumePrefix(&word, "Assoc")) return "";
  const std::string name = NameBehind(word, &tres);
  if (name.empty()) return "";
  // The user's own first, then upwards: the first that is full.
  const SlurmAssociation* at = accounting.FindOf(job.account, job.uid);
  std::string first;
  for (int level = 0; level < kMaxLevels && at != nullptr; ++level) {
    if (const SlurmLimit* limit = Tightest(at->limits, name, tres)) {
      const std::string owner =
          at->user.empty() ? absl::StrCat("account ", at->account)
                           : absl::StrCat("your part of account ", at->account);
      const std::string shown = Behind(owner, *limit);
      if (!limit->used || *limit->used >= limit->max) return shown;
      if (first.empty()) first = shown;
    }
    const std::string above = at->user.empty() ? at->parent : at->account;
    at = above.empty() ? nullptr : accounting.Find(above, "");
  }
  return first;
}

}  // namespace carme::backend
