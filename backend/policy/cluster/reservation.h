// Does a job fit into the reservation that it is to run in? Pure functions.
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

// Whether jobs of this user may run in it, as far as its list of users says:
// where accounts or groups of the hosts are named, Slurm decides besides.
bool MayUse(const SlurmReservation& reservation, const std::string& username);

// The reservation of that name, if the user may use it.
std::optional<SlurmReservation> UsableReservation(const SlurmSnapshot& cluster,
                                                  const std::string& name,
                                                  const std::string& username);

// Refuses a spec whose reservation was not `found`, and fills in the partition
// that it is for. Nothing for a spec without one.
std::vector<Violation> ChooseReservedPartition(
    const std::optional<SlurmReservation>& found, JobSpec* spec);

// How long a job may run in it that begins as soon as it can, `now` or when
// the spec says.
absl::Duration ReservedTime(const SlurmReservation& reservation,
                            const JobSpec& spec, absl::Time now);

// Whether the spec's walltime fits into that. REQUIRES: it is not negative.
std::vector<Violation> CheckReservedTime(const SlurmReservation& reservation,
                                         const JobSpec& spec, absl::Time now);

// Leaves of `nodes` those that are the reservation's.
void TakeReserved(const SlurmReservation& reservation,
                  std::vector<const SlurmNode*>* nodes);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CLUSTER_RESERVATION_H_
