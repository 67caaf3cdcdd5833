#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "backend/images/image_catalogue.h"
#include "backend/images/image_proto.h"
#include "backend/jobs/diagnosis/slurm_limits.h"
#include "backend/jobs/jobs.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/policy/cluster/capacity.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/services/services.h"
#include "backend/slurm/scheduler.h"
#include "carme/v1/cluster.grpc.pb.h"

namespace carme::backend {
namespace {

int UsedOf(const SlurmNode& node, const std::string& type) {
  const auto used = node.gpus_used.find(type);
  return used == node.gpus_used.end() ? 0 : used->second;
}

void AddNode(const SlurmNode& node, const std::string& type, int count,
             v1::GpuType* row) {
  if (!node.up) {
    row->set_down(row->down() + count);
    return;
  }
  const int free = std::max(0, count - UsedOf(node, type));
  row->set_total(row->total() + count);
  row->set_free(row->free() + free);
  row->set_max_per_node(std::max(row->max_per_node(), count));
  row->set_max_free_per_node(std::max(row->max_free_per_node(), free));
}

void FillGpus(const SlurmSnapshot& cluster, v1::GetClusterResponse* response) {
  std::map<std::string, v1::GpuType> rows;
  std::map<std::string, std::set<std::string>> partitions;
  for (const SlurmNode* node : NodesForJobs(cluster, "")) {
    for (const auto& [type, count] : node->gpus) {
      AddNode(*node, type, count, &rows[type]);
      partitions[type].insert(node->partitions.begin(), node->partitions.end());
    }
  }
  for (auto& [type, row] : rows) {
    row.set_type(type);
    for (const std::string& name : partitions[type]) row.add_partitions(name);
    *response->add_gpu_types() = row;
  }
}

void FillCpus(const SlurmSnapshot& cluster, v1::CpuUse* cpus) {
  int total = 0, used = 0;
  for (const SlurmNode* node : NodesForJobs(cluster, "")) {
    if (!node->up) continue;
    total += node->cpus;
    used += std::min(node->cpus, node->cpus_used);
  }
  cpus->set_total(total);
  cpus->set_free(total - used);
}

void FillPartitions(const SlurmSnapshot& cluster,
                    v1::GetClusterResponse* response) {
  for (const SlurmPartition& partition : cluster.partitions) {
    v1::Partition* row = response->add_partitions();
    row->set_name(partition.name);
    row->set_is_default(partition.is_default);
    row->set_up(partition.up);
    row->set_state(partition.state);
    if (partition.max_walltime) {
      Fill(*partition.max_walltime, row->mutable_max_walltime());
    }
    row->set_nodes(
        static_cast<int>(NodesForJobs(cluster, partition.name).size()));
  }
}

void FillLimits(Role role, const Limits& limits, v1::Limits* row) {
  row->set_max_gpus_per_job(limits.max_gpus_per_job);
  row->set_max_running_jobs(limits.max_running_jobs);
  if (limits.max_walltime > absl::ZeroDuration()) {
    Fill(limits.max_walltime, row->mutable_max_walltime());
  }
  row->set_source(std::string(LimitsSource(role)));
}

class ClusterService : public v1::ClusterService::Service {
 public:
  ClusterService(Scheduler* scheduler, Jobs* jobs)
      : scheduler_(*scheduler), jobs_(*jobs) {}

  grpc::Status GetCluster(grpc::ServerContext* context,
                          const v1::GetClusterRequest* /*request*/,
                          v1::GetClusterResponse* response) override {
    const Session session = CallerOf(*context).session;
    const SlurmSnapshotPtr cluster = scheduler_.Snapshot();
    response->set_name(cluster->cluster_name);
    response->mutable_slurm()->set_reachable(cluster->reachable);
    if (cluster->since != absl::InfinitePast()) {
      Fill(cluster->since, response->mutable_slurm()->mutable_since());
    }
    FillGpus(*cluster, response);
    FillCpus(*cluster, response->mutable_cpus());
    FillPartitions(*cluster, response);
    for (const App& app : jobs_.config().apps) {
      v1::App* row = response->add_apps();
      row->set_id(app.id);
      row->set_name(app.name);
      row->set_icon(app.icon);
      row->set_description(app.description);
      row->set_requires_file(app.requires_file);
    }
    for (const Image& image : jobs_.images().UsableBy(PersonOf(session))) {
      v1::ImageChoice* row = response->add_images();
      row->set_id(image.id);
      row->set_description(image.description);
      *row->mutable_apps() = {image.apps.begin(), image.apps.end()};
      row->set_owner(image.owner);
      row->set_deprecated(image.deprecated);
      row->set_driver(image.driver);
      row->set_cuda(image.cuda);
    }
    for (const ImageRecord& record : jobs_.images().IncompleteFixed()) {
      v1::PendingImage* row = response->add_pending_images();
      row->set_id(record.image.id);
      *row->mutable_apps() = {record.image.apps.begin(),
                              record.image.apps.end()};
      if (record.build) Fill(*record.build, row->mutable_build());
      row->set_problem(record.problem);
    }
    FillLimits(session.role, jobs_.config().LimitsOf(session.role),
               response->mutable_limits());
    NarrowLimits(session, response->mutable_limits());
    for (std::string& name : QosOf(*cluster, session.username)) {
      response->mutable_limits()->add_qos(std::move(name));
    }
    response->mutable_limits()->set_jobs_now(
        jobs_.active().CountOf(session.username));
    response->set_version(cluster->version);
    return grpc::Status::OK;
  }

 private:
  // The user's own limits instead of the role's. If they are unknown, the
  // policy reports it.
  void NarrowLimits(const Session& session, v1::Limits* row) {
    if (jobs_.quotas() == nullptr) return;
    const absl::StatusOr<QuotaTerms> terms =
        jobs_.quotas()->For(jobs_.quotas()->AskerOf(session), "");
    if (!terms.ok()) return;
    row->clear_max_gpus_per_job();
    row->clear_max_running_jobs();
    row->clear_max_walltime();
    for (const QuotaRule& rule : terms->rules) {
      if (!rule.max) continue;
      const auto max = static_cast<int32_t>(*rule.max);
      if (rule.metric == v1::LIMIT_METRIC_GPUS_PER_JOB) {
        row->set_max_gpus_per_job(max);
        row->set_source(QuotaSource(rule));
      } else if (rule.metric == v1::LIMIT_METRIC_JOBS) {
        row->set_max_running_jobs(max);
      } else if (rule.metric == v1::LIMIT_METRIC_WALLTIME && max > 0) {
        Fill(absl::Minutes(max), row->mutable_max_walltime());
      }
    }
  }

  Scheduler& scheduler_;
  Jobs& jobs_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewClusterService(Scheduler* scheduler,
                                                 Jobs* jobs) {
  return std::make_unique<ClusterService>(scheduler, jobs);
}

}  // namespace carme::backend
