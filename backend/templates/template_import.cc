#include "backend/templates/template_import.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/policy/cluster/capacity.h"
#include "backend/templates/messages.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxImportedNameBytes = 64;
constexpr size_t kMaxNamed = 5;
constexpr absl::Duration kMaxImportedWalltime = absl::Hours(24 * 365);
constexpr char kUntyped[] = "gpu";  // as the snapshot calls it

using Nodes = std::vector<const SlurmNode*>;

// "n1, n2 and 3 more"
std::string Named(const Nodes& nodes) {
  std::vector<std::string> names;
  for (const SlurmNode* node : nodes) {
    if (names.size() < kMaxNamed) names.push_back(node->name);
  }
  const std::string first = absl::StrJoin(names, ", ");
  if (nodes.size() <= kMaxNamed) return first;
  return FormatMessage(template_messages::kAndMore,
                       {{"nodes", first}, {"more", nodes.size() - kMaxNamed}});
}

// The nodes with GPUs of the type; empty: those without GPUs.
Nodes NodesWith(const Nodes& nodes, const std::string& type) {
  Nodes found;
  for (const SlurmNode* node : nodes) {
    const int gpus = GpusOf(*node, type);
    if (type.empty() ? gpus == 0 : gpus > 0) found.push_back(node);
  }
  return found;
}

std::string NoteOf(const SlurmPartition& partition, const Nodes& nodes) {
  Nodes out;
  for (const SlurmNode* node : nodes) {
    if (!node->up) out.push_back(node);
  }
  std::string note =
      nodes.size() == 1
          ? FormatMessage(template_messages::kOneNode,
                          {{"nodes", Named(nodes)}})
          : FormatMessage(template_messages::kNodes,
                          {{"count", nodes.size()}, {"nodes", Named(nodes)}});
  if (!out.empty()) {
    absl::StrAppend(&note, " ",
                    FormatMessage(template_messages::kOutOfService,
                                  {{"nodes", Named(out)}}));
  }
  if (partition.up) return note;
  const MessageTemplate& state =
      partition.state == v1::PARTITION_STATE_DRAIN ? template_messages::kDrained
      : partition.state == v1::PARTITION_STATE_INACTIVE
          ? template_messages::kInactive
          : template_messages::kDown;
  absl::StrAppend(&note, " ", FormatMessage(state));
  return note;
}

void TakeShares(const Nodes& nodes, const std::string& type,
                JobTemplate* job_template) {
  int64_t cpus = INT32_MAX;
  int64_t memory = INT64_MAX;
  for (const SlurmNode* node : nodes) {
    const int64_t all = GpusOf(*node, "");
    cpus = std::min(cpus, std::max<int64_t>(1, node->cpus / all));
    memory = std::min(memory, node->memory_mib / all);
    job_template->max_gpus_per_node =
        std::max(job_template->max_gpus_per_node, GpusOf(*node, type));
  }
  job_template->cpus_per_gpu = static_cast<int>(cpus);
  job_template->memory_per_gpu_mib = memory;
}

// An empty type: without GPUs.
TemplateProposal Propose(const SlurmPartition& partition, const Nodes& nodes,
                         const std::string& type) {
  TemplateProposal proposal{.note = NoteOf(partition, nodes)};
  JobTemplate& made = proposal.job_template;
  made.partition = partition.name;
  made.max_nodes = static_cast<int>(nodes.size());
  made.max_walltime = std::min(
      absl::Floor(partition.max_walltime.value_or(absl::ZeroDuration()),
                  absl::Minutes(1)),
      kMaxImportedWalltime);
  made.no_gpus = type.empty();
  if (!made.no_gpus) TakeShares(nodes, type, &made);
  if (!made.no_gpus && type != kUntyped) made.gpu_types = {type};
  const std::string what = made.no_gpus       ? "CPU"
                           : type == kUntyped ? "GPU"
                                              : type;
  made.name =
      Readable(absl::StrCat(partition.name, " ", what), kMaxImportedNameBytes);
  return proposal;
}

bool IsKnown(const JobTemplate& made,
             const std::vector<TemplateRecord>& existing) {
  return std::any_of(existing.begin(), existing.end(),
                     [&](const TemplateRecord& record) {
                       const JobTemplate& other = record.job_template;
                       return other.partition == made.partition &&
                              other.gpu_types == made.gpu_types &&
                              other.no_gpus == made.no_gpus;
                     });
}

}  // namespace

std::vector<TemplateProposal> ProposeTemplates(
    const SlurmSnapshot& cluster, const std::vector<TemplateRecord>& existing) {
  std::vector<TemplateProposal> proposals;
  for (const SlurmPartition& partition : cluster.partitions) {
    Nodes nodes = NodesForJobs(cluster, partition.name);
    // Nodes that never registered have no known size.
    std::erase_if(nodes, [](const SlurmNode* node) { return node->cpus <= 0; });
    const std::set<std::string> types = GpuTypesOf(nodes);
    std::string aside;
    // Untyped GPUs are allocated to any request: no template can select them.
    if (types.size() > 1 && types.contains(kUntyped)) {
      aside = absl::StrCat(
          " ", FormatMessage(template_messages::kUntypedGpus,
                             {{"nodes", Named(NodesWith(nodes, kUntyped))}}));
    }
    for (const std::string& type : types) {
      if (!aside.empty() && type == kUntyped) continue;
      proposals.push_back(Propose(partition, NodesWith(nodes, type), type));
      proposals.back().note += aside;
    }
    const Nodes without = NodesWith(nodes, "");
    if (!without.empty()) proposals.push_back(Propose(partition, without, ""));
  }
  for (TemplateProposal& proposal : proposals) {
    proposal.known = IsKnown(proposal.job_template, existing);
  }
  return proposals;
}

}  // namespace carme::backend
