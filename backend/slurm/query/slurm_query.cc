#include "backend/slurm/query/slurm_query.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/slurm/libslurm/accounting_query.h"
#include "backend/slurm/libslurm/job_states.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "backend/slurm/libslurm/slurmctld_release.h"
#include "backend/slurm/query/messages.h"
#include "backend/slurm/query/translation.h"
#include "backend/slurm/query/waiting_jobs.h"
#include "common/message.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// How often the limits are loaded: while a job waits for one of them,
// otherwise, and if there are many associations.
constexpr absl::Duration kAccountingPeriodLimited = absl::Seconds(10);
constexpr absl::Duration kAccountingPeriod = absl::Seconds(60);
constexpr absl::Duration kAccountingPeriodLarge = absl::Minutes(10);
constexpr size_t kManyAssociations = 5000;

constexpr absl::Duration kAccountingMaxAge = absl::Seconds(4);
constexpr absl::Duration kAccountingMaxAgeLarge = absl::Seconds(30);

// Without SHOW_DETAIL there is no `gres_used`.
constexpr uint16_t kNodeFlags = SHOW_ALL | SHOW_DETAIL;

// Each query is a request to slurmctld, also if nothing changed: jobs are
// queried in each round, the others in one of so many.
constexpr int kRoundsOfNodes = 10;
constexpr int kRoundsOfReservations = 10;
constexpr int kRoundsOfPartitions = 40;

// slurmctld logs an error each time.
constexpr absl::Duration kReleasesPeriod = absl::Minutes(1);

// A working controller answers all queries of a round faster.
constexpr absl::Duration kMaxRound = absl::Seconds(2);

bool HoldsNodes(const SlurmJob& job) {
  return job.state == SlurmState::kRunning ||
         job.state == SlurmState::kSuspended ||
         job.state == SlurmState::kCompleting;
}

// With so many jobs the memory of a response is kept for the next one, because
// allocating it again takes up to half of the time of a query.
constexpr uint32_t kManyJobs = 5000;
constexpr int kRetainedBytes = 512 << 20;
constexpr int kGrowthBytes = 64 << 20;

void RetainFreedMemory() {
  mallopt(M_TRIM_THRESHOLD, kRetainedBytes);
  mallopt(M_TOP_PAD, kGrowthBytes);
}

// Whether the nodes that Carme's jobs hold have changed.
bool HeldNodesChanged(const std::map<SlurmJobId, SlurmJob>& before,
                      const std::map<SlurmJobId, SlurmJob>& now) {
  auto old = before.begin();
  for (const auto& [id, job] : now) {
    if (!HoldsNodes(job)) continue;
    while (old != before.end() && !HoldsNodes(old->second)) ++old;
    if (old == before.end() || old->first != id ||
        old->second.state != job.state || old->second.nodes != job.nodes) {
      return true;
    }
    ++old;
  }
  return std::any_of(old, before.end(),
                     [](const auto& job) { return HoldsNodes(job.second); });
}

bool IsMissingAny(const std::vector<SlurmReservation>& now,
                  const std::vector<SlurmReservation>& before) {
  return std::any_of(before.begin(), before.end(),
                     [&](const SlurmReservation& known) {
                       return std::none_of(now.begin(), now.end(),
                                           [&](const SlurmReservation& row) {
                                             return row.name == known.name;
                                           });
                     });
}

template <auto Function>
struct FreeWith {
  template <typename Message>
  void operator()(Message* message) const {
    Function(message);
  }
};
template <typename Message, auto Function>
using Owned = std::unique_ptr<Message, FreeWith<Function>>;

// True: `*message` is new. False: nothing changed since the last query.
template <typename Message, auto Function, typename Load>
absl::StatusOr<bool> LoadNew(std::string_view what,
                             Owned<Message, Function>* message, Load load) {
  Message* loaded = nullptr;
  if (load(&loaded) == SLURM_SUCCESS && loaded != nullptr) {
    message->reset(loaded);
    return true;
  }
  const int error = SlurmErrno();
  if (error == SLURM_NO_CHANGE_IN_DATA) return false;
  return MakePlainError(
      slurm_query_messages::kNotLoaded,
      {{"what", std::string(what)}, {"problem", SlurmErrorText(error)}});
}

}  // namespace

absl::Duration AccountingAgeFor(const SlurmAccounting* accounting) {
  const bool is_large = accounting != nullptr &&
                        accounting->associations.size() > kManyAssociations;
  return is_large ? kAccountingMaxAgeLarge : kAccountingMaxAge;
}

absl::Status CheckSlurmConf(const SlurmConfig& config) {
  if (access(config.conf.c_str(), R_OK) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      ErrnoError(errno, absl::StrCat("read \"", config.conf,
                                     "\" (slurm.conf of the backend)"))
          .message());
}

