// A subject: a program on a core of its own, with what it spends.
#ifndef CARME_TESTS_BENCH_PROXY_SUBJECTS_PROCESS_H_
#define CARME_TESTS_BENCH_PROXY_SUBJECTS_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace carme::bench {

// The core of the subjects; all else of a benchmark keeps to kLoadCore.
inline constexpr int kSubjectCore = 0;
inline constexpr int kLoadCore = 1;

class Process {
 public:
  // `log` takes its output.
  Process(const std::vector<std::string>& command, const std::string& log);
  // Stops it.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool Runs() const;
  // Processor time of all its threads and children, by /proc/PID/schedstat.
  double CpuSeconds() const;
  // What it and its children take of the memory (proportional set size).
  double MemoryKib() const;

 private:
  std::vector<pid_t> Family() const;
  pid_t pid_;
};

// This process and what it starts stay on kLoadCore. Gives up on a machine with
// one core only.
void KeepToLoadCore();
// Of this process, all threads.
double OwnCpuSeconds();

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_SUBJECTS_PROCESS_H_
