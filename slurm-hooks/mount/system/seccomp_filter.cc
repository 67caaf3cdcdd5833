#include "slurm-hooks/mount/system/seccomp_filter.h"

#include <seccomp.h>
#include <sys/mman.h>

#include <cerrno>
#include <memory>

#include "common/status.h"

namespace carme::mount {
namespace {

constexpr int kAllowed[] = {
    SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(futex),
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(restart_syscall),
    SCMP_SYS(sched_yield), SCMP_SYS(getrandom), SCMP_SYS(close), SCMP_SYS(exit),
    SCMP_SYS(exit_group), SCMP_SYS(clock_nanosleep), SCMP_SYS(clock_gettime),
    // a thread may be younger than the filter
    SCMP_SYS(set_robust_list), SCMP_SYS(rseq)};

constexpr int kNotAsCode[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};

}  // namespace

absl::Status InstallReaderFilter() {
  const std::unique_ptr<void, decltype(&seccomp_release)> filter(
      seccomp_init(SCMP_ACT_KILL_PROCESS), &seccomp_release);
  if (filter == nullptr) return absl::InternalError("make a filter");
  int error = seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);
  for (const int call : kAllowed) {
    if (error == 0) {
      error = seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0);
    }
  }
  // glibc's malloc would look into /proc when it gives memory back
  if (error == 0) {
    error = seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOENT),
                             SCMP_SYS(openat), 0);
  }
  for (const int call : kNotAsCode) {
    if (error != 0) break;
    error = seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 1,
                             SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  }
  if (error == 0) error = seccomp_load(filter.get());
  if (error != 0) return ErrnoError(-error, "filter its system calls");
  return absl::OkStatus();
}

}  // namespace carme::mount
