// Whether a job fits into its reservation. Pure functions.
#ifndef CARME_BACKEND_POLICY_CLUSTER_RESERVATION_H_
#define CARME_BACKEND_POLICY_CLUSTER_RESERVATION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// Whether the user may use the reservation according to its user list; if it
// names accounts or groups, Slurm decides.
bool MayUse(const SlurmReservation& reservation, const std::string& username);

// The reservation of that name, if the user may use it.
std::optional<SlurmReservation> UsableReservation(const SlurmSnapshot& cluster,
                                                  const std::string& name,
                                                  const std::string& username);

// Refuses a spec whose reservation was not `found`, and fills in the partition
// of the reservation. Does nothing for a spec without one.
std::vector<Violation> ChooseReservedPartition(
    const std::optional<SlurmReservation>& found, JobSpec* spec);

// How long a job may run in it that starts as soon as possible, `now` or at the
// start time of the spec.
absl::Duration ReservedTime(const SlurmReservation& reservation,
                            const JobSpec& spec, absl::Time now);

// Whether the walltime fits into that time. REQUIRES: it is not negative.
std::vector<Violation> CheckReservedTime(const SlurmReservation& reservation,
                                         const JobSpec& spec, absl::Time now);

// Removes the nodes that are not in the reservation.
void RemoveUnreservedNodes(const SlurmReservation& reservation,
                           std::vector<const SlurmNode*>* nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CLUSTER_RESERVATION_H_