SlurmQuery::SlurmQuery(const SlurmConfig& config) : config_(config) {
  // Otherwise libslurm truncates the list of array tasks at 64 characters.
  setenv("SLURM_BITSTR_LEN", "0", 1);
  slurm_init(config_.conf.c_str());
}

absl::Status SlurmQuery::Refresh(PollScope scope) {
  const absl::Time begun = absl::Now();
  const absl::Status asked = PollChanges(scope, begun);
  OnPollEnd(begun, asked);
  return asked;
}

absl::StatusOr<std::map<SlurmJobId, SlurmJob>> SlurmQuery::RefreshJob(
    const std::vector<SlurmJobId>& jobs,
    const std::set<SlurmJobId>& state_suffices) {
  const absl::Time begun = absl::Now();
  const std::set<SlurmJobId> unchanged = FindUnchanged(state_suffices);
  std::vector<SlurmJobId> changed;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(changed),
               [&](SlurmJobId job) { return !unchanged.contains(job); });
  absl::StatusOr<std::map<SlurmJobId, SlurmJob>> asked = LoadJobs(changed);
  if (asked.ok()) {
    for (const auto& [id, job] : facts_.jobs) {
      if (unchanged.contains(id) || unchanged.contains(job.array)) {
        asked->emplace(id, job);
      }
    }
  }
  OnPollEnd(begun, asked.status());
  return asked;
}

void SlurmQuery::Track(std::set<SlurmJobId> jobs) {
  // Jobs that were left out before are not among the changes of the next query.
  const bool lacks_some =
      std::any_of(jobs.begin(), jobs.end(), [&](SlurmJobId id) {
        return !tracked_.contains(id) && !facts_.jobs.contains(id);
      });
  if (lacks_some) jobs_at_ = 0;
  tracked_ = std::move(jobs);
}

void SlurmQuery::OnPollEnd(absl::Time begun, const absl::Status& answer) {
  // libslurm fails over to the next controller by itself. Another controller
  // has another clock, so changes since the first one's time would be
  // incomplete.
  if (!answer.ok() || absl::Now() - begun > kMaxRound) {
    jobs_at_ = nodes_at_ = partitions_at_ = reservations_at_ = 0;
  }
  // After an outage everything is queried again. A slow controller is not
  // queried for more.
  if (!answer.ok()) {
    round_ = 0;
    configuration_is_known_ = false;
  }
}

absl::StatusOr<std::map<SlurmJobId, SlurmJob>> SlurmQuery::LoadJobs(
    const std::vector<SlurmJobId>& jobs) {
  std::map<SlurmJobId, SlurmJob> found;
  for (const SlurmJobId id : jobs) {
    job_info_msg_t* loaded = nullptr;
    if (LoadSlurmJob(id.value(), &loaded) != SLURM_SUCCESS) {
      const int error = SlurmErrno();
      if (error == ESLURM_INVALID_JOB_ID) continue;
      return MakePlainError(slurm_query_messages::kJobNotLoaded,
                            {{"problem", SlurmErrorText(error)}});
    }
    const Owned<job_info_msg_t, slurm_free_job_info_msg> message(loaded);
    for (uint32_t i = 0; i < message->record_count; ++i) {
      std::optional<SlurmJob> job = ToJob(message->job_array[i], tracked_);
      if (!job.has_value()) continue;
      const auto known = facts_.jobs.find(job->id);
      if (known != facts_.jobs.end() && job->state == SlurmState::kPending) {
        job->ahead = known->second.ahead;
      }
      found.insert_or_assign(job->id, *std::move(job));
    }
  }
  for (const auto& [id, job] : found) {
    const auto known = facts_.jobs.find(id);
    if (HoldsNodes(job) ||
        (known != facts_.jobs.end() && HoldsNodes(known->second))) {
      jobs_changed_ = true;
    }
    facts_.jobs.insert_or_assign(id, job);
  }
  return found;
}

std::set<SlurmJobId> SlurmQuery::FindUnchanged(
    const std::set<SlurmJobId>& jobs) const {
  if (jobs.empty()) return {};
  std::vector<uint32_t> ids;
  for (const SlurmJobId job : jobs) ids.push_back(job.value());
  // After an error each job is queried, which reports an outage.
  const auto states = LoadJobStates(ids);
  if (!states.ok()) return {};
  std::set<SlurmJobId> unchanged;
  std::set<SlurmJobId> changed;
  for (const auto& [id, record] : *states) {
    const auto known = facts_.jobs.find(SlurmJobId(id));
    const bool is_same = known != facts_.jobs.end() &&
                         known->second.state == ToState(record.state) &&
                         known->second.array == SlurmJobId(record.array);
    for (const SlurmJobId job : {SlurmJobId(id), SlurmJobId(record.array)}) {
      if (jobs.contains(job)) (is_same ? unchanged : changed).insert(job);
    }
  }
  for (const SlurmJobId job : changed) unchanged.erase(job);
  return unchanged;
}

