#include "backend/jobs/diagnosis/start_estimator.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "backend/jobs/diagnosis/alternative_sizes.h"
#include "tests/backend/jobs/fake_slurm.h"
#include "tests/backend/policy/clusters.h"
#include "tests/support/fake_clock.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using testing::WaitFor;

JobSpec Filled(JobSpec spec) {
  if (spec.nodes == 0) spec.nodes = 1;
  if (spec.cpus_per_node == 0) spec.cpus_per_node = 4 * spec.gpus_per_node + 1;
  if (spec.memory_per_node_mib == 0) spec.memory_per_node_mib = 4096;
  if (spec.walltime == absl::ZeroDuration()) spec.walltime = absl::Hours(1);
  spec.partition = "main";
  return spec;
}

class Office {
 public:
  explicit Office(absl::Duration timeout = testing::kWaitTimeout)
      : estimator_(&slurm_, &slurm_, &clock_, timeout) {}

  StartEstimator::Query QueryFor(const JobSpec& asked, uint32_t uid = 20001) {
    const auto decide = [](const JobSpec& spec) {
      return Decision{.spec = Filled(spec), .violations = {}};
    };
    return {.user = {"ada", Uid(uid)},
            .asked = asked,
            .decision = decide(asked),
            .decide = decide,
            .request_id = "r1"};
  }
  // Slurm starts what asks for at most so much; all else in ten minutes.
  void StartAtOnce(int gpus, int nodes, absl::Duration walltime) {
    slurm_.set_foreseer(
        [=, this](const Submission& submission) -> SlurmStartEstimate {
          absl::MutexLock lock(&mutex_);
          asked_.push_back(submission);
          const bool now = submission.gpus_per_node <= gpus &&
                           submission.nodes <= nodes &&
                           submission.walltime <= walltime;
          return {.starts_at = clock_.Now() +
                               (now ? absl::Seconds(1) : absl::Minutes(10)),
                  .nodes = {"a1"}};
        });
  }
  std::vector<Submission> Asked() {
    absl::MutexLock lock(&mutex_);
    return asked_;
  }

  FakeClock clock_;
  FakeSlurm slurm_{&clock_};
  absl::Mutex mutex_;
  std::vector<Submission> asked_;
  StartEstimator estimator_;
};

TEST_CASE("start estimator: no time without a response of Slurm", "[jobs]") {
  Office office;
  struct Row {
    absl::Status status;
    const char* problem;
  };
  for (const Row& row :
       {Row{absl::UnavailableError("no socket /run/x"),
            "Slurm could not estimate its start time."},
        Row{absl::ResourceExhaustedError("too many"),
            "Too many estimates were requested within a minute."},
        Row{absl::PermissionDeniedError("uid 0"),
            "Slurm could not estimate its start time."}}) {
    office.slurm_.set_foreseer([&](const Submission&) { return row.status; });
    const auto estimate =
        office.estimator_.Estimate(office.QueryFor({.gpus_per_node = 2}));
    REQUIRE(estimate.has_value());
    CHECK(estimate->problem.text == row.problem);
    CHECK(estimate->sentence.empty());
    CHECK_FALSE(estimate->starts_at.has_value());
  }
}

TEST_CASE(
    "start estimator: an unresponsive Slurm does not block callers for long",
    "[jobs]") {
  absl::Notification go;
  Office office(absl::Milliseconds(50));
  office.slurm_.set_foreseer([&](const Submission&) -> SlurmStartEstimate {
    go.WaitForNotification();
    return {.starts_at = office.clock_.Now(), .nodes = {"a1"}};
  });
  const auto late = office.estimator_.Estimate(office.QueryFor({}));
  REQUIRE(late.has_value());
  CHECK(late->problem.text == "Slurm has not estimated its start time yet.");
  go.Notify();
  // Who asks again has the answer.
  CHECK(WaitFor(
      [&] { return office.estimator_.Estimate(office.QueryFor({}))->now; }));
}

