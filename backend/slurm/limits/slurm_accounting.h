// Slurm's own limits, as its controller has them in memory: associations and
// QOS, with what is used of them. Plain values; no libslurm header here.
#ifndef CARME_BACKEND_SLURM_LIMITS_SLURM_ACCOUNTING_H_
#define CARME_BACKEND_SLURM_LIMITS_SLURM_ACCOUNTING_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/ids.h"

namespace carme {

// One limit, by sacctmgr's name: "GrpTRES", "MaxJobs", "MaxTRESPerUser".
struct SlurmLimit {
  std::string name{};
  std::string
      tres{};  // "gres/gpu", "cpu", "mem" (MiB); empty: jobs, or minutes
  uint64_t most = 0;
  std::optional<uint64_t> used{};  // absent: it is about each job alone
  // Of GrpTRESMins: what running jobs may use beyond `used` until their ends.
  std::optional<uint64_t> reserved{};
};

struct SlurmAssociation {
  std::string account{};
  std::string user{};              // empty: the account's own
  Uid uid{};                       // of that user
  std::string partition{};         // empty: any
  std::string parent{};            // an account's: the one above
  bool is_default = false;         // in which that user's jobs run by default
  std::vector<std::string> qos{};  // that it may use; of it and those above
  uint32_t shares = 0;             // 0: as its account
  double fair_share = 0;           // 0 to 1; more is better
  std::vector<SlurmLimit> limits{};
};

struct SlurmQos {
  std::string name{};
  double usage_factor = 1;           // how much its jobs' use counts
  std::vector<SlurmLimit> limits{};  // Grp… with what all use; of a user, none
  // What each user has of it: by the limit's word of what it counts ("jobs",
  // "submitted", a TRES).
  std::map<Uid, std::map<std::string, uint64_t>> used_by{};
};

// What slurmctld enforces of them, by AccountingStorageEnforce.
struct SlurmEnforcement {
  bool associations = false;  // a job needs one
  bool limits = false;
  bool qos = false;  // a job's QOS is one of its association's
  // By PrivateData: associations of others may be missing from what the backend
  // is shown.
  bool hides_associations = false;
  friend bool operator==(const SlurmEnforcement&,
                         const SlurmEnforcement&) = default;
};

struct SlurmAccounting {
  absl::Time asked_at = absl::InfinitePast();
  std::vector<SlurmAssociation>
      associations{};  // none: Slurm has no accounting
  std::vector<SlurmQos> qos{};

  // Null: there is none such.
  const SlurmAssociation* Find(const std::string& account,
                               const std::string& user) const {
    for (const SlurmAssociation& row : associations) {
      if (row.account == account && row.user == user && row.partition.empty()) {
        return &row;
      }
    }
    return nullptr;
  }
  const SlurmAssociation* FindOf(const std::string& account, Uid uid) const {
    for (const SlurmAssociation& row : associations) {
      if (row.account == account && !row.user.empty() && row.uid == uid &&
          row.partition.empty()) {
        return &row;
      }
    }
    return nullptr;
  }
  const SlurmQos* FindQos(const std::string& name) const {
    for (const SlurmQos& row : qos) {
      if (row.name == name) return &row;
    }
    return nullptr;
  }
};

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIMITS_SLURM_ACCOUNTING_H_
