// The file `backend.lease` in the state directory: which process is active, and
// a number that it increases as long as it works.
#ifndef CARME_BACKEND_STANDBY_LEASE_RECORD_H_
#define CARME_BACKEND_STANDBY_LEASE_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace carme::backend {

// A process of any host, distinguishable from every other one of all times.
struct ProcessIdentity {
  std::string host;
  std::string machine_id;  // of /etc/machine-id; empty: it has none
  std::string pid_namespace;
  int64_t pid = 0;
  int64_t start_time = 0;  // in clock ticks since boot
  friend bool operator==(const ProcessIdentity&,
                         const ProcessIdentity&) = default;
};

absl::StatusOr<ProcessIdentity> IdentityOfThisProcess();

// Whether the process was of this machine and PID namespace and has ended.
// False for a process of another one, of which nothing is known.
bool HasCertainlyEnded(const ProcessIdentity& process);

struct LeaseRecord {
  ProcessIdentity holder;
  uint64_t renewals = 0;
  bool released = false;  // the holder stopped writing before it ended
  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

// nullopt: no record was ever written, or it is damaged, so that its holder is
// unknown. Other errors of reading.
absl::StatusOr<std::optional<LeaseRecord>> ReadLease(
    const std::string& state_directory);
// Replaces the record; it is on the disk afterwards.
absl::Status WriteLease(const std::string& state_directory,
                        const LeaseRecord& record);

}  // namespace carme::backend

#endif  // CARME_BACKEND_STANDBY_LEASE_RECORD_H_