TEST_CASE("start estimator: too many concurrent calls return at once",
          "[jobs]") {
  absl::Notification go;
  Office office;
  office.slurm_.set_foreseer([&](const Submission&) -> SlurmStartEstimate {
    go.WaitForNotification();
    return {.starts_at = office.clock_.Now(), .nodes = {"a1"}};
  });
  // Accepted requests wait for the estimate; the others are refused at once.
  std::atomic<int> late = 0;
  std::atomic<int> estimated = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < StartEstimator::kMaxPerUser + 3; ++i) {
    callers.emplace_back([&] {
      const auto estimate = office.estimator_.Estimate(office.QueryFor({}));
      ++(estimate.has_value() && estimate->now ? estimated : late);
    });
  }
  CHECK(WaitFor([&] { return late == 3; }));
  go.Notify();
  for (std::thread& caller : callers) caller.join();
  CHECK(estimated == StartEstimator::kMaxPerUser);
}

TEST_CASE("start estimator: a failed query is the last of its request",
          "[jobs]") {
  Office office;
  std::atomic<int> asked = 0;
  office.slurm_.set_foreseer(
      [&](const Submission&) -> absl::StatusOr<SlurmStartEstimate> {
        if (++asked > 1) return absl::UnavailableError("no answer");
        return SlurmStartEstimate{
            .starts_at = office.clock_.Now() + absl::Hours(2), .nodes = {"a1"}};
      });
  const auto estimate = office.estimator_.Estimate(
      office.QueryFor({.nodes = 4, .gpus_per_node = 4}));
  REQUIRE(estimate.has_value());
  CHECK(estimate->starts_at.has_value());
  CHECK(estimate->alternative == std::nullopt);
  CHECK(asked == 2);
}

TEST_CASE(
    "start estimator: one query of each user is in flight, then the newest",
    "[jobs]") {
  absl::Notification go;
  absl::Mutex mutex;
  int inside = 0, max = 0, calls = 0;
  Office office(absl::Milliseconds(50));
  office.slurm_.set_foreseer([&](const Submission&) -> SlurmStartEstimate {
    mutex.Lock();
    max = std::max(max, ++inside);
    ++calls;
    mutex.Unlock();
    go.WaitForNotification();
    absl::MutexLock lock(&mutex);
    --inside;
    return {.starts_at = office.clock_.Now(), .nodes = {}};
  });
  office.estimator_.Estimate(office.QueryFor({.cpus_per_node = 1}));
  REQUIRE(WaitFor([&] {
    absl::MutexLock lock(&mutex);
    return calls == 1;
  }));
  // Each replaces the one before it, which waits behind the first.
  for (int cpus = 2; cpus < 8; ++cpus) {
    office.estimator_.Estimate(office.QueryFor({.cpus_per_node = cpus}));
  }
  go.Notify();
  CHECK(WaitFor([&] {
    return office.estimator_.Estimate(office.QueryFor({.cpus_per_node = 7}))
        ->now;
  }));
  absl::MutexLock lock(&mutex);
  CHECK(max == 1);
  CHECK(calls == 2);
}

TEST_CASE("start estimator: returns time, nodes and what is missing",
          "[jobs]") {
  Office office;
  office.StartAtOnce(1, 1, absl::Hours(100));
  const auto now =
      office.estimator_.Estimate(office.QueryFor({.gpus_per_node = 1}));
  CHECK(now->now);
  CHECK(now->sentence.text == "Starts now on a1.");
  CHECK_FALSE(now->alternative.has_value());

  SlurmSnapshot busy = SmallCluster();
  busy.nodes[0].gpus_used = {{"a100", 3}};
  busy.nodes[1].gpus_used = {{"a100", 4}};
  busy.nodes[2].gpus_used = {{"v100", 8}};
  office.slurm_.set_cluster(busy);
  office.slurm_.Poll();
  const auto later =
      office.estimator_.Estimate(office.QueryFor({.gpus_per_node = 2}));
  CHECK_FALSE(later->now);
  CHECK(later->sentence.text ==
        "Starts in about 10 min on a1: 1 of 16 GPUs is free now.");
  REQUIRE(later->alternative.has_value());
  CHECK(later->alternative->gpus_per_node == 1);
  // The share of one GPU, not of two.
  CHECK(later->alternative->cpus_per_node == 5);
  CHECK(later->alternative_sentence.text ==
        "With 1 GPU instead of 2 it starts now.");
}

