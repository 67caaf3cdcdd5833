#include "tests/bench/proxy/subjects/process.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/bench/proxy/load/report.h"
#include "tests/support/signals.h"
#include "tests/support/wait_for.h"

namespace carme::bench {
namespace {

std::vector<std::string> TasksOf(pid_t pid) {
  std::vector<std::string> tasks;
  std::error_code gone;
  const std::string path = absl::StrCat("/proc/", pid, "/task");
  for (const auto& task : std::filesystem::directory_iterator(path, gone)) {
    tasks.push_back(task.path().string());
  }
  return tasks;
}

}  // namespace

Process::Process(const std::vector<std::string>& command,
                 const std::string& log) {
  std::vector<std::string> words = {"taskset", "-c",
                                    std::to_string(kSubjectCore)};
  words.insert(words.end(), command.begin(), command.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  // The threads here may block signals, which a program would inherit.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t pipe = none;
  sigaddset(&pipe, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &pipe);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawnp(&pid_, "taskset", &files, &attributes,
                                 arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) GiveUp(absl::StrCat("taskset: ", std::strerror(error)));
}

Process::~Process() {
  const std::vector<pid_t> family = Family();
  testing::Signal(pid_, SIGTERM);
  const bool ended = testing::WaitFor(
      [&] { return waitpid(pid_, nullptr, WNOHANG) != 0; }, absl::Seconds(5));
  if (ended) return;
  for (pid_t pid : family) testing::Signal(pid, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Process::Runs() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info,
                WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

std::vector<pid_t> Process::Family() const {
  std::vector<pid_t> family = {pid_};
  for (size_t at = 0; at < family.size(); ++at) {
    for (const std::string& task : TasksOf(family[at])) {
      std::ifstream children(task + "/children");
      for (pid_t child; children >> child;) family.push_back(child);
    }
  }
  return family;
}

double Process::CpuSeconds() const {
  double nanoseconds = 0;
  for (pid_t pid : Family()) {
    for (const std::string& task : TasksOf(pid)) {
      std::ifstream stat(task + "/schedstat");
      double running = 0;
      stat >> running;
      nanoseconds += running;
    }
  }
  return nanoseconds / 1e9;
}

double Process::MemoryKib() const {
  double sum = 0;
  for (pid_t pid : Family()) {
    std::ifstream rollup(absl::StrCat("/proc/", pid, "/smaps_rollup"));
    for (std::string word; rollup >> word;) {
      if (word != "Pss:") continue;
      double kib = 0;
      rollup >> kib;
      sum += kib;
      break;
    }
  }
  return sum;
}

void KeepToLoadCore() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(kLoadCore, &cores);
  if (sched_setaffinity(0, sizeof cores, &cores) != 0) {
    GiveUp(
        "this machine has one core: expected one for the subject and one "
        "for the load");
  }
}

double OwnCpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace carme::bench
