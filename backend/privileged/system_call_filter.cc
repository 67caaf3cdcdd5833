#include "backend/privileged/system_call_filter.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <utility>

#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::impersonator {
namespace {

// What open files, memory, the clock and a connected socket take, with the
// older calls that a libc or an NSS module may still make.
constexpr int kBoth[] = {SCMP_SYS(read),
                         SCMP_SYS(readv),
                         SCMP_SYS(pread64),
                         SCMP_SYS(write),
                         SCMP_SYS(writev),
                         SCMP_SYS(close),
                         SCMP_SYS(close_range),
                         SCMP_SYS(lseek),
                         SCMP_SYS(fstat),
                         SCMP_SYS(stat),
                         SCMP_SYS(lstat),
                         SCMP_SYS(newfstatat),
                         SCMP_SYS(statx),
                         SCMP_SYS(statfs),
                         SCMP_SYS(fstatfs),
                         SCMP_SYS(access),
                         SCMP_SYS(faccessat),
                         SCMP_SYS(faccessat2),
                         SCMP_SYS(readlink),
                         SCMP_SYS(readlinkat),
                         SCMP_SYS(getdents64),
                         SCMP_SYS(getcwd),
                         SCMP_SYS(fcntl),
                         SCMP_SYS(pipe2),
                         SCMP_SYS(eventfd2),
                         SCMP_SYS(poll),
                         SCMP_SYS(ppoll),
                         SCMP_SYS(select),
                         SCMP_SYS(pselect6),
                         SCMP_SYS(epoll_create1),
                         SCMP_SYS(epoll_ctl),
                         SCMP_SYS(epoll_wait),
                         SCMP_SYS(epoll_pwait),
                         SCMP_SYS(mmap),
                         SCMP_SYS(munmap),
                         SCMP_SYS(mremap),
                         SCMP_SYS(mprotect),
                         SCMP_SYS(madvise),
                         SCMP_SYS(brk),
                         SCMP_SYS(futex),
                         SCMP_SYS(rt_sigaction),
                         SCMP_SYS(rt_sigprocmask),
                         SCMP_SYS(rt_sigreturn),
                         SCMP_SYS(rt_sigtimedwait),
                         SCMP_SYS(sigaltstack),
                         SCMP_SYS(restart_syscall),
                         SCMP_SYS(clock_gettime),
                         SCMP_SYS(clock_getres),
                         SCMP_SYS(clock_nanosleep),
                         SCMP_SYS(nanosleep),
                         SCMP_SYS(gettimeofday),
                         SCMP_SYS(time),
                         SCMP_SYS(getpid),
                         SCMP_SYS(gettid),
                         SCMP_SYS(getppid),
                         SCMP_SYS(getsid),
                         SCMP_SYS(getpgrp),
                         SCMP_SYS(getpgid),
                         SCMP_SYS(getuid),
                         SCMP_SYS(geteuid),
                         SCMP_SYS(getgid),
                         SCMP_SYS(getegid),
                         SCMP_SYS(getresuid),
                         SCMP_SYS(getresgid),
                         SCMP_SYS(getgroups),
                         SCMP_SYS(getrandom),
                         SCMP_SYS(uname),
                         SCMP_SYS(sysinfo),
                         SCMP_SYS(getrlimit),
                         SCMP_SYS(getrusage),
                         SCMP_SYS(sched_getaffinity),
                         SCMP_SYS(sched_yield),
                         SCMP_SYS(getcpu),
                         SCMP_SYS(set_robust_list),
                         SCMP_SYS(rseq),
                         SCMP_SYS(sendto),
                         SCMP_SYS(recvfrom),
                         SCMP_SYS(shutdown),
                         SCMP_SYS(getsockopt),
                         SCMP_SYS(exit),
                         SCMP_SYS(exit_group)};

// No file is opened and no socket made. Signals go to its actor only: nothing
// here opens a pidfd.
constexpr int kRequest[] = {SCMP_SYS(accept4), SCMP_SYS(pidfd_send_signal),
                            SCMP_SYS(wait4)};

// What NSS and libslurm take: sockets, files; the directory of the job's log;
// the address that netlink(7) is asked from.
constexpr int kActor[] = {
    SCMP_SYS(connect),     SCMP_SYS(sendmsg),    SCMP_SYS(sendmmsg),
    SCMP_SYS(recvmsg),     SCMP_SYS(setsockopt), SCMP_SYS(getsockname),
    SCMP_SYS(getpeername), SCMP_SYS(openat),     SCMP_SYS(open),
    SCMP_SYS(flock),       SCMP_SYS(dup),        SCMP_SYS(dup2),
    SCMP_SYS(dup3),        SCMP_SYS(mkdirat),    SCMP_SYS(bind)};

// To wait for the process that it has forked before, and to end it.
constexpr int kStorageActor[] = {SCMP_SYS(pidfd_send_signal), SCMP_SYS(wait4)};

constexpr int kStorageArea[] = {SCMP_SYS(openat), SCMP_SYS(quotactl_fd)};

// What BecomeUser() takes, LimitPorts(), and the next filter.
constexpr int kBecome[] = {SCMP_SYS(setgroups),
                           SCMP_SYS(setresgid),
                           SCMP_SYS(setresuid),
                           SCMP_SYS(setuid),
                           SCMP_SYS(setgid),
                           SCMP_SYS(capget),
                           SCMP_SYS(umask),
                           SCMP_SYS(chdir),
                           SCMP_SYS(landlock_create_ruleset),
                           SCMP_SYS(landlock_add_rule),
                           SCMP_SYS(landlock_restrict_self)};

#ifdef __SANITIZE_ADDRESS__
// A report's file, and those that hold the names of what was called.
constexpr int kReport[] = {SCMP_SYS(open), SCMP_SYS(openat)};
#endif

}  // namespace