TEST_CASE(
    "start estimate: notes nodes with different GPUs, unless a type was chosen",
    "[jobs]") {
  const SlurmSnapshot cluster = SmallCluster();
  const absl::Time now = absl::UnixEpoch();
  const auto sentence = [&](const JobSpec& spec,
                            const std::vector<std::string>& nodes) {
    const SlurmStartEstimate answer = {.starts_at = now, .nodes = nodes};
    return EstimateStart(Filled(spec), answer, cluster, now).sentence.text;
  };
  const JobSpec two = {.nodes = 2, .gpus_per_node = 1};
  CHECK(sentence(two, {"a1", "v1"}) ==
        "Starts now on a1, v1. These nodes have different GPUs (a100, v100): "
        "choose a GPU type to get the same on each.");
  CHECK(sentence(two, {"a1", "a2"}) == "Starts now on a1, a2.");
  CHECK(sentence({.nodes = 2}, {"a1", "v1"}) == "Starts now on a1, v1.");
  JobSpec typed = two;
  typed.gpu_type = "a100";
  CHECK(sentence(typed, {"a1", "v1"}) == "Starts now on a1, v1.");
}

TEST_CASE("start estimator: caches an estimate for some seconds", "[jobs]") {
  Office office;
  office.StartAtOnce(1, 1, absl::Hours(100));
  for (int i = 0; i < 3; ++i) {
    office.estimator_.Estimate(office.QueryFor({.gpus_per_node = 1}));
  }
  JobSpec renamed = {.name = "another name", .gpus_per_node = 1};
  office.estimator_.Estimate(office.QueryFor(renamed));
  CHECK(office.Asked().size() == 1);
  office.estimator_.Estimate(office.QueryFor({.gpus_per_node = 1}, 20002));
  CHECK(office.Asked().size() == 2);
  office.clock_.Advance(absl::Seconds(6));
  office.estimator_.Estimate(office.QueryFor({.gpus_per_node = 1}));
  CHECK(office.Asked().size() == 3);
}

TEST_CASE("start estimator: fewer nodes, then less time, and few questions",
          "[jobs]") {
  Office office;
  office.StartAtOnce(4, 1, absl::Hours(100));
  const auto fewer = office.estimator_.Estimate(
      office.QueryFor({.nodes = 2, .gpus_per_node = 1}));
  CHECK(fewer->alternative_sentence.text ==
        "On 1 node instead of 2 it starts now.");
  office.StartAtOnce(4, 2, absl::Minutes(30));
  const auto shorter =
      office.estimator_.Estimate(office.QueryFor({.cpus_per_node = 3}));
  CHECK(shorter->alternative_sentence.text ==
        "For 30 min instead of 1 h it starts now.");
  office.StartAtOnce(0, 0, absl::ZeroDuration());
  const size_t before = office.Asked().size();
  const auto nothing = office.estimator_.Estimate(
      office.QueryFor({.nodes = 2, .gpus_per_node = 4}));
  CHECK_FALSE(nothing->alternative.has_value());
  CHECK(nothing->alternative_sentence.empty());
  CHECK(office.Asked().size() - before == 5);
}

TEST_CASE("start estimator: does not promise a start while other jobs wait",
          "[jobs]") {
  Office office;
  office.StartAtOnce(4, 2, absl::Hours(100));
  SlurmSnapshot queued = SmallCluster();
  queued.waiting = {{"main", 3}};
  office.slurm_.set_cluster(queued);
  office.slurm_.Poll();
  const auto behind =
      office.estimator_.Estimate(office.QueryFor({.gpus_per_node = 1}));
  CHECK_FALSE(behind->now);
  CHECK(behind->sentence.text ==
        "The resources are free now on a1, behind 3 jobs that wait.");
  CHECK_FALSE(behind->alternative.has_value());
  // One that shares a node with it counts, too.
  queued.waiting = {{"debug", 1}, {"long", 5}};
  queued.nodes[0].partitions.push_back("debug");
  office.slurm_.set_cluster(queued);
  office.slurm_.Poll();
  office.StartAtOnce(1, 1, absl::Hours(100));
  const auto smaller =
      office.estimator_.Estimate(office.QueryFor({.gpus_per_node = 2}));
  CHECK(smaller->sentence.text ==
        "Starts in about 10 min on a1; 1 job waits already.");
  CHECK(smaller->alternative_sentence.text ==
        "With 1 GPU instead of 2 the resources are free now.");
}

