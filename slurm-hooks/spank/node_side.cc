#include "slurm-hooks/spank/node_side.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <sstream>

#include "slurm-hooks/spank/step_groups.h"

namespace carme {
namespace {

constexpr int kMaxSeconds = 60;
constexpr char kNoAnswer[] =
    "it could not be made: the program that makes it ended";
constexpr size_t kMaxAnswerBytes = 1 << 20;

std::string Cause(const std::string& what) {
  return what + ": " + std::strerror(errno);
}

MadeEnvironment Refusal(std::string text) {
  MadeEnvironment none;
  none.refusal = std::move(text);
  return none;
}

// Runs the program with root's ids, no environment and only the socket; returns
// an errno. Slurm blocks signals in its own processes.
int Spawn(const EnvironmentOrder& order, int socket, pid_t* pid) {
  const std::string uid = std::to_string(order.uid);
  const std::string gid = std::to_string(order.gid);
  const char* const arguments[] = {
      order.program.c_str(), uid.c_str(), gid.c_str(),
      order.script.empty() ? nullptr : order.script.c_str(), nullptr};
  char* const no_environment[] = {nullptr};
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  int error = posix_spawnattr_init(&attributes);
  if (error != 0) return error;
  error = posix_spawn_file_actions_init(&actions);
  if (error != 0) return error;
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_RESETIDS |
                                            POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  error = posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    if (error != 0) break;
    error = posix_spawn_file_actions_addopen(&actions, fd, "/dev/null",
                                             O_WRONLY, 0);
  }
  if (error == 0) {
    error = posix_spawn(pid, order.program.c_str(), &actions, &attributes,
                        const_cast<char* const*>(arguments), no_environment);
  }
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error;
}

void SendAll(int socket, const std::string& text) {
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t put =
        send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    sent += static_cast<size_t>(put);
  }
  shutdown(socket, SHUT_WR);
}

// Reads available bytes and their descriptors, like read(2).
ssize_t ReceiveSome(int socket, std::string* answer, UniqueFd* mounts,
                    UniqueFd* ipc) {
  char bytes[16384];
  int fds[2];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fds)];
  iovec data{bytes, sizeof bytes};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (got <= 0) return got;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_type != SCM_RIGHTS ||
        head->cmsg_len != CMSG_LEN(sizeof fds)) {
      continue;
    }
    std::memcpy(fds, CMSG_DATA(head), sizeof fds);
    mounts->reset(fds[0]);
    ipc->reset(fds[1]);
  }
  answer->append(bytes, static_cast<size_t>(got));
  return got;
}

time_t Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

// Reads the whole answer; returns false on time-out.
bool Receive(int socket, std::string* answer, UniqueFd* mounts, UniqueFd* ipc) {
  const time_t deadline = Now() + kMaxSeconds;
  while (answer->size() <= kMaxAnswerBytes) {
    const time_t left = deadline - Now();
    pollfd waited{socket, POLLIN, 0};
    const int ready =
        left > 0 ? poll(&waited, 1, static_cast<int>(left) * 1000) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = ReceiveSome(socket, answer, mounts, ipc);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
  }
  return false;
}

constexpr unsigned kToJoin =
    1U << CAP_SYS_ADMIN | 1U << CAP_SYS_CHROOT | 1U << CAP_SETPCAP;

bool SetCapabilities(unsigned first_word) {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  data[0].effective = data[0].permitted = first_word;
  return syscall(SYS_capset, &header, data) == 0;
}

// Empties the bounding set, so that not even files with capabilities in the
// environment grant any. The kernel may know more capabilities than this file.
bool DropBoundingSet() {
  for (unsigned long capability = 0;; ++capability) {
    const int is_there = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
    if (is_there < 0) return errno == EINVAL && capability > 0;
    if (is_there > 0 && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
      return false;
    }
  }
}

// Returns true if nothing had been kept, too.
bool HasNoCapability() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  return syscall(SYS_capget, &header, data) == 0 && data[0].permitted == 0 &&
         data[1].permitted == 0 && data[0].effective == 0 &&
         data[1].effective == 0;
}

}  // namespace

