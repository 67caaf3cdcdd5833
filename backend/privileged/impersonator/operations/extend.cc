// Raises the time limit of a user's running job. Runs as SlurmUser, because
// Slurm does not allow the owner to do it. Slurm does not check limits for
// SlurmUser, so they are checked here, with what Slurm reports: the partition's
// limit, reservations that start before the new end, and the limits of QOS and
// association where Slurm enforces limits.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/impersonator/operations/messages.h"
#include "backend/privileged/impersonator/operations/operations.h"
#include "backend/privileged/impersonator/operations/own_job.h"
#include "backend/privileged/impersonator/operations/slurm_response.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/slurm/libslurm/accounting_query.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "backend/slurm/limits/walltime_limits.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Extend;
using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_SLURM_REFUSED;
using privileged::v1::Request;
using privileged::v1::Response;

struct Free {
  void operator()(job_info_msg_t* message) const {
    slurm_free_job_info_msg(message);
  }
  void operator()(partition_info_msg_t* message) const {
    slurm_free_partition_info_msg(message);
  }
  void operator()(reserve_info_msg_t* message) const {
    slurm_free_reservation_info_msg(message);
  }
};
template <typename Message>
using Loaded = std::unique_ptr<Message, Free>;

std::string_view Text(const char* text) { return text != nullptr ? text : ""; }

absl::Status RefuseExtend(absl::string_view reason) {
  return MakePlainError(operation_messages::kExtendRefused,
                        {{"cause", reason}});
}

// Returns the partition's QOS; empty if it has none.
absl::StatusOr<std::string> CheckPartition(const slurm_job_info_t& job,
                                           uint32_t minutes) {
  partition_info_msg_t* loaded = nullptr;
  if (slurm_load_partitions(0, &loaded, SHOW_ALL) != SLURM_SUCCESS) {
    return MakePlainError(operation_messages::kPartitionsUnreadable);
  }
  const Loaded<partition_info_msg_t> all(loaded);
  for (uint32_t i = 0; i < all->record_count; ++i) {
    const partition_info_t& partition = all->partition_array[i];
    if (Text(partition.name) != Text(job.partition)) continue;
    if (partition.max_time == INFINITE || minutes <= partition.max_time) {
      return std::string(Text(partition.qos_char));
    }
    return MakePlainError(operation_messages::kExtendOverPartition,
                          {{"minutes", minutes},
                           {"partition", Text(partition.name)},
                           {"max", partition.max_time}});
  }
  return MakePlainError(operation_messages::kExtendPartitionHidden);
}

bool HaveNodeInCommon(const char* a, const char* b) {
  const std::vector<std::string> ours = ExpandHostlist(std::string(Text(a)));
  const std::vector<std::string> theirs = ExpandHostlist(std::string(Text(b)));
  return std::any_of(ours.begin(), ours.end(), [&](const std::string& node) {
    return std::find(theirs.begin(), theirs.end(), node) != theirs.end();
  });
}

// Slurm does not start a job that would run into another's reservation. So no
// job is extended into one, or beyond the end of its own.
absl::Status CheckReservations(const slurm_job_info_t& job, time_t new_end) {
  reserve_info_msg_t* loaded = nullptr;
  if (slurm_load_reservations(0, &loaded) != SLURM_SUCCESS) {
    return MakePlainError(operation_messages::kReservationsUnreadable);
  }
  const Loaded<reserve_info_msg_t> all(loaded);
  for (uint32_t i = 0; i < all->record_count; ++i) {
    const reserve_info_t& reservation = all->reservation_array[i];
    const bool own = !Text(job.resv_name).empty() &&
                     Text(reservation.name) == Text(job.resv_name);
    const bool conflicts =
        own ? new_end > reservation.end_time
            : new_end > reservation.start_time &&
                  reservation.end_time > job.end_time &&
                  HaveNodeInCommon(job.nodes, reservation.node_list);
    if (!conflicts) continue;
    return MakePlainError(own ? operation_messages::kExtendReservationEnds
                              : operation_messages::kExtendReservationNeedsNode,
                          {{"reservation", Text(reservation.name)}});
  }
  return absl::OkStatus();
}

