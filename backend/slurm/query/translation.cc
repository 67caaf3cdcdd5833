#include "backend/slurm/query/translation.h"

#include <sys/wait.h>

#include <algorithm>

#include "backend/slurm/query/gres.h"
#include "backend/slurm/query/job_size.h"
#include "backend/slurm/query/node_state.h"

namespace carme::backend {
namespace {

constexpr std::string_view kCommentPrefix = "carme:";
// Node features by which a site names the driver of the node's GPUs.
constexpr std::string_view kDriverFeature = "driver-";
constexpr std::string_view kCudaFeature = "cuda-";

std::string_view Text(const char* text) { return text != nullptr ? text : ""; }

absl::Time ToTime(time_t time, absl::Time absent) {
  return time > 0 ? absl::FromTimeT(time) : absent;
}

// In a comma-separated list.
bool HasWord(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

std::vector<std::string> WordsOf(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (comma > 0) words.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return words;
}

// The name of what a job waits for, unless Slurm has a description.
std::string_view DetailOf(const slurm_job_info_t& job) {
  if (job.state_desc != nullptr) return job.state_desc;
  switch (job.state_reason) {
    case WAIT_DEPENDENCY:
    case WAIT_DEP_INVALID:
      return Text(job.dependency);
    case WAIT_RESERVATION:
      return Text(job.resv_name);
    case WAIT_LICENSES:
      return Text(job.licenses);
    default:
      return "";
  }
}

std::vector<std::string> NodesOf(const slurm_job_info_t& job) {
  if (job.nodes == nullptr) return {};
  std::vector<std::string> nodes = ExpandHostlist(job.nodes);
  const auto batch_host =
      std::find(nodes.begin(), nodes.end(), Text(job.batch_host));
  if (batch_host != nodes.end()) {
    std::rotate(nodes.begin(), batch_host, batch_host + 1);
  }
  return nodes;
}

}  // namespace

std::string WordAfter(std::string_view list, std::string_view prefix) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view word = list.substr(0, comma);
    if (word.starts_with(prefix)) {
      return std::string(word.substr(prefix.size()));
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return "";
}

std::optional<JobId> JobIdOfComment(std::string_view comment) {
  if (!comment.starts_with(kCommentPrefix)) return std::nullopt;
  comment.remove_prefix(kCommentPrefix.size());
  if (!IsJobId(comment)) return std::nullopt;
  return JobId(std::string(comment));
}

SlurmState ToState(uint32_t job_state) {
  const uint32_t base = job_state & JOB_STATE_BASE;
  if ((job_state & JOB_COMPLETING) != 0) return SlurmState::kCompleting;
  switch (base) {
    case JOB_PENDING:
      return SlurmState::kPending;
    case JOB_RUNNING:
      return SlurmState::kRunning;
    case JOB_SUSPENDED:
      return SlurmState::kSuspended;
    case JOB_COMPLETE:
      return SlurmState::kCompleted;
    case JOB_CANCELLED:
      return SlurmState::kCancelled;
    case JOB_PREEMPTED:
      return SlurmState::kPreempted;
    case JOB_FAILED:
      return SlurmState::kFailed;
    case JOB_TIMEOUT:
      return SlurmState::kTimeLimit;
    case JOB_DEADLINE:
      return SlurmState::kDeadline;
    case JOB_NODE_FAIL:
      return SlurmState::kNodeFail;
    case JOB_BOOT_FAIL:
      return SlurmState::kBootFail;
    case JOB_OOM:
      return SlurmState::kOutOfMemory;
    default:
      return SlurmState::kUnknown;
  }
}

int ToExitCode(uint32_t wait_status) {
  const auto status = static_cast<int>(wait_status);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool IsUp(uint32_t node_state) {
  constexpr uint64_t kAway = NODE_STATE_DRAIN | NODE_STATE_FAIL |
                             NODE_STATE_NO_RESPOND | NODE_STATE_RES |
                             NODE_STATE_MAINT | NODE_STATE_REBOOT_ISSUED |
                             NODE_STATE_INVALID_REG | NODE_STATE_POWER_DRAIN;
  if ((node_state & kAway) != 0) return false;
  switch (node_state & NODE_STATE_BASE) {
    case NODE_STATE_IDLE:
    case NODE_STATE_ALLOCATED:
    case NODE_STATE_MIXED:
      return true;
    default:
      return false;
  }
}

std::optional<SlurmJob> ToJob(const slurm_job_info_t& job,
                              const std::set<SlurmJobId>& tracked) {
  const std::optional<JobId> carme_id = JobIdOfComment(Text(job.comment));
  if (!carme_id.has_value() && !tracked.contains(SlurmJobId(job.job_id)) &&
      (job.array_job_id == 0 ||
       !tracked.contains(SlurmJobId(job.array_job_id)))) {
    return std::nullopt;
  }
  SlurmJob result;
  result.id = SlurmJobId(job.job_id);
  result.carme_id = carme_id.value_or(JobId());
  result.submitted = ToTime(job.submit_time, absl::InfinitePast());
  result.size = SizeOf(job);
  result.uid = Uid(job.user_id);
  result.name = Text(job.name);
  result.state = ToState(job.job_state);
  result.reason = ReasonOf(job);
  result.detail = DetailOf(job);
  result.restarts = job.restart_cnt;
  result.nodes = NodesOf(job);
  // Before the start these are Slurm's estimates, or unset.
  if (result.state == SlurmState::kPending) {
    result.expected_start = ToTime(job.start_time, absl::InfinitePast());
  } else {
    result.started_at = ToTime(job.start_time, absl::InfinitePast());
    result.ends_at = ToTime(job.end_time, absl::InfiniteFuture());
  }
  result.exit_code = ToExitCode(job.exit_code);
  if (job.time_limit != INFINITE && job.time_limit != NO_VAL) {
    result.walltime = absl::Minutes(job.time_limit);
  }
  result.held = result.state == SlurmState::kPending && job.priority == 0;
  result.partition = Text(job.partition);
  result.account = Text(job.account);
  result.qos = Text(job.qos);
  result.reservation = Text(job.resv_name);
  if (job.array_job_id != 0) {
    result.array = SlurmJobId(job.array_job_id);
    if (job.array_task_id != NO_VAL) result.task = job.array_task_id;
    result.tasks_waiting = Text(job.array_task_str);
    result.at_once =
        static_cast<int>(std::min<uint32_t>(job.array_max_tasks, INT32_MAX));
  }
  return result;
}

SlurmNode ToNode(const node_info_t& node, std::string_view feature) {
  const NodeUse use = UseOf(node);
  SlurmNode result;
  result.name = Text(node.name);
  result.address = Text(node.node_addr != nullptr ? node.node_addr : node.name);
  result.up = IsUp(node.node_state);
  // The active features are unset if no plugin changes them.
  const std::string_view features =
      Text(node.features_act != nullptr ? node.features_act : node.features);
  result.has_feature = HasWord(features, feature);
  result.driver = WordAfter(features, kDriverFeature);
  result.cuda = WordAfter(features, kCudaFeature);
  result.cpus = node.cpus_efctv > 0 ? node.cpus_efctv : node.cpus;
  result.cpus_used = use.cpus;
  result.memory_mib =
      static_cast<int64_t>(node.real_memory - node.mem_spec_limit);
  result.memory_used_mib = use.memory_mib;
  result.gpus = ParseGpus(Text(node.gres));
  result.gpus_used = ParseGpus(Text(node.gres_used));
  return result;
}

SlurmReservation ToReservation(const reserve_info_t& reservation) {
  return {.name = std::string(Text(reservation.name)),
          .starts_at = ToTime(reservation.start_time, absl::InfinitePast()),
          .ends_at = ToTime(reservation.end_time, absl::InfiniteFuture()),
          .nodes = reservation.node_list != nullptr
                       ? ExpandHostlist(reservation.node_list)
                       : std::vector<std::string>(),
          .partition = std::string(Text(reservation.partition)),
          .users = WordsOf(Text(reservation.users)),
          .accounts = WordsOf(Text(reservation.accounts)),
          .groups = WordsOf(Text(reservation.groups)),
          .for_maintenance = (reservation.flags & RESERVE_FLAG_MAINT) != 0};
}

namespace {

v1::PartitionState StateOf(uint16_t state) {
  switch (state) {
    case PARTITION_UP:
      return v1::PARTITION_STATE_UP;
    case PARTITION_DOWN:
      return v1::PARTITION_STATE_DOWN;
    case PARTITION_DRAIN:
      return v1::PARTITION_STATE_DRAIN;
    case PARTITION_INACTIVE:
      return v1::PARTITION_STATE_INACTIVE;
    default:
      return v1::PARTITION_STATE_UNSPECIFIED;
  }
}

}  // namespace

SlurmPartition ToPartition(const partition_info_t& partition) {
  SlurmPartition result;
  result.name = Text(partition.name);
  result.is_default = (partition.flags & PART_FLAG_DEFAULT) != 0;
  result.up = partition.state_up == PARTITION_UP;
  result.state = StateOf(partition.state_up);
  result.qos = Text(partition.qos_char);
  result.exclusive = partition.max_share == 0;
  if (partition.max_time != INFINITE) {
    result.max_walltime = absl::Minutes(partition.max_time);
  }
  if (partition.nodes != nullptr) {
    result.nodes = ExpandHostlist(partition.nodes);
  }
  return result;
}

NodeDetail ToNodeDetail(const node_info_t& node) {
  NodeDetail detail;
  detail.state = NodeStateOf(node.node_state);
  detail.reason = Text(node.reason);
  if (!detail.reason.empty() && node.reason_time != 0) {
    detail.reason_since = absl::FromTimeT(node.reason_time);
  }
  return detail;
}

void AddRunning(const slurm_job_info_t& job, ClusterDetail* detail) {
  const uint32_t base = job.job_state & JOB_STATE_BASE;
  if (base != JOB_RUNNING && base != JOB_SUSPENDED) return;
  ++detail->running[std::string(Text(job.partition))];
  if (job.gres_total == nullptr) return;
  const bool endless = job.end_time == 0 || job.time_limit == INFINITE ||
                       job.time_limit == NO_VAL;
  const absl::Time at =
      endless ? absl::InfiniteFuture() : absl::FromTimeT(job.end_time);
  for (const auto& [type, count] : ParseGpus(job.gres_total)) {
    if (count > 0) detail->releases.push_back({at, type, count});
  }
}

}  // namespace carme::backend
