// Suggested templates for a cluster: one per GPU type of each partition, and
// one for nodes without GPUs. A pure function.
#ifndef CARME_BACKEND_TEMPLATES_TEMPLATE_IMPORT_H_
#define CARME_BACKEND_TEMPLATES_TEMPLATE_IMPORT_H_

#include <string>
#include <vector>

#include "backend/slurm/snapshot.h"
#include "backend/templates/template_record.h"

namespace carme::backend {

struct TemplateProposal {
  JobTemplate job_template{};  // without an id
  std::string note{};          // for the administrator
  bool known = false;          // a template for this partition and type exists
};

// Uses all nodes for jobs of Carme, in service or not. The share per GPU is the
// smallest share of CPUs and memory on any node.
std::vector<TemplateProposal> ProposeTemplates(
    const SlurmSnapshot& cluster, const std::vector<TemplateRecord>& existing);

}  // namespace carme::backend

#endif  // CARME_BACKEND_TEMPLATES_TEMPLATE_IMPORT_H_
