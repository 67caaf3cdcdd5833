// The coordinator in this process, with a process for each node.
#ifndef CARME_TESTS_SLURM_HOOKS_VET_WORKER_PROCESSES_H_
#define CARME_TESTS_SLURM_HOOKS_VET_WORKER_PROCESSES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "slurm-hooks/vet/coordination/channel.h"
#include "slurm-hooks/vet/coordination/coordinator.h"

namespace carme::vet {

// What a node does once it is connected, in its process.
using Behaviour = std::function<void(Channel, uint32_t rank)>;

// A worker as carme-vet has it.
void Honest(Channel channel, uint32_t rank);

// Vets the nodes n1, n2, … by the text of a configuration. nullptr: the node
// does not connect. Ends when all processes have.
absl::StatusOr<VetRun> TryWith(const std::string& config,
                               const std::vector<Behaviour>& behaviours,
                               absl::Duration connect_timeout);
// The same, which must not fail.
VetRun RunWith(const std::string& config,
               const std::vector<Behaviour>& behaviours,
               absl::Duration connect_timeout = absl::Seconds(20));

}  // namespace carme::vet

#endif  // CARME_TESTS_SLURM_HOOKS_VET_WORKER_PROCESSES_H_
