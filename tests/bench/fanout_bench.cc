// fanout_bench WORK PEOPLE: how long changes take to reach a thousand streams
// of users that watch their jobs: changes that Slurm is polled for, from before
// a job is cancelled in Slurm, and reports of agents, from before the report.
// Beside it pages that run `squeue` every five seconds.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "carme/v1/jobs.grpc.pb.h"
#include "common/ids.h"
#include "tests/bench/support/cluster_users.h"
#include "tests/bench/support/figures.h"
#include "tests/bench/support/frontend_channel.h"
#include "tests/bench/support/slurm_cancel.h"
#include "tests/bench/support/stream_arrivals.h"
#include "tests/bench/support/watchers.h"

namespace carme {
namespace {

constexpr Figures kFigures("fanout");
constexpr char kBackend[] = "127.0.0.1:9443";
constexpr size_t kStreams = 1000;
constexpr int kRoundsOfSqueue = 5;
constexpr absl::Duration kSqueueEvery = absl::Seconds(5);
// Several of the watcher's rounds: what happens in it falls anywhere in one.
constexpr absl::Duration kSpread = absl::Milliseconds(2 * 1350);

absl::Duration AnyOf(absl::Duration max) {
  static std::mt19937 random(1);  // of one thread
  return max * std::uniform_real_distribution<>(0, 1)(random);
}

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "fanout: %s\n", what.c_str());
  std::_Exit(1);
}

// Until a page that asks every five seconds, since a time that is independent
// of the job's, gets another state than PENDING.
absl::Time AwaitBySqueue(uint32_t slurm_job, absl::Duration phase) {
  const std::string command =
      absl::StrCat("squeue -h -t all -o %T -j ", slurm_job);
  absl::SleepFor(phase);
  for (absl::Time next = absl::Now();; next += kSqueueEvery) {
    absl::SleepFor(next - absl::Now());
    const std::unique_ptr<FILE, int (*)(FILE*)> answer(
        popen(command.c_str(), "r"), pclose);
    char state[32] = {};
    if (answer == nullptr ||
        std::fgets(state, sizeof state, answer.get()) == nullptr) {
      Fail("squeue does not know the job");
    }
    if (std::string(state).rfind("PENDING", 0) != 0) return absl::Now();
  }
}

class Bench {
 public:
  Bench(const std::string& work, int people, const std::string& password)
      : logins_(kBackend, work + "/pki"),
        tokens_(LogInPeople(logins_, people, password)),
        jobs_(v1::JobService::NewStub(
            NewFrontendChannel(kBackend, work + "/pki"))),
        watchers_(
            kBackend, work + "/pki",
            [this](size_t stream, const v1::WatchJobsResponse& message,
                   absl::Time at) { arrivals_.Take(stream, message, at); }) {
    for (size_t i = 0; i < kStreams; ++i) {
      watchers_.Add(tokens_[i % tokens_.size()]);
    }
    watchers_.AwaitSnapshots();
  }

  void Slurm(int rounds) {
    std::vector<double> ms;
    for (int round = 0; round < rounds; ++round) {
      const std::vector<v1::Job> jobs = SubmitForEach(absl::Hours(1));
      absl::SleepFor(AnyOf(kSpread));
      std::vector<absl::Time> cancelled;
      for (const v1::Job& job : jobs) {
        cancelled.push_back(CancelInSlurm(job.slurm_job_id()));
      }
      for (size_t i = 0; i < jobs.size(); ++i) {
        for (const absl::Time at : AwaitEach(jobs[i], Stage::kEnded)) {
          ms.push_back(absl::ToDoubleMilliseconds(at - cancelled[i]));
        }
      }
    }
    slurm_p99_ = Percentile(ms, 99);
    kFigures.Print("carme", "slurm_p50_ms", Percentile(ms, 50), "ms");
    kFigures.Print("carme", "slurm_p99_ms", slurm_p99_, "ms");
  }

