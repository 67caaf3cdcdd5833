// Which system calls the processes that read untrusted bytes may make: allow
// lists for seccomp(2).
#ifndef CARME_BACKEND_PRIVILEGED_PRIVSEP_SECCOMP_FILTER_H_
#define CARME_BACKEND_PRIVILEGED_PRIVSEP_SECCOMP_FILTER_H_

#include <linux/filter.h>

#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace carme {

// A filter that is ready for the kernel. Any call that is not listed kills the
// process with SIGSYS; its parent writes the audit line.
class SeccompFilter {
 public:
  // For a request process, once its executor is forked: it may use what it has
  // open and send signals to its executor. It cannot open files, create sockets
  // or processes, or run programs.
  static absl::StatusOr<SeccompFilter> ForRequest();

  // Installs the filter in this process, permanently. REQUIRES: no_new_privs.
  absl::Status Install() const;

 private:
  explicit SeccompFilter(std::vector<sock_filter> program)
      : program_(std::move(program)) {}
  friend class SeccompFilterBuilder;

  std::vector<sock_filter> program_;
};

// Collects the calls that a process may make. At the start: those on open
// files, memory, the clock and a connected socket. No new file, socket or
// process, and no program.
//
// Use it when a program starts: it takes longer than an operation.
class SeccompFilterBuilder {
 public:
  SeccompFilterBuilder();
  ~SeccompFilterBuilder();
  SeccompFilterBuilder(const SeccompFilterBuilder&) = delete;
  SeccompFilterBuilder& operator=(const SeccompFilterBuilder&) = delete;

  // Numbers of calls: SYS_openat.
  SeccompFilterBuilder& Allow(std::initializer_list<int> calls);
  // What NSS modules need: to open files and to connect to servers.
  SeccompFilterBuilder& AllowNameService();
  // New threads, but no processes.
  SeccompFilterBuilder& AllowThreads();
  // The calls of BecomeUser(), LimitConnectPorts() and Install().
  SeccompFilterBuilder& AllowBecomeUser();

  // INTERNAL or another error: libseccomp cannot build the filter.
  absl::StatusOr<SeccompFilter> Finish();

 private:
  friend class SeccompFilter;
  struct Rules;
  const std::unique_ptr<Rules> rules_;
};

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PRIVSEP_SECCOMP_FILTER_H_
