// ClusterService and ClusterUtilizationService: the same snapshot of Slurm for
// the start form and for the page of the cluster.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "backend/history/free_gpus.h"
#include "backend/history/utilization.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "backend/rpc/start_form/start_cluster.h"
#include "backend/slurm/cluster_detail.h"
#include "backend/slurm/scheduler.h"
#include "carme/v1/cluster.grpc.pb.h"
#include "carme/v1/cluster_utilization.grpc.pb.h"
#include "common/clock.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kMaxSteps = 32;
constexpr size_t kMaxReasonBytes = 200;  // bytes

class ClusterService : public v1::ClusterService::Service {
 public:
  ClusterService(Scheduler* scheduler, Jobs* jobs)
      : scheduler_(*scheduler), jobs_(*jobs) {}

  grpc::Status GetCluster(grpc::ServerContext* context,
                          const v1::GetClusterRequest* /*request*/,
                          v1::GetClusterResponse* response) override {
    FillCluster(CallerOf(*context).session, &scheduler_, &jobs_, jobs_.quotas(),
                response);
    return grpc::Status::OK;
  }

 private:
  Scheduler& scheduler_;
  Jobs& jobs_;
};

void FillGpus(const SlurmNode& node, v1::ClusterNode* row) {
  for (const auto& [type, count] : node.gpus) {
    v1::NodeGpus* gpus = row->add_gpus();
    gpus->set_type(type);
    gpus->set_total(count);
    const auto used = node.gpus_used.find(type);
    if (used != node.gpus_used.end()) gpus->set_used(used->second);
  }
}

void FillNode(const SlurmNode& node, const ClusterDetail& detail,
              v1::ClusterNode* row) {
  row->set_name(node.name);
  row->set_cpus(node.cpus);
  row->set_cpus_used(node.cpus_used);
  row->set_memory_mib(node.memory_mib);
  row->set_memory_used_mib(node.memory_used_mib);
  FillGpus(node, row);
  *row->mutable_partitions() = {node.partitions.begin(), node.partitions.end()};
  row->set_for_jobs(node.has_feature);
  const auto found = detail.nodes.find(node.name);
  if (found == detail.nodes.end()) return;
  const NodeDetail& more = found->second;
  row->set_condition(more.state.condition);
  row->set_condition_text(more.state.text);
  row->set_state(more.state.slurm);
  row->set_reason(Readable(more.reason, kMaxReasonBytes));
  if (more.reason_since != absl::InfinitePast()) {
    Fill(more.reason_since, row->mutable_reason_since());
  }
}

void FillQueues(const SlurmSnapshot& cluster, const ClusterDetail& detail,
                v1::GetClusterUtilizationResponse* response) {
  for (const SlurmPartition& partition : cluster.partitions) {
    v1::Queue* queue = response->add_queues();
    queue->set_partition(partition.name);
    const auto running = detail.running.find(partition.name);
    if (running != detail.running.end()) queue->set_running(running->second);
    const auto waiting = cluster.waiting.find(partition.name);
    if (waiting != cluster.waiting.end()) queue->set_waiting(waiting->second);
  }
}

void FillPlaces(const SlurmSnapshot& cluster, const std::vector<Job>& jobs,
                v1::GetClusterUtilizationResponse* response) {
  for (const Job& job : jobs) {
    const auto seen = cluster.jobs.find(job.slurm_id);
    if (job.state != v1::JOB_STATE_PENDING || seen == cluster.jobs.end())
      continue;
    const SlurmJob& slurm = seen->second;
    if (slurm.uid != job.owner_uid || slurm.state != SlurmState::kPending) {
      continue;
    }
    v1::QueuePlace* place = response->add_places();
    place->set_job_id(job.id.value());
    place->set_name(job.spec.name);
    place->set_partition(job.spec.partition);
    place->set_ahead(slurm.ahead);
    if (slurm.expected_start != absl::InfinitePast()) {
      Fill(slurm.expected_start, place->mutable_expected_start());
    }
  }
}