  void Agents(int rounds) {
    const std::vector<v1::Job> jobs = SubmitForEach(absl::ZeroDuration());
    for (const v1::Job& job : jobs) AwaitEach(job, Stage::kReported);
    arrivals_.Clear();
    absl::SleepFor(absl::Seconds(2 * rounds));
    for (const v1::Job& job : jobs) CancelInSlurm(job.slurm_job_id());
    for (const v1::Job& job : jobs) AwaitEach(job, Stage::kEnded);
    const std::vector<double> ms = arrivals_.ReportsMs();
    if (ms.empty()) Fail("no report has arrived");
    kFigures.Print("carme", "agent_p50_ms", Percentile(ms, 50), "ms");
    kFigures.Print("carme", "agent_p99_ms", Percentile(ms, 99), "ms");
    kFigures.Print("carme", "reports_seen", static_cast<double>(ms.size()), "");
  }

  void Squeue() {
    std::vector<double> ms;
    for (int round = 0; round < kRoundsOfSqueue; ++round) {
      const std::vector<v1::Job> jobs = SubmitForEach(absl::Hours(1));
      std::vector<absl::Time> seen(jobs.size()), cancelled;
      std::vector<std::thread> pages;
      for (size_t i = 0; i < jobs.size(); ++i) {
        pages.emplace_back([&, i, phase = AnyOf(kSqueueEvery)] {
          seen[i] = AwaitBySqueue(jobs[i].slurm_job_id(), phase);
        });
      }
      absl::SleepFor(kSqueueEvery + AnyOf(kSqueueEvery));
      for (const v1::Job& job : jobs) {
        cancelled.push_back(CancelInSlurm(job.slurm_job_id()));
      }
      for (std::thread& page : pages) page.join();
      for (size_t i = 0; i < jobs.size(); ++i) {
        ms.push_back(absl::ToDoubleMilliseconds(seen[i] - cancelled[i]));
      }
    }
    kFigures.Print("squeue_every_5_s", "slurm_p50_ms", Percentile(ms, 50),
                   "ms");
    kFigures.Print("squeue_every_5_s", "slurm_p99_ms", Percentile(ms, 99),
                   "ms");
    kFigures.Print("carme", "ratio:carme/squeue_every_5_s",
                   slurm_p99_ / Percentile(ms, 99), "");
  }

 private:
  // A job of each person, to begin so much later; each stream has seen it wait,
  // or begin.
  std::vector<v1::Job> SubmitForEach(absl::Duration later) {
    std::vector<v1::Job> jobs;
    for (const std::string& token : tokens_) {
      v1::SubmitJobRequest request;
      v1::JobSpec* spec = request.mutable_spec();
      spec->set_name("bench");
      spec->set_cpus_per_node(1);
      spec->set_memory_per_node_mib(50);
      spec->mutable_walltime()->set_seconds(3600);
      spec->set_partition("main");
      if (later > absl::ZeroDuration()) {
        spec->mutable_start_at()->set_seconds(
            absl::ToUnixSeconds(absl::Now() + later));
      }
      request.set_idempotency_key(NewRequestId());
      v1::SubmitJobResponse response;
      grpc::ClientContext context;
      context.AddMetadata("carme-session", token);
      CheckCall(jobs_->SubmitJob(&context, request, &response), "SubmitJob");
      jobs.push_back(response.job());
    }
    for (const v1::Job& job : jobs) AwaitEach(job, Stage::kInSlurm);
    return jobs;
  }

  // When each of its owner's streams has seen the job come so far.
  std::vector<absl::Time> AwaitEach(const v1::Job& job, Stage stage) {
    return arrivals_.Await(job.id(), stage, kStreams / tokens_.size());
  }

  StreamArrivals arrivals_;  // the first member: the streams use it
  LoginClient logins_;
  const std::vector<std::string> tokens_;
  const std::unique_ptr<v1::JobService::Stub> jobs_;
  Watchers watchers_;
  double slurm_p99_ = 0;
};

}  // namespace
}  // namespace carme

int main(int argc, char** argv) {
  const char* password = std::getenv("BENCH_PASSWORD");
  if (argc != 3 || password == nullptr) {
    std::fprintf(stderr, "usage: tests/bench/run fanout\n");
    return 2;
  }
  slurm_init(nullptr);
  const char* given = std::getenv("ROUNDS");
  const int rounds = given != nullptr ? std::atoi(given) : 40;
  carme::Bench bench(argv[1], std::atoi(argv[2]), password);
  bench.Slurm(rounds);
  bench.Agents(rounds / 2);
  bench.Squeue();
  return 0;
}
