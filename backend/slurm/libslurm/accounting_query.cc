#include "backend/slurm/libslurm/accounting_query.h"

#include <slurm/slurmdb.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "backend/slurm/libslurm/messages.h"
#include "backend/slurm/libslurm/slurm_list.h"
#include "common/message.h"

namespace carme {
namespace {

using Message = std::unique_ptr<assoc_mgr_info_msg_t,
                                decltype(&slurm_free_assoc_mgr_info_msg)>;

std::string Text(const char* text) { return text == nullptr ? "" : text; }

// Reads the limits of one record; unset limits are left out.
class Reader {
 public:
  Reader(const assoc_mgr_info_msg_t& message, uint32_t count,
         std::vector<SlurmLimit>* limits)
      : message_(message),
        count_(std::min(count, message.tres_cnt)),
        limits_(*limits) {}

  void Number(const char* name, uint32_t max,
              std::optional<uint64_t> used = {}) {
    if (max == INFINITE || max == NO_VAL) return;
    limits_.push_back(
        {.name = name, .tres = {}, .max = max, .used = used, .reserved = {}});
  }

  // `used` returns nothing if the usage is not counted.
  template <typename UsedAt, typename ReservedAt>
  void Each(const char* name, const uint64_t* max, const UsedAt& used,
            const ReservedAt& reserved) {
    if (max == nullptr) return;
    for (uint32_t i = 0; i < count_; ++i) {
      if (max[i] == INFINITE64 || max[i] == NO_VAL64) continue;
      limits_.push_back({.name = name,
                         .tres = Text(message_.tres_names[i]),
                         .max = max[i],
                         .used = used(i),
                         .reserved = reserved(i)});
    }
  }
  template <typename UsedAt>
  void Each(const char* name, const uint64_t* max, const UsedAt& used) {
    Each(name, max, used, [](uint32_t) { return std::optional<uint64_t>(); });
  }
  void Each(const char* name, const uint64_t* max) {
    Each(name, max, [](uint32_t) { return std::optional<uint64_t>(); });
  }