// Collects rules; the first error stays.
class FilterRules {
 public:
  FilterRules() : context_(seccomp_init(SCMP_ACT_KILL_PROCESS)) {
    if (context_ == nullptr) error_ = ENOMEM;
    Note(seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH,
                          SCMP_ACT_KILL_PROCESS));
    // Sought by halves: the list is long and some calls are frequent.
    Note(seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, 2));
    Allow(kBoth);
#ifdef __SANITIZE_ADDRESS__
    Allow(kReport);
#endif
    for (const uint64_t request : {FIONREAD, FIONBIO, TCGETS}) {
      When(SCMP_ACT_ALLOW, SCMP_SYS(ioctl), SCMP_A1(SCMP_CMP_EQ, request));
    }
    for (const uint64_t option : {PR_SET_NAME, PR_SET_PDEATHSIG}) {
      When(SCMP_ACT_ALLOW, SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, option));
    }
    // Asked for, never set.
    When(SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), SCMP_A2(SCMP_CMP_EQ, 0));
  }
  ~FilterRules() { seccomp_release(context_); }
  FilterRules(const FilterRules&) = delete;
  FilterRules& operator=(const FilterRules&) = delete;

  template <size_t N>
  void Allow(const int (&calls)[N]) {
    for (const int call : calls) {
      Note(seccomp_rule_add(context_, SCMP_ACT_ALLOW, call, 0));
    }
  }
  void When(uint32_t action, int call, scmp_arg_cmp condition) {
    Note(seccomp_rule_add_array(context_, action, call, 1, &condition));
  }
  absl::StatusOr<SystemCallFilter> Finish() {
    const UniqueFd file(memfd_create("filter", MFD_CLOEXEC));
    if (error_ == 0) Note(seccomp_export_bpf(context_, file.get()));
    if (error_ != 0) return ErrnoError(error_, "make a system call filter");
    const off_t bytes = lseek(file.get(), 0, SEEK_END);
    std::vector<sock_filter> program(static_cast<size_t>(bytes) /
                                     sizeof(sock_filter));
    if (pread(file.get(), program.data(), static_cast<size_t>(bytes), 0) !=
        bytes) {
      return absl::InternalError("a system call filter cannot be read back");
    }
    return SystemCallFilter(std::move(program));
  }

 private:
  void Note(int result) {
    if (error_ == 0 && result < 0) error_ = -result;
  }
  scmp_filter_ctx context_;
  int error_ = 0;
};

namespace {

void AddActorRules(FilterRules* rules) {
  rules->Allow(kActor);
  for (const uint64_t family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}) {
    rules->When(SCMP_ACT_ALLOW, SCMP_SYS(socket), SCMP_A0(SCMP_CMP_EQ, family));
  }
  // Later releases of libslurm start threads. What clone3(2) asks for cannot be
  // looked at, and libc falls back to clone(2).
  rules->When(SCMP_ACT_ALLOW, SCMP_SYS(clone),
              SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  rules->When(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3),
              SCMP_A0(SCMP_CMP_NE, 0));
}

}  // namespace

absl::StatusOr<SystemCallFilter> SystemCallFilter::ForRequest() {
  FilterRules rules;
  rules.Allow(kRequest);
  return rules.Finish();
}

absl::StatusOr<SystemCallFilter> SystemCallFilter::ForActor() {
  FilterRules rules;
  AddActorRules(&rules);
  return rules.Finish();
}

absl::StatusOr<SystemCallFilter> SystemCallFilter::BeforeActor() {
  FilterRules rules;
  AddActorRules(&rules);
  rules.Allow(kBecome);
  for (const uint64_t option :
       {PR_SET_NO_NEW_PRIVS, PR_SET_DUMPABLE, PR_SET_SECCOMP}) {
    rules.When(SCMP_ACT_ALLOW, SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, option));
  }
  return rules.Finish();
}

absl::StatusOr<SystemCallFilter> SystemCallFilter::ForStorageActor() {
  FilterRules rules;
  AddActorRules(&rules);
  rules.Allow(kStorageActor);
  return rules.Finish();
}

absl::StatusOr<SystemCallFilter> SystemCallFilter::ForStorageArea() {
  FilterRules rules;
  rules.Allow(kStorageArea);
  return rules.Finish();
}

absl::Status SystemCallFilter::Install() const {
  const sock_fprog program{.len = static_cast<unsigned short>(program_.size()),
                           .filter = const_cast<sock_filter*>(program_.data())};
  if (prctl(PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, &program) != 0) {
    return ErrnoError(errno, "install a system call filter");
  }
  return absl::OkStatus();
}

absl::StatusOr<SystemCallFilters> MakeSystemCallFilters() {
  ASSIGN_OR_RETURN(SystemCallFilter request, SystemCallFilter::ForRequest());
  ASSIGN_OR_RETURN(SystemCallFilter before, SystemCallFilter::BeforeActor());
  ASSIGN_OR_RETURN(SystemCallFilter actor, SystemCallFilter::ForActor());
  ASSIGN_OR_RETURN(SystemCallFilter storage_actor,
                   SystemCallFilter::ForStorageActor());
  ASSIGN_OR_RETURN(SystemCallFilter storage_area,
                   SystemCallFilter::ForStorageArea());
  return SystemCallFilters{std::move(request), std::move(before),
                           std::move(actor), std::move(storage_actor),
                           std::move(storage_area)};
}

}  // namespace carme::impersonator