TEST_CASE("start estimator: offers an alternative that starts much sooner",
          "[jobs]") {
  Office office;
  absl::Duration smaller = absl::Minutes(5);
  office.slurm_.set_foreseer(
      [&](const Submission& submission) -> SlurmStartEstimate {
        return {.starts_at =
                    office.clock_.Now() +
                    (submission.gpus_per_node < 2 ? smaller : absl::Hours(2)),
                .nodes = {"a1"}};
      });
  const auto sooner =
      office.estimator_.Estimate(office.QueryFor({.gpus_per_node = 2}));
  REQUIRE(sooner->alternative.has_value());
  CHECK(sooner->alternative_sentence.text ==
        "With 1 GPU instead of 2 it starts in about 5 min.");
  smaller = absl::Minutes(90);
  const auto hardly = office.estimator_.Estimate(
      office.QueryFor({.gpus_per_node = 2, .cpus_per_node = 3}));
  CHECK_FALSE(hardly->alternative.has_value());
}

TEST_CASE("start estimator: suggests a smaller job after a refusal", "[jobs]") {
  Office office;
  office.slurm_.set_foreseer(
      [&](const Submission& submission) -> absl::StatusOr<SlurmStartEstimate> {
        if (submission.nodes > 1) {
          return absl::FailedPreconditionError("slurm: not available");
        }
        return SlurmStartEstimate{.starts_at = office.clock_.Now(),
                                  .nodes = {"a1"}};
      });
  const auto estimate = office.estimator_.Estimate(
      office.QueryFor({.nodes = 2, .gpus_per_node = 1}));
  CHECK(estimate->sentence.text ==
        "Slurm cannot estimate its start time (slurm: not available).");
  CHECK_FALSE(estimate->starts_at.has_value());
  CHECK(estimate->alternative->nodes == 1);
}

TEST_CASE("alternative sizes: differ in one number, the nearest first",
          "[jobs]") {
  const JobSpec asked = {.nodes = 3, .gpus_per_node = 8};
  JobSpec filled = asked;
  filled.cpus_per_node = 64;
  filled.walltime = absl::Hours(2);
  std::vector<std::string> words;
  for (const AlternativeSize& shape : AlternativeSizes(asked, filled)) {
    words.push_back(shape.label.text);
    CHECK(shape.spec.cpus_per_node == 0);
    CHECK((shape.spec.nodes != 3) + (shape.spec.gpus_per_node != 8) +
              (shape.spec.walltime != absl::Hours(2)) ==
          1);
  }
  CHECK(words == std::vector<std::string>{
                     "With 7 GPUs instead of 8", "With 4 GPUs instead of 8",
                     "With 1 GPU instead of 8", "On 2 nodes instead of 3",
                     "On 1 node instead of 3", "For 1 h instead of 2 h",
                     "For 30 min instead of 2 h"});
  CHECK(AlternativeSizes({}, {.nodes = 1, .walltime = absl::Minutes(15)})
            .empty());
}

TEST_CASE("rounded time: is short", "[jobs]") {
  CHECK(RoughTime(absl::ZeroDuration()) == "1 min");
  CHECK(RoughTime(absl::Seconds(421)) == "8 min");
  CHECK(RoughTime(absl::Minutes(60)) == "1 h");
  CHECK(RoughTime(absl::Minutes(150)) == "2 h 30 min");
  CHECK(RoughTime(absl::Hours(25)) == "1 d 1 h");
}

}  // namespace
}  // namespace carme::backend