MadeEnvironment ReadAnswer(const std::string& answer, UniqueFd mounts,
                           UniqueFd ipc) {
  if (answer.size() > 1 && answer[0] == 'E') return Refusal(answer.substr(1));
  if (answer.size() < 2 || answer[0] != 'N' || answer.back() != '\0' ||
      !mounts.valid() || !ipc.valid()) {
    return Refusal(kNoAnswer);
  }
  MadeEnvironment made;
  made.mounts = std::move(mounts);
  made.ipc = std::move(ipc);
  size_t at = answer.find('\0');
  made.workdir = answer.substr(1, at - 1);
  const size_t servers_end = answer.find('\0', at + 1);
  if (servers_end == std::string::npos) return Refusal(kNoAnswer);
  std::istringstream servers(answer.substr(at + 1, servers_end - at - 1));
  for (pid_t server = 0; servers >> server;) {
    if (server > 1) made.servers.push_back(server);
  }
  const size_t libraries_end = answer.find('\0', servers_end + 1);
  if (libraries_end == std::string::npos) return Refusal(kNoAnswer);
  made.libraries =
      answer.substr(servers_end + 1, libraries_end - servers_end - 1);
  at = libraries_end;
  while (++at < answer.size()) {
    const size_t end = answer.find('\0', at);
    const std::string variable = answer.substr(at, end - at);
    const size_t equals = variable.find('=');
    if (equals == std::string::npos) {
      made.variables.emplace_back(variable, std::nullopt);
    } else {
      made.variables.emplace_back(variable.substr(0, equals),
                                  variable.substr(equals + 1));
    }
    at = end;
  }
  return made;
}

MadeEnvironment MakeEnvironment(const EnvironmentOrder& order) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Refusal(Cause("cannot make a socket"));
  }
  const UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  pid_t pid = 0;
  const int error = Spawn(order, theirs.get(), &pid);
  theirs.reset();
  if (error != 0) {
    errno = error;
    return Refusal(Cause("cannot run \"" + order.program + "\""));
  }
  std::string answer;
  UniqueFd mounts, ipc;
  // a program that has exited may still have sent a reason
  SendAll(ours.get(), order.edf);
  const bool whole = Receive(ours.get(), &answer, &mounts, &ipc);
  kill(pid, SIGKILL);  // it has exited, or must not be waited for
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!whole) {
    return Refusal("it could not be made within " +
                   std::to_string(kMaxSeconds) + " seconds");
  }
  return ReadAnswer(answer, std::move(mounts), std::move(ipc));
}

bool EndServersWith(const MadeEnvironment& environment, pid_t task) {
  bool all = true;
  for (const pid_t server : environment.servers) {
    if (JoinGroupOf(task, server)) continue;
    kill(server, SIGKILL);
    all = false;
  }
  return all;
}

bool KeepRightToJoin() { return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0; }

std::optional<std::string> JoinEnvironment(const MadeEnvironment& environment) {
  char here[PATH_MAX];
  const bool somewhere = getcwd(here, sizeof here) != nullptr;
  const bool joined = SetCapabilities(kToJoin) &&
                      setns(environment.ipc.get(), CLONE_NEWIPC) == 0 &&
                      setns(environment.mounts.get(), CLONE_NEWNS) == 0;
  const int error = errno;
  const bool dropped = !joined || DropBoundingSet();
  // regardless of the result
  if (!dropped || !SetCapabilities(0) ||
      prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) != 0 ||
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !HasNoCapability()) {
    return "the process still has rights of root";
  }
  if (!joined) {
    errno = error;
    return Cause("cannot join it");
  }
  if (!environment.workdir.empty()) {
    if (chdir(environment.workdir.c_str()) == 0) return std::nullopt;
    return Cause("cannot go to the directory \"" + environment.workdir + "\"");
  }
  if ((!somewhere || chdir(here) != 0) && chdir("/") != 0) {
    return Cause("cannot go to \"/\"");
  }
  return std::nullopt;
}

}  // namespace carme