absl::Status SlurmQuery::PollChanges(PollScope scope, absl::Time now) {
  if (!configuration_is_known_) RETURN_IF_ERROR(RefreshConfiguration());
  RETURN_IF_ERROR(RefreshJobs());
  // Nodes that Carme's jobs took or released show at once, other changes later.
  if (jobs_changed_ || scope.resources || round_ % kRoundsOfNodes == 0) {
    RETURN_IF_ERROR(RefreshNodes());
    jobs_changed_ = false;
  }
  if (scope.resources || round_ % kRoundsOfPartitions == 0) {
    RETURN_IF_ERROR(RefreshPartitions());
  }
  if (scope.resources || round_ % kRoundsOfReservations == 0) {
    RETURN_IF_ERROR(RefreshReservations());
  }
  if (scope.resources) facts_.resources_asked_at = now;
  ++round_;
  RefreshAccounting(scope.accounting);
  if (detail_is_new_) PublishDetail();
  return absl::OkStatus();
}

absl::Status SlurmQuery::RefreshConfiguration() {
  slurm_conf_t* loaded = nullptr;
  if (slurm_load_ctl_conf(0, &loaded) != SLURM_SUCCESS || loaded == nullptr) {
    return NoConfiguration(SlurmErrno());
  }
  release_mismatch_.reset();
  const Owned<slurm_conf_t, FreeSlurmConf> message(loaded);
  if (message->cluster_name != nullptr) {
    facts_.cluster_name = message->cluster_name;
    facts_.slurm_version = message->version != nullptr ? message->version : "";
    facts_.max_array_size = static_cast<int>(message->max_array_sz);
    facts_.min_job_age = message->min_job_age == 0
                             ? absl::InfiniteDuration()
                             : absl::Seconds(message->min_job_age);
    facts_.enforcement = EnforcementOf(*message);
    configuration_is_known_ = true;
    hides_reservations_ =
        (message->private_data & PRIVATE_DATA_RESERVATIONS) != 0;
  }
  return absl::OkStatus();
}

absl::Status SlurmQuery::NoConfiguration(int error) {
  const absl::Time now = absl::Now();
  const bool is_due = now - releases_compared_at_ >= kReleasesPeriod ||
                      now < releases_compared_at_;
  if (is_due && MayBeReleaseMismatch(error)) {
    release_mismatch_ = FindReleaseMismatch(error);
    releases_compared_at_ = now;
  }
  if (release_mismatch_) return absl::UnavailableError(*release_mismatch_);
  return MakePlainError(
      slurm_query_messages::kNotLoaded,
      {{"what", "configuration"}, {"problem", SlurmErrorText(error)}});
}

absl::Status SlurmQuery::RefreshJobs() {
  Owned<job_info_msg_t, slurm_free_job_info_msg> message;
  ASSIGN_OR_RETURN(const bool is_new,
                   LoadNew("jobs", &message, [this](auto** loaded) {
                     return slurm_load_jobs(jobs_at_, loaded, SHOW_ALL);
                   }));
  if (!is_new) return absl::OkStatus();
  if (message->record_count >= kManyJobs && !retains_memory_) {
    RetainFreedMemory();
    retains_memory_ = true;
  }
  std::map<SlurmJobId, SlurmJob> jobs;
  WaitingJobs waiting;
  detail_.releases.clear();
  detail_.running.clear();
  for (uint32_t i = 0; i < message->record_count; ++i) {
    waiting.Add(message->job_array[i]);
    AddRunning(message->job_array[i], &detail_);
  }
  waiting.Sort();
  for (uint32_t i = 0; i < message->record_count; ++i) {
    std::optional<SlurmJob> job = ToJob(message->job_array[i], tracked_);
    if (!job.has_value()) continue;
    job->ahead = waiting.AheadOf(message->job_array[i]);
    jobs.emplace(job->id, *std::move(job));
  }
  if (HeldNodesChanged(facts_.jobs, jobs)) jobs_changed_ = true;
  facts_.jobs = std::move(jobs);
  facts_.waiting = waiting.Counts();
  jobs_at_ = message->last_update;
  detail_is_new_ = true;
  return absl::OkStatus();
}

