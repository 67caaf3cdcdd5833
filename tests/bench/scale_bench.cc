// scale_bench WORK PEOPLE BACKEND_PID: the backend beside a slurmctld with
// 2,688 nodes of 4 GPUs and 50,000 jobs, 1,000 of them Carme's, of which one
// more comes every second: how long it takes to read all of it, what the
// watcher costs, how soon changes of a job of Carme's are seen, how long
// ListJobs takes, and what the backend's memory is.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backend/slurm/query/slurm_query.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "tests/bench/support/cluster_users.h"
#include "tests/bench/support/figures.h"
#include "tests/bench/support/frontend_channel.h"
#include "tests/bench/support/process_use.h"
#include "tests/bench/support/slurm_cancel.h"
#include "tests/bench/support/stream_arrivals.h"
#include "tests/bench/support/submit_client.h"
#include "tests/bench/support/submit_peer.h"
#include "tests/bench/support/watchers.h"

namespace carme::backend {
namespace {

constexpr Figures kFigures("scale");
constexpr char kBackend[] = "127.0.0.1:9443";
constexpr int kJobs = 50000;  // JOBS in the environment: as many
constexpr int kOurJobs = 1000;
constexpr int kRefreshes = 50;
constexpr int kLists = 1000;
constexpr size_t kOwners = 4;  // whose jobs are changed
constexpr size_t kUnreported = 60;
constexpr uint32_t kNewMinutes = 7;

double Ms(absl::Duration duration) {
  return absl::ToDoubleMilliseconds(duration);
}

// Of this thread.
absl::Duration ProcessorTimeHere() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return absl::DurationFromTimespec(used);
}

// What a process that knows the jobs needs to learn that one came.
void MeasureRefresh(SubmitPeer& peer) {
  SlurmQuery query({});
  std::vector<double> took, used;
  for (int round = -1; round < kRefreshes; ++round) {
    peer.Fill();
    const absl::Time start = absl::Now();
    const absl::Duration before = ProcessorTimeHere();
    const absl::Status refreshed = query.Refresh();
    if (!refreshed.ok()) {
      std::fprintf(stderr, "scale: %s\n", refreshed.ToString().c_str());
      continue;
    }
    if (round < 0) continue;  // the first one
    used.push_back(Ms(ProcessorTimeHere() - before));
    took.push_back(Ms(absl::Now() - start));
  }
  if (took.empty()) std::exit(1);
  int running = 0, waiting = 0;
  for (const auto& [partition, jobs] : query.facts().detail->running) {
    running += jobs;
  }
  for (const auto& [partition, jobs] : query.facts().waiting) waiting += jobs;
  kFigures.Print("slurmctld", "nodes",
                 static_cast<double>(query.facts().nodes.size()), "");
  kFigures.Print("slurmctld", "jobs_running", running, "");
  kFigures.Print("slurmctld", "jobs_waiting", waiting, "");
  kFigures.Print("carme", "refresh_p50_ms", Percentile(took, 50), "ms");
  kFigures.Print("carme", "refresh_p99_ms", Percentile(took, 99), "ms");
  kFigures.Print("carme", "refresh_cpu_p50_ms", Percentile(used, 50), "ms");
}

struct OwnJob {
  std::string token;  // its owner's session
  v1::Job job;
};

// Those that wait, of these people.
std::vector<OwnJob> WaitingJobs(v1::JobService::Stub& stub,
                                const std::vector<std::string>& tokens) {
  std::vector<OwnJob> waiting;
  for (const std::string& token : tokens) {
    v1::ListJobsResponse jobs;
    grpc::ClientContext context;
    context.AddMetadata("carme-session", token);
    CheckCall(stub.ListJobs(&context, {}, &jobs), "ListJobs");
    for (v1::Job& job : *jobs.mutable_jobs()) {
      // The end of one that runs waits for its nodes, which are none.
      if (job.state() != v1::JOB_STATE_PENDING) continue;
      waiting.push_back({token, std::move(job)});
    }
  }
  return waiting;
}

void Stop(v1::JobService::Stub& stub, const OwnJob& own) {
  v1::StopJobRequest request;
  request.set_job_id(own.job.id());
  v1::StopJobResponse response;
  grpc::ClientContext context;
  context.AddMetadata("carme-session", own.token);
  CheckCall(stub.StopJob(&context, request, &response), "StopJob");
}

void PrintFollowed(const std::string& what, const std::vector<double>& ms) {
  if (ms.empty()) return;
  kFigures.Print("carme", what + "_p50_ms", Percentile(ms, 50), "ms");
  kFigures.Print("carme", what + "_p99_ms", Percentile(ms, 99), "ms");
}

// From Slurm's response to the change or end of a pending job until the update
// of the page: for changes in Slurm itself, which nothing reports, and for
// those by Carme. And from before it is cancelled in Slurm, which includes the
// time of slurmctld.
void MeasureFollowing(const std::string& work,
                      const std::vector<std::string>& tokens) {
  const std::vector<std::string> owners(
      tokens.begin(), tokens.begin() + std::min(kOwners, tokens.size()));
  StreamArrivals arrivals;
  Watchers watchers(kBackend, work + "/pki",
                    [&](size_t stream, const v1::WatchJobsResponse& message,
                        absl::Time at) { arrivals.Take(stream, message, at); });
  for (const std::string& owner : owners) watchers.Add(owner);
  watchers.AwaitSnapshots();
  const auto stub =
      v1::JobService::NewStub(NewFrontendChannel(kBackend, work + "/pki"));
  std::mt19937 random(1);
  std::uniform_real_distribution<> spread(0, 3);  // several looks
  std::vector<double> ends, unreported, reported;
  for (const OwnJob& own : WaitingJobs(*stub, owners)) {
    const v1::Job& job = own.job;
    if (unreported.size() >= kUnreported) break;
    absl::SleepFor(absl::Seconds(spread(random)));
    const auto seen = [&](Stage stage) {
      return arrivals.Await(job.id(), stage, 1).at(0);
    };
    SetTimeLimitInSlurm(job.slurm_job_id(), kNewMinutes);
    absl::Time known = absl::Now();
    unreported.push_back(Ms(seen(Stage::kChanged) - known));
    absl::SleepFor(absl::Seconds(spread(random)));
    if (reported.size() < unreported.size() / 4) {
      Stop(*stub, own);
      known = absl::Now();
      // It may be known here before the answer is.
      reported.push_back(std::max(Ms(seen(Stage::kEnded) - known), 0.0));
    } else {
      const absl::Time begun = CancelInSlurm(job.slurm_job_id());
      known = absl::Now();
      const absl::Time ended = seen(Stage::kEnded);
      unreported.push_back(Ms(ended - known));
      ends.push_back(Ms(ended - begun));
    }
  }
  PrintFollowed("unreported_followed", unreported);
  PrintFollowed("reported_followed", reported);
  PrintFollowed("end_seen", ends);
}

void Run(const std::string& work, int people, const std::string& pid,
         const std::string& password, absl::Duration window, int max) {
  const ClusterUser user = ClusterUsers().at(0);
  SubmitPeer peer(work, user.name, user.uid);
  const double empty_mb = ResidentMemoryOf(pid).now_mb;
  LoginClient logins(kBackend, work + "/pki");
  const std::vector<std::string> tokens = LogInPeople(logins, people, password);
  SubmitClient submits(kBackend, work + "/pki", tokens);
  // Half of them are there before all others, and run.
  for (int i = 0; i < kOurJobs / 2; ++i) submits.Submit();
  for (int i = kOurJobs; i < max; ++i) {
    peer.FillNode();
    if (i % 5000 == 0) std::fprintf(stderr, "scale: %d jobs are there\n", i);
  }
  for (int i = kOurJobs / 2; i < kOurJobs; ++i) submits.Submit();
  std::fprintf(stderr, "scale: all jobs are there\n");
  MeasureRefresh(peer);
  std::atomic<bool> over = false;
  std::thread submitting([&] {
    for (; !over; absl::SleepFor(absl::Seconds(1))) peer.Fill();
  });
  const absl::Duration before = ProcessorTimeOf(pid).all();
  const absl::Time start = absl::Now();
  absl::SleepFor(window);
  kFigures.Print("carme", "watcher_cpu_percent",
                 100 * absl::FDivDuration(ProcessorTimeOf(pid).all() - before,
                                          absl::Now() - start),
                 "%");
  std::vector<double> ms;
  for (int i = 0; i < kLists; ++i) ms.push_back(Ms(submits.List()));
  kFigures.Print("carme", "list_p50_ms", Percentile(ms, 50), "ms");
  kFigures.Print("carme", "list_p99_ms", Percentile(ms, 99), "ms");
  MeasureFollowing(work, tokens);
  const ResidentMemory memory = ResidentMemoryOf(pid);
  kFigures.Print("carme", "backend_empty_mb", empty_mb, "MB");
  kFigures.Print("carme", "backend_mb", memory.now_mb, "MB");
  kFigures.Print("carme", "backend_most_mb", memory.max_mb, "MB");
  over = true;
  submitting.join();
  std::vector<double> squeue;
  for (int i = 0; i < 5; ++i) squeue.push_back(Ms(peer.Squeue()));
  kFigures.Print("squeue", "p50_ms", Percentile(squeue, 50), "ms");
}

}  // namespace
}  // namespace carme::backend

int main(int argc, char** argv) {
  const char* password = std::getenv("BENCH_PASSWORD");
  if (argc != 4 || password == nullptr) {
    std::fprintf(stderr, "usage: tests/bench/run scale\n");
    return 2;
  }
  const char* window = std::getenv("WINDOW_S");
  const char* jobs = std::getenv("JOBS");
  carme::backend::Run(
      argv[1], std::atoi(argv[2]), argv[3], password,
      absl::Seconds(window != nullptr ? std::atoi(window) : 60),
      jobs != nullptr ? std::atoi(jobs) : carme::backend::kJobs);
  return 0;
}
