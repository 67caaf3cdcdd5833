// Slurm's own limits, as slurmctld has them in memory: associations and QOS,
// with their usage. Plain values; no libslurm header is included here.
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

// One limit, with its name in sacctmgr: "GrpTRES", "MaxJobs", "MaxTRESPerUser".
struct SlurmLimit {
  std::string name{};
  std::string
      tres{};  // "gres/gpu", "cpu", "mem" (MiB); empty: jobs, or minutes
  uint64_t max = 0;
  std::optional<uint64_t> used{};  // absent: it applies to each job
  // For GrpTRESMins: what running jobs may still use until they end.
  std::optional<uint64_t> reserved{};
};

struct SlurmAssociation {
  std::string account{};
  std::string user{};              // empty: the account itself
  Uid uid{};                       // of that user
  std::string partition{};         // empty: any
  std::string parent{};            // the parent account
  bool is_default = false;         // the user's default account
  std::vector<std::string> qos{};  // allowed QOS, including inherited ones
  uint32_t shares = 0;             // 0: those of its account
  double fair_share = 0;           // 0 to 1; more is better
  std::vector<SlurmLimit> limits{};
};

struct SlurmQos {
  std::string name{};
  double usage_factor = 1;           // factor of the usage of its jobs
  std::vector<SlurmLimit> limits{};  // Grp… with the total usage
  // Usage by user and counted unit ("jobs", "submitted", a TRES).
  std::map<Uid, std::map<std::string, uint64_t>> used_by{};
};

// What slurmctld enforces, from AccountingStorageEnforce.
struct SlurmEnforcement {
  bool associations = false;  // a job needs an association
  bool limits = false;
  bool qos = false;  // a job's QOS must be allowed by its association
  // From PrivateData: associations of others may be hidden from the backend.
  bool hides_associations = false;
  friend bool operator==(const SlurmEnforcement&,
                         const SlurmEnforcement&) = default;
};

struct SlurmAccounting {
  absl::Time asked_at = absl::InfinitePast();
  std::vector<SlurmAssociation>
      associations{};  // none: Slurm has no accounting
  std::vector<SlurmQos> qos{};

  // Null: not found.
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
