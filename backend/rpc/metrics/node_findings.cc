#include "backend/rpc/metrics/node_findings.h"

#include <algorithm>
#include <string>

namespace carme::backend {
namespace {

v1::NodeEntrySeverity SeverityOf(v1::JobFinding::Severity severity) {
  switch (severity) {
    case v1::JobFinding::SEVERITY_ERROR:
      return v1::NODE_ENTRY_SEVERITY_ERROR;
    case v1::JobFinding::SEVERITY_WARNING:
      return v1::NODE_ENTRY_SEVERITY_WARNING;
    default:
      return v1::NODE_ENTRY_SEVERITY_INFO;
  }
}

}  // namespace

std::vector<NodeEntry> NodeEntriesOf(
    const v1::RecordNodeFindingsRequest& request, const Job& job) {
  std::vector<NodeEntry> entries;
  for (const v1::NodeFinding& finding : request.findings()) {
    std::string node = finding.node();
    if (node.empty() && job.nodes.size() == 1) node = job.nodes[0];
    if (std::find(job.nodes.begin(), job.nodes.end(), node) ==
        job.nodes.end()) {
      continue;
    }
    entries.push_back({.node = node,
                       .source = v1::NODE_ENTRY_SOURCE_FINDING,
                       .severity = SeverityOf(finding.severity()),
                       .name = finding.rule(),
                       .run = job.id.value(),
                       .job_id = job.id.value(),
                       .slurm_job_id = job.slurm_id.value(),
                       .user = job.owner,
                       .text = finding.title()});
  }
  return entries;
}

}  // namespace carme::backend
