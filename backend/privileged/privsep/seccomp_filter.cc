#include "backend/privileged/privsep/seccomp_filter.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "common/status.h"
#include "common/unique_fd.h"

namespace carme {
namespace {

// Calls for open files, memory, the clock and a connected socket, with older
// calls that a libc or an NSS module may still make.
constexpr int kCommonCalls[] = {SCMP_SYS(read),
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

// No file can be opened and no socket created. Signals can reach the executor
// only, because no pidfd can be opened.
constexpr int kRequestCalls[] = {SCMP_SYS(accept4), SCMP_SYS(pidfd_send_signal),
                                 SCMP_SYS(wait4)};

// Calls of NSS modules: sockets and files; bind for netlink(7).
constexpr int kNameServiceCalls[] = {
    SCMP_SYS(connect),     SCMP_SYS(sendmsg),    SCMP_SYS(sendmmsg),
    SCMP_SYS(recvmsg),     SCMP_SYS(setsockopt), SCMP_SYS(getsockname),
    SCMP_SYS(getpeername), SCMP_SYS(openat),     SCMP_SYS(open),
    SCMP_SYS(flock),       SCMP_SYS(dup),        SCMP_SYS(dup2),
    SCMP_SYS(dup3),        SCMP_SYS(bind)};

// Calls of BecomeUser() and LimitConnectPorts(). seccomp itself is a prctl.
constexpr int kBecomeUserCalls[] = {SCMP_SYS(setgroups),
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
// The sanitizer's report file, and the files that it reads symbols from.
constexpr int kSanitizerCalls[] = {SCMP_SYS(open), SCMP_SYS(openat)};
#endif
}  // namespace

struct SeccompFilterBuilder::Rules {
  Rules() : context(seccomp_init(SCMP_ACT_KILL_PROCESS)) {
    if (context == nullptr) error = ENOMEM;
    Check(seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH,
                           SCMP_ACT_KILL_PROCESS));
    // Binary search: the list is long and some calls are frequent.
    Check(seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2));
  }
  ~Rules() { seccomp_release(context); }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;

  // Keeps the first error.
  void Check(int result) {
    if (error == 0 && result < 0) error = -result;
  }
  template <size_t N>
  void Allow(const int (&calls)[N]) {
    for (const int call : calls) {
      Check(seccomp_rule_add(context, SCMP_ACT_ALLOW, call, 0));
    }
  }
  void When(uint32_t action, int call, scmp_arg_cmp condition) {
    Check(seccomp_rule_add_array(context, action, call, 1, &condition));
  }

  scmp_filter_ctx context;
  int error = 0;
};

SeccompFilterBuilder::SeccompFilterBuilder()
    : rules_(std::make_unique<Rules>()) {
  rules_->Allow(kCommonCalls);
#ifdef __SANITIZE_ADDRESS__
  rules_->Allow(kSanitizerCalls);
#endif
  for (const uint64_t request : {FIONREAD, FIONBIO, TCGETS}) {
    rules_->When(SCMP_ACT_ALLOW, SCMP_SYS(ioctl),
                 SCMP_A1(SCMP_CMP_EQ, request));
  }
  // Abseil of Debian 13 names the memory that it allocates (PR_SET_VMA).
  for (const uint64_t option : {PR_SET_NAME, PR_SET_PDEATHSIG, PR_SET_VMA}) {
    rules_->When(SCMP_ACT_ALLOW, SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, option));
  }
  // Read only: the new limit must be null.
  rules_->When(SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), SCMP_A2(SCMP_CMP_EQ, 0));
}

SeccompFilterBuilder::~SeccompFilterBuilder() = default;

SeccompFilterBuilder& SeccompFilterBuilder::Allow(
    std::initializer_list<int> calls) {
  for (const int call : calls) {
    rules_->Check(seccomp_rule_add(rules_->context, SCMP_ACT_ALLOW, call, 0));
  }
  return *this;
}

SeccompFilterBuilder& SeccompFilterBuilder::AllowNameService() {
  rules_->Allow(kNameServiceCalls);
  for (const uint64_t family : {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK}) {
    rules_->When(SCMP_ACT_ALLOW, SCMP_SYS(socket),
                 SCMP_A0(SCMP_CMP_EQ, family));
  }
  return *this;
}

SeccompFilterBuilder& SeccompFilterBuilder::AllowThreads() {
  // The arguments of clone3(2) cannot be inspected; libc falls back to
  // clone(2).
  rules_->When(SCMP_ACT_ALLOW, SCMP_SYS(clone),
               SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  rules_->When(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3),
               SCMP_A0(SCMP_CMP_NE, 0));
  return *this;
}

SeccompFilterBuilder& SeccompFilterBuilder::AllowBecomeUser() {
  rules_->Allow(kBecomeUserCalls);
  for (const uint64_t option :
       {PR_SET_NO_NEW_PRIVS, PR_SET_DUMPABLE, PR_SET_SECCOMP}) {
    rules_->When(SCMP_ACT_ALLOW, SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, option));
  }
  return *this;
}

absl::StatusOr<SeccompFilter> SeccompFilterBuilder::Finish() {
  const UniqueFd file(memfd_create("filter", MFD_CLOEXEC));
  if (rules_->error == 0)
    rules_->Check(seccomp_export_bpf(rules_->context, file.get()));
  if (rules_->error != 0)
    return ErrnoError(rules_->error, "build a seccomp filter");
  const off_t bytes = lseek(file.get(), 0, SEEK_END);
  std::vector<sock_filter> program(static_cast<size_t>(bytes) /
                                   sizeof(sock_filter));
  if (pread(file.get(), program.data(), static_cast<size_t>(bytes), 0) !=
      bytes) {
    return absl::InternalError("cannot read a seccomp filter back");
  }
  return SeccompFilter(std::move(program));
}

absl::StatusOr<SeccompFilter> SeccompFilter::ForRequest() {
  SeccompFilterBuilder rules;
  rules.rules_->Allow(kRequestCalls);
  return rules.Finish();
}

absl::Status SeccompFilter::Install() const {
  const sock_fprog program{.len = static_cast<unsigned short>(program_.size()),
                           .filter = const_cast<sock_filter*>(program_.data())};
  if (prctl(PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, &program) != 0) {
    return ErrnoError(errno, "install a seccomp filter");
  }
  return absl::OkStatus();
}

}  // namespace carme
