#include "backend/rpc/metrics/measured_job.h"

#include <string>

#include "absl/strings/ascii.h"

namespace carme::backend {
namespace {

int64_t MillisOf(const std::optional<absl::Time>& time) {
  return time ? absl::ToUnixMillis(*time) : 0;
}

uint32_t Count(int count) { return static_cast<uint32_t>(std::max(count, 0)); }

// "JOB_END_COMPLETED": "completed".
std::string ResultOf(JobEnd end) {
  constexpr size_t kPrefix = sizeof("JOB_END_") - 1;
  const std::string& name = v1::JobEnd_Name(end);
  return end == v1::JOB_END_UNSPECIFIED || name.size() <= kPrefix
             ? ""
             : absl::AsciiStrToLower(name.substr(kPrefix));
}

}  // namespace

v1::MeasuredJob MeasuredJobOf(const Job& job) {
  v1::MeasuredJob message;
  message.set_job_id(job.id.value());
  message.set_slurm_job_id(job.slurm_id.value());
  message.set_name(job.spec.name);
  message.set_owner(job.owner);
  message.set_project(job.spec.project);
  message.set_partition(job.spec.partition);
  for (const std::string& node : job.nodes) message.add_nodes(node);
  message.set_gpus_per_node(Count(job.spec.gpus_per_node));
  message.set_gpu_type(job.spec.gpu_type);
  message.set_cpus_per_node(Count(job.spec.cpus_per_node));
  message.set_started_at_ms(MillisOf(job.started_at));
  message.set_ended_at_ms(MillisOf(job.ended_at));
  message.set_result(ResultOf(job.end));
  message.set_walltime_s(absl::ToInt64Seconds(job.spec.walltime));
  return message;
}

}  // namespace carme::backend
