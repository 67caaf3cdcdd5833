// That a run with a sanitizer can fail: what any process finds is written down.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "absl/synchronization/mutex.h"

namespace carme {
namespace {

constexpr char kReports[] = CARME_SANITIZER_REPORTS;

// Whether a process without an environment, whose output is not read, has left
// a report of this; it is taken away.
bool Reported(const char* tag) {
  const pid_t pid = fork();
  if (pid == 0) {
    close(STDERR_FILENO);
    char name[] = "sanitizer_test";
    char* const argv[] = {name, const_cast<char*>(tag), nullptr};
    char* const environment[] = {nullptr};
    execve("/proc/self/exe", argv, environment);
    _exit(127);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  const std::string end = "." + std::to_string(pid);
  bool found = false;
  for (const auto& file : std::filesystem::directory_iterator(kReports)) {
    if (!file.path().string().ends_with(end)) continue;
    found = file.file_size() > 0;
    std::filesystem::remove(file.path());
  }
  return found;
}

#ifdef __SANITIZE_ADDRESS__
TEST_CASE("what is read beyond its end", "[.address]") {
  const auto bytes = std::make_unique<char[]>(8);
  const volatile char* end = bytes.get() + 8;
  CHECK(*end == 0);
}

TEST_CASE("what is lost", "[.leak]") {
  auto bytes = std::make_unique<char[]>(8);
  bytes.release();  // NOLINT(bugprone-unused-return-value)
}

TEST_CASE("what is not defined", "[.undefined]") {
  volatile int max = 2147483647;
  CHECK(max + 1 != 0);
}

TEST_CASE("sanitizers: what a process finds by itself is kept") {
  CHECK(Reported("[.address]"));
  CHECK(Reported("[.leak]"));
  CHECK(Reported("[.undefined]"));
}
#endif

#ifdef __SANITIZE_THREAD__
// Both threads add to it; `guard` is held, or not.
int Added(absl::Mutex* guard) {
  int sum = 0;
  const auto add = [&] {
    for (int i = 0; i < 1000; ++i) {
      absl::MutexLockMaybe lock(guard);
      ++sum;
    }
  };
  std::thread other(add);
  add();
  other.join();
  return sum;
}

TEST_CASE("what two threads do at once", "[.thread]") {
  CHECK(Added(nullptr) > 0);
}

TEST_CASE("sanitizers: what a process finds by itself is kept") {
  CHECK(Reported("[.thread]"));
}

// A report of this process's own would end the run.
TEST_CASE("sanitizers: data guarded by an Abseil lock has no race") {
  absl::Mutex mutex;
  CHECK(Added(&mutex) == 2000);
  int turn = 0;
  const auto take_turns = [&](int mine) {
    for (int i = 0; i < 100; ++i) {
      const auto is_mine = [&] { return turn % 2 == mine; };
      absl::MutexLock lock(&mutex);
      mutex.Await(absl::Condition(&is_mine));
      ++turn;
    }
  };
  std::thread other([&] { take_turns(1); });
  take_turns(0);
  other.join();
  CHECK(turn == 200);
}
#endif

}  // namespace
}  // namespace carme
