// Converts an allowed decision to a Submission.
#ifndef CARME_BACKEND_JOBS_MODEL_SLURM_SUBMISSION_H_
#define CARME_BACKEND_JOBS_MODEL_SLURM_SUBMISSION_H_

#include "backend/policy/policy.h"
#include "backend/slurm/submitter.h"

namespace carme::backend {

// For a submission and for an estimate of the start.
inline Submission SubmissionOf(const JobId& id, const Decision& decision) {
  const JobSpec& spec = decision.spec;
  return {.job = id,
          .name = spec.name,
          .partition = spec.partition,
          .nodes = spec.nodes,
          .gpus_per_node = spec.gpus_per_node,
          .gpu_type = spec.gpu_type,
          .cpus_per_node = spec.cpus_per_node,
          .memory_per_node_mib = spec.memory_per_node_mib,
          .walltime = spec.walltime,
          .excluded_nodes = decision.excluded_nodes,
          .account = decision.account,
          .qos = spec.qos,
          .reservation = spec.reservation,
          .begin = spec.start_at,
          .array = spec.batch ? spec.batch->array : "",
          .dependencies = decision.dependencies};
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_SLURM_SUBMISSION_H_