 private:
  const assoc_mgr_info_msg_t& message_;
  const uint32_t count_;
  std::vector<SlurmLimit>& limits_;
};

// Usage from arrays that may be null.
auto Of(const uint64_t* used, uint64_t divisor = 1) {
  return [=](uint32_t i) -> std::optional<uint64_t> {
    if (used == nullptr) return std::nullopt;
    return used[i] / divisor;
  };
}
auto OfRaw(const long double* used) {
  return [=](uint32_t i) -> std::optional<uint64_t> {
    if (used == nullptr || !(used[i] >= 0)) return std::nullopt;
    return static_cast<uint64_t>(used[i] / 60);
  };
}

std::optional<uint64_t> Minutes(double seconds) {
  if (!(seconds >= 0)) return std::nullopt;
  return static_cast<uint64_t>(seconds / 60);
}

std::vector<std::string> QosOf(const slurmdb_assoc_rec_t& row,
                               const std::map<uint32_t, std::string>& names) {
  std::vector<std::string> qos;
  ForEachRecord<char>(row.qos_list, [&](const char& word) {
    uint32_t id = 0;
    const auto found =
        absl::SimpleAtoi(&word, &id) ? names.find(id) : names.end();
    qos.emplace_back(found == names.end() ? std::string(&word) : found->second);
  });
  return qos;
}

SlurmAssociation Translate(const slurmdb_assoc_rec_t& row,
                           const assoc_mgr_info_msg_t& message,
                           const std::map<uint32_t, std::string>& qos_names) {
  SlurmAssociation made;
  made.account = Text(row.acct);
  made.user = Text(row.user);
  made.uid = Uid(row.uid);
  made.partition = Text(row.partition);
  made.parent = Text(row.parent_acct);
  made.is_default = row.is_def == 1;
  made.qos = QosOf(row, qos_names);
  if (row.shares_raw != static_cast<uint32_t>(SLURMDB_FS_USE_PARENT) &&
      row.shares_raw != INFINITE && row.shares_raw != NO_VAL) {
    made.shares = row.shares_raw;
  }
  const slurmdb_assoc_usage_t* usage = row.usage;
  Reader read(message, usage == nullptr ? 0 : usage->tres_cnt, &made.limits);
  read.Number("MaxWallDurationPerJob", row.max_wall_pj);
  if (usage == nullptr) return made;
  if (std::isfinite(usage->fs_factor)) made.fair_share = usage->fs_factor;
  read.Number("GrpJobs", row.grp_jobs, usage->used_jobs);
  read.Number("GrpSubmitJobs", row.grp_submit_jobs, usage->used_submit_jobs);
  read.Number("GrpWall", row.grp_wall, Minutes(usage->grp_used_wall));
  read.Each("GrpTRES", row.grp_tres_ctld, Of(usage->grp_used_tres));
  read.Each("GrpTRESMins", row.grp_tres_mins_ctld, OfRaw(usage->usage_tres_raw),
            Of(usage->grp_used_tres_run_secs, 60));
  read.Each("GrpTRESRunMins", row.grp_tres_run_mins_ctld,
            Of(usage->grp_used_tres_run_secs, 60));
  read.Number("MaxJobs", row.max_jobs, usage->used_jobs);
  read.Number("MaxSubmitJobs", row.max_submit_jobs, usage->used_submit_jobs);
  read.Each("MaxTRESPerJob", row.max_tres_ctld);
  read.Each("MaxTRESPerNode", row.max_tres_pn_ctld);
  read.Each("MaxTRESMinsPerJob", row.max_tres_mins_ctld);
  return made;
}

SlurmQos Translate(const slurmdb_qos_rec_t& row,
                   const assoc_mgr_info_msg_t& message) {
  SlurmQos made;
  made.name = Text(row.name);
  if (std::isfinite(row.usage_factor) && row.usage_factor >= 0) {
    made.usage_factor = row.usage_factor;
  }
  const slurmdb_qos_usage_t* usage = row.usage;
  Reader read(message, usage == nullptr ? 0 : usage->tres_cnt, &made.limits);
  read.Number("MaxWallDurationPerJob", row.max_wall_pj);
  if (usage == nullptr) return made;
  read.Number("GrpJobs", row.grp_jobs, usage->grp_used_jobs);
  read.Number("GrpSubmitJobs", row.grp_submit_jobs,
              usage->grp_used_submit_jobs);
  read.Number("GrpWall", row.grp_wall, Minutes(usage->grp_used_wall));
  read.Each("GrpTRES", row.grp_tres_ctld, Of(usage->grp_used_tres));
  read.Each("GrpTRESMins", row.grp_tres_mins_ctld, OfRaw(usage->usage_tres_raw),
            Of(usage->grp_used_tres_run_secs, 60));
  read.Each("GrpTRESRunMins", row.grp_tres_run_mins_ctld,
            Of(usage->grp_used_tres_run_secs, 60));
  read.Number("MaxJobsPerUser", row.max_jobs_pu);
  read.Number("MaxSubmitJobsPerUser", row.max_submit_jobs_pu);
  read.Number("MaxJobsPerAccount", row.max_jobs_pa);
  read.Number("MaxSubmitJobsPerAccount", row.max_submit_jobs_pa);
  read.Each("MaxTRESPerUser", row.max_tres_pu_ctld);
  read.Each("MaxTRESPerAccount", row.max_tres_pa_ctld);
  read.Each("MaxTRESPerJob", row.max_tres_pj_ctld);
  read.Each("MaxTRESPerNode", row.max_tres_pn_ctld);
  read.Each("MaxTRESMinsPerJob", row.max_tres_mins_pj_ctld);
  read.Each("MinTRESPerJob", row.min_tres_pj_ctld);
  const uint32_t count = std::min(usage->tres_cnt, message.tres_cnt);
  ForEachRecord<slurmdb_used_limits_t>(
      usage->user_limit_list, [&](const slurmdb_used_limits_t& used) {
        auto& by = made.used_by[Uid(used.uid)];
        by["jobs"] = used.jobs;
        by["submitted"] = used.submit_jobs;
        if (used.tres == nullptr) return;
        for (uint32_t i = 0; i < count; ++i) {
          if (used.tres[i] != INFINITE64 && used.tres[i] != NO_VAL64) {
            by[Text(message.tres_names[i])] = used.tres[i];
          }
        }
      });
  return made;
}

}  // namespace

SlurmEnforcement EnforcementOf(const slurm_conf_t& conf) {
  // No header of libslurm names these bits.
  const uint16_t enforced = conf.accounting_storage_enforce;
  return {.associations = (enforced & 0x1) != 0,
          .limits = (enforced & 0x2) != 0,
          .qos = (enforced & 0x8) != 0,
          .hides_associations =
              (conf.private_data & (PRIVATE_DATA_USAGE | PRIVATE_DATA_USERS |
                                    PRIVATE_DATA_ACCOUNTS)) != 0};
}

absl::StatusOr<SlurmEnforcement> LoadEnforcement() {
  slurm_conf_t* loaded = nullptr;
  if (slurm_load_ctl_conf(0, &loaded) != SLURM_SUCCESS || loaded == nullptr) {
    return MakePlainError(libslurm_messages::kConfigurationNotLoaded,
                          {{"problem", SlurmErrorText(SlurmErrno())}});
  }
  const SlurmEnforcement enforcement = EnforcementOf(*loaded);
  FreeSlurmConf(loaded);
  return enforcement;
}

absl::StatusOr<SlurmAccounting> LoadAccounting() {
  assoc_mgr_info_request_msg_t request = {};
  request.flags = ASSOC_MGR_INFO_FLAG_ASSOC | ASSOC_MGR_INFO_FLAG_QOS;
  assoc_mgr_info_msg_t* loaded = nullptr;
  if (slurm_load_assoc_mgr_info(&request, &loaded) != SLURM_SUCCESS ||
      loaded == nullptr) {
    return MakePlainError(libslurm_messages::kLimitsNotLoaded,
                          {{"problem", SlurmErrorText(SlurmErrno())}});
  }
  const Message message(loaded, slurm_free_assoc_mgr_info_msg);
  SlurmAccounting accounting;
  accounting.asked_at = absl::Now();
  std::map<uint32_t, std::string> qos_names;
  ForEachRecord<slurmdb_qos_rec_t>(
      message->qos_list, [&](const slurmdb_qos_rec_t& row) {
        qos_names[row.id] = Text(row.name);
        accounting.qos.push_back(Translate(row, *message));
      });
  ForEachRecord<slurmdb_assoc_rec_t>(
      message->assoc_list, [&](const slurmdb_assoc_rec_t& row) {
        accounting.associations.push_back(Translate(row, *message, qos_names));
      });
  return accounting;
}

}  // namespace carme