// Refuses if the limits cannot be read.
absl::Status CheckAccounting(const slurm_job_info_t& job, uint32_t minutes,
                             const std::string& partition_qos) {
  ASSIGN_OR_RETURN(const SlurmEnforcement enforced, LoadEnforcement());
  if (!enforced.limits) return absl::OkStatus();
  ASSIGN_OR_RETURN(const SlurmAccounting accounting, LoadAccounting());
  const absl::Duration remaining = absl::FromTimeT(job.end_time) - absl::Now();
  const absl::StatusOr<WalltimeLimit> longest = MaxWalltimeFor(
      accounting, {.account = std::string(Text(job.account)),
                   .uid = Uid(job.user_id),
                   .partition = std::string(Text(job.partition)),
                   .qos = std::string(Text(job.qos)),
                   .partition_qos = partition_qos,
                   .walltime = absl::Minutes(job.time_limit),
                   .remaining = std::max(absl::ZeroDuration(), remaining),
                   .tres = ParseTres(Text(job.tres_alloc_str))});
  if (!longest.ok()) return RefuseExtend(longest.status().message());
  if (absl::Minutes(minutes) <= longest->max) return absl::OkStatus();
  return MakePlainError(operation_messages::kExtendOverLimit,
                        {{"minutes", minutes},
                         {"limit", longest->source},
                         {"max", absl::ToInt64Minutes(longest->max)}});
}

absl::Status CheckLimits(const slurm_job_info_t& job, uint32_t minutes,
                         const ExtensionConfig& config) {
  if (absl::Minutes(minutes) > config.max_walltime) {
    return MakePlainError(operation_messages::kExtendOverSite,
                          {{"minutes", minutes},
                           {"max", absl::ToInt64Minutes(config.max_walltime)}});
  }
  if (job.time_limit == INFINITE || job.time_limit == NO_VAL ||
      minutes < job.time_limit) {
    return MakePlainError(operation_messages::kExtendNotLonger,
                          {{"minutes", minutes}});
  }
  ASSIGN_OR_RETURN(const std::string partition_qos,
                   CheckPartition(job, minutes));
  RETURN_IF_ERROR(CheckAccounting(job, minutes, partition_qos));
  const time_t more = static_cast<time_t>(minutes - job.time_limit) * 60;
  return CheckReservations(job, job.end_time + more);
}

Response SetTimeLimit(uint32_t slurm_job_id, uint32_t minutes) {
  std::string id = std::to_string(slurm_job_id);
  job_desc_msg_t description;
  slurm_init_job_desc_msg(&description);
  description.job_id_str = id.data();
  description.time_limit = minutes;
  job_array_resp_msg_t* errors = nullptr;
  if (slurm_update_job2(&description, &errors) != SLURM_SUCCESS) {
    return SlurmErrorResponse(SlurmErrno());
  }
  return MakeResponse(OUTCOME_OK, "");
}

}  // namespace

Response ExtendJob(const Request& request, const Account& account,
                   const ImpersonatorConfig& config, ChildPipe* pipe) {
  const Extend& extend = request.extend();
  const auto minutes = static_cast<uint32_t>(extend.walltime_min());
  if (!config.extensions.IsOffered()) {
    return ResponseFor(MakePlainError(operation_messages::kExtendDisabled));
  }
  job_info_msg_t* loaded = nullptr;
  if (LoadSlurmJob(extend.slurm_job_id(), &loaded) != SLURM_SUCCESS) {
    const int error = SlurmErrno();
    if (!MeansJobIsOver(error)) return SlurmErrorResponse(error);
    return MakeResponse(OUTCOME_SLURM_REFUSED, "slurm: job has ended");
  }
  const Loaded<job_info_msg_t> jobs(loaded);
  if (jobs->record_count != 1) {
    return ResponseFor(MakePlainError(operation_messages::kExtendArray));
  }
  const slurm_job_info_t& job = jobs->job_array[0];
  const Response owned = CheckOwnJob(job, extend.carme_job_id(), account);
  if (owned.outcome() != OUTCOME_OK) return owned;
  if ((job.job_state & JOB_STATE_BASE) != JOB_RUNNING ||
      (job.job_state & JOB_COMPLETING) != 0) {
    return MakeResponse(OUTCOME_SLURM_REFUSED, "slurm: job is not running");
  }
  // A repeated request, because a response was lost.
  if (job.time_limit == minutes)
    return MakeResponse(OUTCOME_OK, "the job has this time limit already");
  const absl::Status allowed = CheckLimits(job, minutes, config.extensions);
  if (!allowed.ok()) return ResponseFor(allowed);
  if (!pipe->Begin()) return NotCommitted();
  return SetTimeLimit(extend.slurm_job_id(), minutes);
}

}  // namespace carme::impersonator
