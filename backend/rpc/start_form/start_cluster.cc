#include "backend/rpc/start_form/start_cluster.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "backend/images/image_catalogue.h"
#include "backend/images/image_proto.h"
#include "backend/jobs/diagnosis/slurm_limits.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/policy/cluster/capacity.h"
#include "carme/v1/cluster.pb.h"

namespace carme::backend {
namespace {

int GpusUsedOf(const SlurmNode& node, const std::string& type) {
  const auto used = node.gpus_used.find(type);
  return used == node.gpus_used.end() ? 0 : used->second;
}

void AddGpus(const SlurmNode& node, const std::string& type, int count,
             v1::GpuType* row) {
  if (!node.up) {
    row->set_down(row->down() + count);
    return;
  }
  const int free = std::max(0, count - GpusUsedOf(node, type));
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
      AddGpus(*node, type, count, &rows[type]);
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

void FillRoleLimits(Role role, const Limits& limits, v1::Limits* row) {
  row->set_max_gpus_per_job(limits.max_gpus_per_job);
  row->set_max_running_jobs(limits.max_running_jobs);
  if (limits.max_walltime > absl::ZeroDuration()) {
    Fill(limits.max_walltime, row->mutable_max_walltime());
  }
  row->set_source(std::string(LimitsSource(role)));
}

void FillOfferedApps(const JobsConfig& config,
                     v1::GetClusterResponse* response) {
  for (const App& app : config.apps) {
    v1::App* row = response->add_apps();
    row->set_id(app.id);
    row->set_name(app.name);
    row->set_icon(app.icon);
    row->set_description(app.description);
    row->set_requires_file(app.requires_file);
  }
}

void FillOfferedImages(const Person& user, ImageCatalogue& images,
                       v1::GetClusterResponse* response) {
  for (const Image& image : images.UsableBy(user)) {
    v1::ImageChoice* row = response->add_images();
    row->set_id(image.id);
    row->set_description(image.description);
    *row->mutable_apps() = {image.apps.begin(), image.apps.end()};
    row->set_owner(image.owner);
    row->set_deprecated(image.deprecated);
    row->set_driver(image.driver);
    row->set_cuda(image.cuda);
  }
  for (const ImageRecord& record : images.IncompleteFixed()) {
    v1::PendingImage* row = response->add_pending_images();
    row->set_id(record.image.id);
    *row->mutable_apps() = {record.image.apps.begin(), record.image.apps.end()};
    if (record.build) Fill(*record.build, row->mutable_build());
    row->set_problem(record.problem);
  }
}

// The user's own limits instead of the role's. If they are unknown, the policy
// reports it.
void NarrowLimits(const Session& user, Quotas* quotas, v1::Limits* row) {
  if (quotas == nullptr) return;
  const absl::StatusOr<QuotaTerms> terms =
      quotas->For(quotas->AskerOf(user), "");
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

}  // namespace

void FillCluster(const Session& user, Scheduler* scheduler, Jobs* jobs,
                 Quotas* quotas, v1::GetClusterResponse* response) {
  const SlurmSnapshotPtr cluster = scheduler->Snapshot();
  response->set_name(cluster->cluster_name);
  response->mutable_slurm()->set_reachable(cluster->reachable);
  if (cluster->since != absl::InfinitePast()) {
    Fill(cluster->since, response->mutable_slurm()->mutable_since());
  }
  FillGpus(*cluster, response);
  FillCpus(*cluster, response->mutable_cpus());
  FillPartitions(*cluster, response);
  FillOfferedApps(jobs->config(), response);
  FillOfferedImages(PersonOf(user), jobs->images(), response);
  v1::Limits* limits = response->mutable_limits();
  FillRoleLimits(user.role, jobs->config().LimitsOf(user.role), limits);
  NarrowLimits(user, quotas, limits);
  for (std::string& name : QosOf(*cluster, user.username)) {
    limits->add_qos(std::move(name));
  }
  limits->set_jobs_now(jobs->active().CountOf(user.username));
  response->set_version(cluster->version);
}

std::vector<std::string> AccountsOfUser(const SlurmSnapshot& cluster,
                                        const std::string& username) {
  std::vector<std::string> accounts;
  if (cluster.accounting == nullptr) return accounts;
  std::set<std::string> others;
  for (const SlurmAssociation& row : cluster.accounting->associations) {
    if (row.user != username) continue;
    if (row.is_default && accounts.empty()) {
      accounts.push_back(row.account);
    } else {
      others.insert(row.account);
    }
  }
  for (const std::string& account : others) {
    if (accounts.empty() || account != accounts[0]) accounts.push_back(account);
  }
  return accounts;
}

}  // namespace carme::backend
