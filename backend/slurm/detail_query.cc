#include "backend/slurm/detail_query.h"

#include "backend/slurm/gres.h"
#include "backend/slurm/node_state.h"

namespace carme::backend {
namespace {

const char* Text(const char* text) { return text != nullptr ? text : ""; }

}  // namespace

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
  ++detail->running[Text(job.partition)];
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