void FillFreeGpus(const SlurmSnapshot& cluster, absl::Time now,
                  v1::GetClusterUtilizationResponse* response) {
  for (const FreeGpus& gpus : FreeGpusOver(cluster, now, kMaxSteps)) {
    v1::FreeGpus* row = response->add_free_gpus();
    row->set_type(gpus.type);
    row->set_total(gpus.total);
    row->set_free(gpus.free);
    for (const FreeStep& step : gpus.steps) {
      v1::FreeStep* line = row->add_steps();
      Fill(step.at, line->mutable_at());
      line->set_free(step.free);
    }
  }
}

class ClusterUtilizationService
    : public v1::ClusterUtilizationService::Service {
 public:
  ClusterUtilizationService(Scheduler* scheduler, ActiveJobs* live,
                            const UtilizationRecorder* record,
                            const Clock* clock)
      : scheduler_(*scheduler),
        live_(*live),
        record_(*record),
        clock_(*clock) {}

  grpc::Status GetClusterUtilization(
      grpc::ServerContext* context,
      const v1::GetClusterUtilizationRequest* /*request*/,
      v1::GetClusterUtilizationResponse* response) override {
    const Session session = CallerOf(*context).session;
    const SlurmSnapshotPtr cluster = scheduler_.Snapshot();
    const ClusterDetail nothing;
    const ClusterDetail& detail =
        cluster->detail != nullptr ? *cluster->detail : nothing;
    response->set_name(cluster->cluster_name);
    response->set_reachable(cluster->reachable);
    if (cluster->asked_at != absl::InfinitePast()) {
      Fill(cluster->asked_at, response->mutable_asked_at());
    }
    std::vector<const SlurmNode*> nodes;
    for (const SlurmNode& node : cluster->nodes) nodes.push_back(&node);
    std::sort(nodes.begin(), nodes.end(),
              [](const SlurmNode* a, const SlurmNode* b) {
                return a->name < b->name;
              });
    for (const SlurmNode* node : nodes) {
      FillNode(*node, detail, response->add_nodes());
    }
    FillQueues(*cluster, detail, response);
    std::vector<Job> mine = live_.Of(session.username);
    std::erase_if(mine,
                  [&](const Job& job) { return job.owner_uid != session.uid; });
    FillPlaces(*cluster, mine, response);
    FillFreeGpus(*cluster, clock_.Now(), response);
    return grpc::Status::OK;
  }

  grpc::Status GetUtilizationHistory(
      grpc::ServerContext* context,
      const v1::GetUtilizationHistoryRequest* request,
      v1::GetUtilizationHistoryResponse* response) override {
    const Caller caller = CallerOf(*context);
    const absl::StatusOr<UtilizationHistory> history =
        record_.Read(request->range());
    if (!history.ok()) {
      if (absl::IsInvalidArgument(history.status())) {
        return ToGrpc(history.status());
      }
      LogError("reading the utilization history failed",
               {{"request", caller.request_id},
                {"error", StatusText(history.status())}});
      return ToGrpc(
          MakeError(rpc_service_messages::kUtilizationHistoryUnavailable));
    }
    Fill(history->from, response->mutable_from());
    Fill(history->to, response->mutable_to());
    response->set_step_s(static_cast<int>(absl::ToInt64Seconds(history->step)));
    for (const auto& [type, points] : history->series) {
      v1::UtilizationSeries* series = response->add_series();
      series->set_gpu_type(type);
      for (const UtilizationPoint& point : points) {
        v1::UtilizationPoint* row = series->add_points();
        Fill(point.at, row->mutable_at());
        row->set_used(point.used);
        row->set_total(point.total);
        row->set_down(point.down);
      }
    }
    return grpc::Status::OK;
  }

 private:
  Scheduler& scheduler_;
  ActiveJobs& live_;
  const UtilizationRecorder& record_;
  const Clock& clock_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewClusterService(Scheduler* scheduler,
                                                 Jobs* jobs) {
  return std::make_unique<ClusterService>(scheduler, jobs);
}

std::unique_ptr<grpc::Service> NewClusterUtilizationService(
    Scheduler* scheduler, ActiveJobs* live, const UtilizationRecorder* record,
    const Clock* clock) {
  return std::make_unique<ClusterUtilizationService>(scheduler, live, record,
                                                     clock);
}

}  // namespace carme::backend
