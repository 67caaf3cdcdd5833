// Templates that a cluster suggests: one for each GPU type of each partition,
// one for its nodes without GPUs. A pure function.
#ifndef CARME_BACKEND_TEMPLATES_TEMPLATE_IMPORT_H_
#define CARME_BACKEND_TEMPLATES_TEMPLATE_IMPORT_H_

#include <string>
#include <vector>

#include "backend/slurm/snapshot.h"
#include "backend/templates/template_record.h"

namespace carme::backend {

struct TemplateProposal {
  JobTemplate job_template{};  // without an id
  std::string note{};          // what it was made of, for a person
  bool known = false;          // there is one for this partition and type
};

// All nodes for Carme's jobs count, in service or not: they come back. Each GPU
// is worth the smallest share of CPUs and memory that it has on any of them.
std::vector<TemplateProposal> ProposeTemplates(
    const SlurmSnapshot& cluster, const std::vector<TemplateRecord>& existing);

}  // namespace carme::backend

#endif  // CARME_BACKEND_TEMPLATES_TEMPLATE_IMPORT_H_
