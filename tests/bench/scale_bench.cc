// scale_bench WORK PEOPLE BACKEND_PID: the backend beside a slurmctld with
// 2,688 nodes of 4 GPUs and 50,000 jobs, 1,000 of them Carme's, of which one
// more comes every second: what its watcher costs, how long it takes to read
// all of it, what the backend's memory is, and how long ListJobs takes.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backend/slurm/slurm_query.h"
#include "common/file.h"
#include "tests/bench/login_client.h"
#include "tests/bench/submit_client.h"
#include "tests/bench/submit_peer.h"

namespace carme {
namespace {

constexpr int kJobs = 50000;  // JOBS in the environment: as many
constexpr int kOurJobs = 1000;
constexpr int kLists = 1000;

void Print(const char* subject, const char* metric, double value,
           const char* unit) {
  std::printf(
      "{\"bench\":\"scale\",\"subject\":\"%s\",\"metric\":\"%s\","
      "\"value\":%.3f,\"unit\":\"%s\"}\n",
      subject, metric, value, unit);
  std::fflush(stdout);
}

double Percentile(std::vector<double> values, size_t percent) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, values.size() * percent / 100)];
}

// Of all its threads; proc(5), fields 14 and 15 of stat.
double CpuSeconds(const std::string& pid) {
  const std::string stat =
      ReadFile(absl::StrCat("/proc/", pid, "/stat")).value();
  const std::vector<std::string> fields =
      absl::StrSplit(stat.substr(stat.rfind(')') + 2), ' ');
  return (std::stod(fields.at(11)) + std::stod(fields.at(12))) /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

double ResidentMb(const std::string& pid) {
  const std::string status =
      ReadFile(absl::StrCat("/proc/", pid, "/status")).value();
  const std::string after = status.substr(status.find("VmRSS:") + 6);
  return std::stod(after) / 1024;
}

// How long a process that knows the jobs needs to learn that one came.
void MeasureRefresh(SubmitPeer& peer, int rounds) {
  SlurmQuery query({});
  std::vector<double> ms;
  for (int round = 0; round < rounds; ++round) {
    peer.Fill();
    const absl::Time start = absl::Now();
    if (!query.Refresh().ok()) std::exit(1);
    ms.push_back(absl::ToDoubleMilliseconds(absl::Now() - start));
  }
  Print("carme", "refresh_p50_ms", Percentile(ms, 50), "ms");
  Print("carme", "refresh_p99_ms", Percentile(ms, 99), "ms");
}

void Run(const std::string& work, int people, const std::string& pid,
         const std::string& password, absl::Duration window) {
  const std::string users = std::getenv("CARME_TEST_USERS");
  const std::vector<std::string> user =
      absl::StrSplit(users.substr(0, users.find(' ')), ':');
  SubmitPeer peer(work, user.at(0), static_cast<uid_t>(std::stoul(user.at(1))));
  const double empty = ResidentMb(pid);
  LoginClient client("127.0.0.1:9443", work + "/pki");
  std::vector<std::string> tokens;
  for (int i = 1; i <= people; ++i) {
    std::string secret;
    tokens.push_back(client.LogIn(absl::StrCat("person", i), password,
                                  absl::StrCat("192.0.2.", i), &secret));
  }
  SubmitClient submits("127.0.0.1:9443", work + "/pki", tokens);
  for (int i = 0; i < kOurJobs; ++i) submits.Submit();
  std::fprintf(stderr, "scale: %d of Carme's jobs are there\n", kOurJobs);
  const char* jobs = std::getenv("JOBS");
  const int most = jobs != nullptr ? std::atoi(jobs) : kJobs;
  for (int i = kOurJobs; i < most; ++i) {
    peer.Fill();
    if (i % 5000 == 0) std::fprintf(stderr, "scale: %d jobs are there\n", i);
  }
  MeasureRefresh(peer, 50);
  std::atomic<bool> over = false;
  std::thread submitting([&] {
    for (; !over; absl::SleepFor(absl::Seconds(1))) peer.Fill();
  });
  const double before = CpuSeconds(pid);
  const absl::Time start = absl::Now();
  absl::SleepFor(window);
  const double used = CpuSeconds(pid) - before;
  Print("carme", "watcher_cpu_percent",
        100 * used / absl::ToDoubleSeconds(absl::Now() - start), "%");
  std::vector<double> ms;
  for (int i = 0; i < kLists; ++i) {
    ms.push_back(absl::ToDoubleMilliseconds(submits.List()));
  }
  over = true;
  submitting.join();
  Print("carme", "list_p50_ms", Percentile(ms, 50), "ms");
  Print("carme", "list_p99_ms", Percentile(ms, 99), "ms");
  Print("carme", "backend_empty_mb", empty, "MB");
  Print("carme", "backend_mb", ResidentMb(pid), "MB");
  std::vector<double> squeue;
  for (int i = 0; i < 5; ++i) {
    squeue.push_back(absl::ToDoubleMilliseconds(peer.Squeue()));
  }
  Print("squeue", "p50_ms", Percentile(squeue, 50), "ms");
}

}  // namespace
}  // namespace carme

int main(int argc, char** argv) {
  const char* password = std::getenv("BENCH_PASSWORD");
  if (argc != 4 || password == nullptr) {
    std::fprintf(stderr, "usage: tests/bench/run scale\n");
    return 2;
  }
  const char* window = std::getenv("WINDOW_S");
  carme::Run(argv[1], std::atoi(argv[2]), argv[3], password,
             absl::Seconds(window != nullptr ? std::atoi(window) : 60));
  return 0;
}