absl::Status SlurmQuery::RefreshNodes() {
  Owned<node_info_msg_t, slurm_free_node_info_msg> message;
  ASSIGN_OR_RETURN(const bool is_new,
                   LoadNew("nodes", &message, [this](auto** loaded) {
                     return slurm_load_node(nodes_at_, loaded, kNodeFlags);
                   }));
  if (!is_new) return absl::OkStatus();
  std::vector<SlurmNode> nodes;
  detail_.nodes.clear();
  for (uint32_t i = 0; i < message->record_count; ++i) {
    const node_info_t& node = message->node_array[i];
    // Unused entries of the node table have no name.
    if (node.name == nullptr) continue;
    nodes.push_back(ToNode(node, config_.feature));
    detail_.nodes.emplace(node.name, ToNodeDetail(node));
  }
  facts_.nodes = std::move(nodes);
  nodes_at_ = message->last_update;
  NamePartitionsOfNodes();
  detail_is_new_ = true;
  return absl::OkStatus();
}

absl::Status SlurmQuery::RefreshPartitions() {
  Owned<partition_info_msg_t, slurm_free_partition_info_msg> message;
  ASSIGN_OR_RETURN(
      const bool is_new, LoadNew("partitions", &message, [this](auto** loaded) {
        return slurm_load_partitions(partitions_at_, loaded, SHOW_ALL);
      }));
  if (!is_new) return absl::OkStatus();
  std::vector<SlurmPartition> partitions;
  for (uint32_t i = 0; i < message->record_count; ++i) {
    partitions.push_back(ToPartition(message->partition_array[i]));
  }
  facts_.partitions = std::move(partitions);
  partitions_at_ = message->last_update;
  NamePartitionsOfNodes();
  return absl::OkStatus();
}

// Hidden reservations look like missing ones. So the configuration is loaded
// before the query if reservations were hidden the last time, and after it if
// one is missing; hidden at either time counts.
absl::Status SlurmQuery::RefreshReservations() {
  if (hides_reservations_) {
    RETURN_IF_ERROR(RefreshConfiguration());
    reservations_at_ = 0;  // changes alone would not include them
  }
  bool hidden = hides_reservations_;
  const absl::Time asked_at = absl::Now();
  Owned<reserve_info_msg_t, slurm_free_reservation_info_msg> message;
  ASSIGN_OR_RETURN(const bool is_new,
                   LoadNew("reservations", &message, [this](auto** loaded) {
                     return slurm_load_reservations(reservations_at_, loaded);
                   }));
  if (is_new) {
    std::vector<SlurmReservation> reservations;
    for (uint32_t i = 0; i < message->record_count; ++i) {
      reservations.push_back(ToReservation(message->reservation_array[i]));
    }
    if (reservations_at_ == 0 ||
        IsMissingAny(reservations, facts_.reservations)) {
      RETURN_IF_ERROR(RefreshConfiguration());
      hidden = hidden || hides_reservations_;
    }
    facts_.reservations = std::move(reservations);
    reservations_at_ = message->last_update;
  }
  facts_.reservations_asked_at = asked_at;
  facts_.reservations_hidden = hidden;
  return absl::OkStatus();
}

void SlurmQuery::RefreshAccounting(bool wanted) {
  bool limited = false;
  for (const auto& [id, job] : facts_.jobs) {
    limited = limited || (job.state == SlurmState::kPending &&
                          (absl::StartsWith(job.reason, "Assoc") ||
                           absl::StartsWith(job.reason, "QOS") ||
                           absl::EndsWith(job.reason, "PerAccount")));
  }
  const bool is_large =
      facts_.accounting != nullptr &&
      facts_.accounting->associations.size() > kManyAssociations;
  absl::Duration period = is_large  ? kAccountingPeriodLarge
                          : limited ? kAccountingPeriodLimited
                                    : kAccountingPeriod;
  if (wanted) period = AccountingAgeFor(facts_.accounting.get());
  const absl::Time now = absl::Now();
  if (now - accounting_at_ < period && now >= accounting_at_) return;
  accounting_at_ = now;
  // Not critical: the last known values are still shown, with their time.
  absl::StatusOr<SlurmAccounting> asked = LoadAccounting();
  if (!asked.ok()) return;
  facts_.accounting =
      std::make_shared<const SlurmAccounting>(*std::move(asked));
}

void SlurmQuery::NamePartitionsOfNodes() {
  absl::flat_hash_map<std::string, SlurmNode*> by_name;
  for (SlurmNode& node : facts_.nodes) {
    node.partitions.clear();
    by_name[node.name] = &node;
  }
  for (const SlurmPartition& partition : facts_.partitions) {
    for (const std::string& name : partition.nodes) {
      const auto node = by_name.find(name);
      if (node == by_name.end()) continue;
      node->second->partitions.push_back(partition.name);
    }
  }
}

void SlurmQuery::PublishDetail() {
  std::sort(
      detail_.releases.begin(), detail_.releases.end(),
      [](const GpuRelease& a, const GpuRelease& b) { return a.at < b.at; });
  facts_.detail = std::make_shared<const ClusterDetail>(detail_);
  detail_is_new_ = false;
}

}  // namespace carme::backend
