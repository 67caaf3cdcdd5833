// Which system calls the processes that read untrusted bytes may make: allow
// lists for seccomp(2).
#ifndef CARME_BACKEND_PRIVILEGED_PRIVSEP_SECCOMP_FILTER_H_
#define CARME_BACKEND_PRIVILEGED_PRIVSEP_SECCOMP_FILTER_H_

#include <linux/filter.h>

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace carme {

// A filter that is ready for the kernel. Any call that is not listed kills the
// process with SIGSYS; its parent writes the audit line.
class SeccompFilter {
 public:
  // For the request process, once its executor is forked: it may use what it
  // has open and send signals to its executor. It cannot open files, create
  // sockets or processes, or run programs.
  static absl::StatusOr<SeccompFilter> ForRequest();
  // For an executor that is still root and asks NSS: the calls of ForExecutor()
  // and those that drop root.
  static absl::StatusOr<SeccompFilter> ForRootExecutor();
  // For an executor that has become its user: what libslurm needs for its calls
  // over TCP and to munged. No new process, no program, no listening.
  static absl::StatusOr<SeccompFilter> ForExecutor();

  // For the storage executor, which stays root and asks NSS: it may also wait
  // for and kill the reader that it has forked before. It cannot change its
  // user id.
  static absl::StatusOr<SeccompFilter> ForStorageExecutor();
  // For a process that reads one area as the user, from the kernel: it may look
  // at files. No sockets, processes or programs.
  static absl::StatusOr<SeccompFilter> ForStorageArea();

  // Installs the filter in this process, permanently. REQUIRES: no_new_privs.
  absl::Status Install() const;

 private:
  explicit SeccompFilter(std::vector<sock_filter> program)
      : program_(std::move(program)) {}
  friend class SeccompFilterBuilder;

  std::vector<sock_filter> program_;
};

struct SeccompFilters {
  SeccompFilter request;
  SeccompFilter root_executor;
  SeccompFilter executor;
  SeccompFilter storage_executor;
  SeccompFilter storage_area;
};
// Builds all filters. Call it at start: it takes longer than an operation.
absl::StatusOr<SeccompFilters> MakeSeccompFilters();

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PRIVSEP_SECCOMP_FILTER_H_
