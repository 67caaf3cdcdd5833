// Which system calls the two processes that meet foreign bytes may make:
// seccomp(2), as lists of what is allowed.
#ifndef CARME_BACKEND_PRIVILEGED_SYSTEM_CALL_FILTER_H_
#define CARME_BACKEND_PRIVILEGED_SYSTEM_CALL_FILTER_H_

#include <linux/filter.h>

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace carme::impersonator {

// A filter that is ready for the kernel. Any call that it does not know kills
// the process with SIGSYS, and whoever waits for it writes the audit line.
class SystemCallFilter {
 public:
  // For a request's process, once its actor is forked: what it has open, and
  // signals to that actor. No file is opened, no socket made, no process, no
  // program.
  static absl::StatusOr<SystemCallFilter> ForRequest();
  // For an actor that is root still, and asks NSS: the next one's calls, and
  // those of the drop.
  static absl::StatusOr<SystemCallFilter> BeforeActor();
  // For an actor that has become its user: what libslurm needs for its calls
  // over TCP and to munged. No new process, no program, no listening.
  static absl::StatusOr<SystemCallFilter> ForActor();

  // For one that is root still, asks NSS, and has storage read by a process
  // that it has forked before: to wait for that one, and to end it. It becomes
  // nobody.
  static absl::StatusOr<SystemCallFilter> ForStorageActor();
  // For a process that asks the kernel how full an area is, as the user: files
  // are looked at; no socket is made, no process, no program.
  static absl::StatusOr<SystemCallFilter> ForStorageArea();

  // From now on, for this process, for good. REQUIRES: no_new_privs.
  absl::Status Install() const;

 private:
  explicit SystemCallFilter(std::vector<sock_filter> program)
      : program_(std::move(program)) {}
  friend class FilterRules;

  std::vector<sock_filter> program_;
};

struct SystemCallFilters {
  SystemCallFilter request;
  SystemCallFilter before_actor;
  SystemCallFilter actor;
  SystemCallFilter storage_actor;
  SystemCallFilter storage_area;
};
// All. To be made at the start: it takes longer than an act.
absl::StatusOr<SystemCallFilters> MakeSystemCallFilters();

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_SYSTEM_CALL_FILTER_H_
