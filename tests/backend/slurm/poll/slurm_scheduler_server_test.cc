// The poller on a real Slurm.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/policy/cluster/capacity.h"
#include "backend/policy/cluster/driver_match.h"
#include "backend/slurm/libslurm/slurmctld_release.h"
#include "backend/slurm/poll/slurm_scheduler.h"
#include "backend/slurm/query/slurm_query.h"
#include "common/file.h"
#include "tests/support/signals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string output;
  char buffer[4096];
  while (const size_t got = fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, got);
  }
  pclose(pipe);
  return output;
}

// A scheduler that is watched itself: the calls of its listener are counted.
struct Watched {
  explicit Watched(absl::Duration interval = absl::Milliseconds(200)) {
    SlurmConfig config;
    config.poll_interval = interval;
    scheduler = SlurmScheduler::Create(config).value();
    scheduler->OnPoll([this](const SlurmSnapshotPtr&) { ++polls; });
    scheduler->Start();
  }
  SlurmSnapshotPtr Await(const std::function<bool(const SlurmSnapshot&)>& holds,
                         absl::Duration timeout = testing::kWaitTimeout) {
    const absl::Time deadline = absl::Now() + timeout;
    SlurmSnapshotPtr snapshot = scheduler->Snapshot();
    while (!holds(*snapshot) && absl::Now() < deadline) {
      absl::SleepFor(absl::Milliseconds(10));
      snapshot = scheduler->Snapshot();
    }
    REQUIRE(holds(*snapshot));
    return snapshot;
  }
  std::unique_ptr<SlurmScheduler> scheduler;
  std::atomic<int> polls = 0;
};

bool IsReachable(const SlurmSnapshot& snapshot) { return snapshot.reachable; }
bool IsUnreachable(const SlurmSnapshot& snapshot) {
  return !snapshot.reachable;
}

uint32_t SubmitAsAda(const std::string& options) {
  const std::string id = OutputOf(absl::StrCat(
      "runuser -u ada -- sbatch --parsable -D /tmp --mem=100 -o /dev/null ",
      options, " --wrap 'sleep 60'"));
  REQUIRE_FALSE(id.empty());
  return static_cast<uint32_t>(std::stoul(id));
}

// slurmctld is away, or stopped in its tracks, for a while.
struct Outage {
  Outage() { OutputOf("$CARME_CLUSTER_SERVICE slurmctld stop 2>&1"); }
  ~Outage() { OutputOf("$CARME_CLUSTER_SERVICE slurmctld start 2>&1"); }
};
struct Freeze {
  Freeze() { REQUIRE((pid > 1 && testing::Signal(pid, SIGSTOP))); }
  ~Freeze() { testing::Signal(pid, SIGCONT); }
  const pid_t pid =
      std::stoi(ReadFile("/run/slurm/slurmctld.pid").value_or("0"));
};

struct EndJobs {
  ~EndJobs() {
    OutputOf("squeue -h -o %A | xargs -r scancel -f 2>&1");
    while (!OutputOf("squeue -h").empty()) {
      absl::SleepFor(absl::Milliseconds(20));
    }
  }
};

TEST_CASE("scheduler: without slurm.conf it does not start", "[backend]") {
  SlurmConfig config;
  config.conf = "/nonexistent/slurm.conf";
  CHECK_THAT(SlurmScheduler::Create(config),
             StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_CASE("scheduler: lists all pending tasks of an array", "[backend]") {
  const EndJobs end;
  Watched watched;
  CHECK(watched.Await(IsReachable)->max_array_size > 100);
  std::string list;
  for (int i = 0; i < 60; ++i) {
    absl::StrAppend(&list, i == 0 ? "" : ",", 3 * i + i % 2);
  }
  const SlurmJobId array(SubmitAsAda(
      "-H --comment=carme:abcdefghijklmno1 --array=" + list + "%4"));
  const auto is = [&](SlurmState state) {
    return [&array, state](const SlurmSnapshot& seen) {
      const auto found = seen.jobs.find(array);
      return found != seen.jobs.end() && found->second.state == state;
    };
  };
  const auto waiting = watched.Await(is(SlurmState::kPending));
  const SlurmJob& all = waiting->jobs.at(array);
  CHECK(all.array == array);
  CHECK(!all.task.has_value());
  CHECK(all.tasks_waiting == list + "%4");
  OutputOf(absl::StrCat("scancel ", array.value()));
  // What was stopped while it waited keeps its list.
  const auto cancelled = watched.Await(is(SlurmState::kCancelled));
  CHECK(cancelled->jobs.at(array).tasks_waiting == list + "%4");
}

TEST_CASE("scheduler: running tasks have ids, the last one the array's",
          "[backend]") {
  const EndJobs end;
  Watched watched;
  const SlurmJobId array(
      SubmitAsAda("-n1 -c1 --comment=carme:abcdefghijklmno1 --array=5-7%1"));
  const auto task = [&](const SlurmSnapshot& seen, uint32_t index) {
    for (const auto& [id, job] : seen.jobs) {
      if (job.array == array && job.task == index &&
          job.state == SlurmState::kRunning) {
        return id;
      }
    }
    return SlurmJobId();
  };
  const auto first = watched.Await(
      [&](const SlurmSnapshot& seen) { return task(seen, 5) != SlurmJobId(); });
  CHECK(task(*first, 5) != array);
  CHECK(first->jobs.at(array).tasks_waiting == "6-7%1");
  OutputOf(absl::StrCat("scancel ", array.value(), "_5"));
  // One that waits alone is named like one that has started.
  const auto second = watched.Await(
      [&](const SlurmSnapshot& seen) { return task(seen, 6) != SlurmJobId(); });
  CHECK(task(*second, 6) != array);
  CHECK(second->jobs.at(array).state == SlurmState::kPending);
  CHECK(second->jobs.at(array).task == 7U);
  OutputOf(absl::StrCat("scancel ", array.value(), "_6"));
  const auto last = watched.Await(
      [&](const SlurmSnapshot& seen) { return task(seen, 7) != SlurmJobId(); });
  CHECK(task(*last, 7) == array);
}

TEST_CASE("scheduler: reads the cluster", "[backend]") {
  Watched watched;
  const auto snapshot = watched.Await(IsReachable);
  CHECK(snapshot->cluster_name == "carme");
  REQUIRE(snapshot->nodes.size() == 2);
  const SlurmNode& n1 = snapshot->nodes[0];
  CHECK(n1.name == "n1");
  CHECK(n1.address == "10.77.0.11");
  CHECK(n1.up);
  CHECK(n1.has_feature);
  CHECK(n1.cpus > 0);
  CHECK(n1.memory_mib > 0);
  CHECK(n1.gpus == std::map<std::string, int>{{"h200", 2}});
  CHECK(n1.partitions == std::vector<std::string>{"main", "debug"});
  REQUIRE(snapshot->partitions.size() == 2);
  const SlurmPartition& main = snapshot->partitions[0];
  CHECK(main.name == "main");
  CHECK(main.is_default);
  CHECK(main.up);
  CHECK(main.max_walltime == absl::Hours(24));
  CHECK(main.nodes == std::vector<std::string>{"n1", "n2"});
}

// A node with other features, until the end of the test.
struct Features {
  explicit Features(const std::string& features) { Set(features); }
  ~Features() { Set("carme"); }
  static void Set(const std::string& features) {
    OutputOf(absl::StrCat("scontrol update nodename=n1 availablefeatures=",
                          features, " activefeatures=", features, " 2>&1"));
  }
};

TEST_CASE("scheduler: reads the release of slurmctld", "[backend]") {
  Watched watched;
  const auto release =
      ParseSlurmRelease(watched.Await(IsReachable)->slurm_version);
  REQUIRE(release.has_value());
  CHECK(WorksWith(ParseSlurmRelease(LoadedLibslurm()).value(), *release));
  // How it is found when libslurm is of another one.
  const SlurmctldProbe probe = ProbeSlurmctld("head", 6817);
  CHECK(probe.connected);
  CHECK(probe.release.has_value() == (*release >= SlurmRelease{24, 11}));
  CHECK(probe.release.value_or(*release) == *release);
  CHECK_FALSE(ProbeSlurmctld("head", 1).connected);
}

TEST_CASE("scheduler: reads the driver from a node's features", "[backend]") {
  const EndJobs end;
  Watched watched;
  watched.Await(IsReachable);
  const Features features("carme,driver-550.54.14,cuda-12.4");
  const auto snapshot = watched.Await([](const SlurmSnapshot& now) {
    return !now.nodes.empty() && now.nodes[0].driver == "550.54.14";
  });
  CHECK(snapshot->nodes[0].has_feature);
  CHECK(snapshot->nodes[0].cuda == "12.4");
  CHECK(snapshot->nodes[1].driver.empty());
  // The decision of the policy on this cluster.
  Image image;
  image.id = "torch:2";
  const std::vector<const SlurmNode*> nodes = NodesForJobs(*snapshot, "main");
  image.driver = "550.54";
  const DriverMatch old_enough =
      MatchDriver({.gpus_per_node = 1, .partition = "main"}, image, nodes);
  CHECK(old_enough.excluded == std::vector<std::string>{"n2"});
  CHECK(old_enough.violations.empty());
  image.driver = "560";
  const DriverMatch too_new =
      MatchDriver({.gpus_per_node = 1, .partition = "main"}, image, nodes);
  REQUIRE(too_new.violations.size() == 1);
  CHECK_THAT(too_new.violations[0].message.text,
             Catch::Contains("\"550.54.14\"") &&
                 Catch::Contains("expects at least \"560\""));
}

TEST_CASE("scheduler: includes only Carme's jobs", "[backend]") {
  const EndJobs end;
  Watched watched;
  watched.Await(IsReachable);
  std::vector<uint32_t> others;
  for (const char* comment : {"", "carme:", "carme:SHOUTEDJOBIDS123"}) {
    others.push_back(SubmitAsAda(absl::StrCat("--comment=", comment)));
  }
  const uint32_t id = SubmitAsAda(
      "--comment=carme:abcdefghijklmno1 -w n2 --gres=gpu:1 --mem=100 -t 5");
  const auto snapshot = watched.Await([&](const SlurmSnapshot& now) {
    const auto job = now.jobs.find(SlurmJobId(id));
    return job != now.jobs.end() && job->second.state == SlurmState::kRunning;
  });
  for (const uint32_t other : others) {
    CHECK_FALSE(snapshot->jobs.contains(SlurmJobId(other)));
  }
  const SlurmJob& job = snapshot->jobs.at(SlurmJobId(id));
  CHECK(job.id == SlurmJobId(id));
  CHECK(job.carme_id == JobId("abcdefghijklmno1"));
  CHECK(job.uid == Uid(20001));
  CHECK(job.nodes == std::vector<std::string>{"n2"});
  CHECK(job.ends_at - job.started_at == absl::Minutes(5));
  const auto used = watched.Await([](const SlurmSnapshot& now) {
    return now.nodes[1].gpus_used == std::map<std::string, int>{{"a100", 1}};
  });
  CHECK(used->nodes[1].cpus_used > 0);
  CHECK(used->nodes[1].memory_used_mib >= 100);
  CHECK(used->version > 1);

  OutputOf(absl::StrCat("scancel ", id));
  watched.Await([&](const SlurmSnapshot& now) {
    return now.jobs.at(SlurmJobId(id)).state == SlurmState::kCancelled;
  });
}

TEST_CASE("scheduler: queries a single job", "[backend]") {
  const EndJobs end;
  SlurmQuery query({});
  REQUIRE_THAT(query.Refresh(), IsOk());
  const SlurmJobId waits(SubmitAsAda("-H --comment=carme:abcdefghijklmno1"));
  const SlurmJobId another(SubmitAsAda("-H"));
  const SlurmJobId array(
      SubmitAsAda("-H --comment=carme:abcdefghijklmno2 --array=1-3"));
  const SlurmJobId unknown(4'000'000);
  const auto seen = query.RefreshJob({waits, another, array, unknown});
  REQUIRE_THAT(seen, IsOk());
  CHECK(seen->size() == 2);
  CHECK(seen->at(waits).state == SlurmState::kPending);
  CHECK(seen->at(waits).held);
  CHECK(seen->at(array).tasks_waiting == "1-3");
  CHECK(query.facts().jobs.contains(waits));
  const auto again = query.RefreshJob({waits, array, unknown}, {waits, array});
  REQUIRE_THAT(again, IsOk());
  CHECK(again->size() == 2);
  CHECK(again->at(waits).held);
  CHECK(again->at(array).tasks_waiting == "1-3");
  OutputOf(absl::StrCat("scancel ", waits.value()));
  // A task that has begun is a record of its own.
  OutputOf(absl::StrCat("scontrol release ", array.value()));
  REQUIRE(testing::WaitFor([&] {
    const auto tasks = query.RefreshJob({array}, {array});
    return tasks.ok() &&
           std::any_of(tasks->begin(), tasks->end(), [&](const auto& task) {
             return task.first != array && task.second.array == array;
           });
  }));
  CHECK(query.RefreshJob({waits}, {waits})->at(waits).state ==
        SlurmState::kCancelled);
  CHECK(query.facts().jobs.at(waits).state == SlurmState::kCancelled);
  // A full poll has it, too.
  REQUIRE_THAT(query.Refresh(), IsOk());
  CHECK(query.facts().jobs.at(waits).state == SlurmState::kCancelled);
}

TEST_CASE("scheduler: a query of a single job detects an outage", "[backend]") {
  SlurmQuery query({});
  REQUIRE_THAT(query.Refresh(), IsOk());
  const Outage outage;
  CHECK(absl::IsUnavailable(query.RefreshJob({SlurmJobId(1)}).status()));
}

TEST_CASE("scheduler: reads reservations, their users and their end",
          "[backend]") {
  Watched watched;
  REQUIRE_THAT(OutputOf("scontrol create reservation reservationname=class "
                        "starttime=now+1day duration=90 nodes=n2 "
                        "users=ada,bob 2>&1"),
               Catch::Contains("created"));
  const auto seen = watched.Await(
      [](const SlurmSnapshot& now) { return !now.reservations.empty(); });
  OutputOf("scontrol delete reservation class");
  const SlurmReservation& reservation = seen->reservations.at(0);
  CHECK(reservation.name == "class");
  CHECK(reservation.nodes == std::vector<std::string>{"n2"});
  CHECK(reservation.users == std::vector<std::string>{"ada", "bob"});
  CHECK(reservation.ends_at - reservation.starts_at == absl::Minutes(90));
  CHECK_FALSE(reservation.for_maintenance);
  const auto gone = watched.Await(
      [](const SlurmSnapshot& now) { return now.reservations.empty(); });
  CHECK(gone->version > seen->version);
}

TEST_CASE("scheduler: polls immediately on request", "[backend]") {
  const EndJobs end;
  SlurmConfig config;
  config.poll_interval = absl::Hours(1);
  auto scheduler = SlurmScheduler::Create(config).value();
  std::atomic<int> polls = 0;
  scheduler->OnPoll([&](const SlurmSnapshotPtr&) { ++polls; });
  scheduler->Start();
  CHECK(testing::WaitFor([&] { return polls >= 1; }));
  scheduler->RefreshSoon();
  CHECK(testing::WaitFor([&] { return polls >= 2; }));
  scheduler->RefreshJob(SlurmJobId(1));
  CHECK(testing::WaitFor([&] { return polls >= 3; }));
  // Again and again, for a while.
  scheduler->TrackUntilEnd(SlurmJobId(1));
  CHECK(testing::WaitFor([&] { return polls >= 6; }));
  // However often: ten a second at most.
  const absl::Time start = absl::Now();
  const int before = polls;
  while (absl::Now() - start < absl::Seconds(1)) scheduler->RefreshSoon();
  // Counted within the measured time.
  const int found = polls - before;
  const int max =
      static_cast<int>(absl::ToDoubleSeconds(absl::Now() - start) * 10);
  CHECK(found <= max + 1);
}

TEST_CASE("scheduler: survives a restart of slurmctld", "[backend]") {
  Watched watched;
  const auto before = watched.Await(IsReachable);
  {
    const Outage outage;
    const auto away = watched.Await(IsUnreachable);
    CHECK(away->nodes.size() == 2);
    CHECK(away->since > before->since);
    CHECK(away->version > before->version);
    // The listener continues while libslurm tries to connect.
    const int polls = watched.polls;
    absl::SleepFor(absl::Seconds(3));
    CHECK(watched.polls >= polls + 2);
  }
  watched.Await([](const SlurmSnapshot& now) {
    return now.reachable && now.nodes[0].up && now.nodes[1].up;
  });
}

TEST_CASE("scheduler: does not use a late result as a new one", "[backend]") {
  const EndJobs end;
  Watched watched(absl::Seconds(2));  // of which it waits for one
  watched.Await(IsReachable);
  {
    // Slurm answers while the watcher no longer waits and not yet asks again.
    const Freeze freeze;
    const int polls = watched.polls;
    watched.scheduler->RefreshSoon();
    REQUIRE(testing::WaitFor([&] { return watched.polls >= polls + 1; }));
  }
  for (int i = 0; i < 3; ++i) {
    const uint32_t id = SubmitAsAda("-H --comment=carme:abcdefghijklmno2");
    const absl::Time submitted = absl::Now();
    const auto look = watched.Await(
        [&](const SlurmSnapshot& now) { return now.asked_at > submitted; });
    CHECK(look->jobs.contains(SlurmJobId(id)));
  }
}

TEST_CASE("scheduler: does not hang with slurmctld", "[backend]") {
  auto watched = std::make_unique<Watched>();
  watched->Await(IsReachable);
  const Freeze freeze;
  watched->Await(IsUnreachable, absl::Seconds(9));  // libslurm waits for ten
  const absl::Time start = absl::Now();
  watched.reset();
  CHECK(absl::Now() - start < absl::Seconds(4));  // it is not waited for
}

v1::PartitionState StateOf(const SlurmSnapshot& snapshot,
                           const std::string& name) {
  for (const SlurmPartition& partition : snapshot.partitions) {
    if (partition.name == name) return partition.state;
  }
  return v1::PARTITION_STATE_UNSPECIFIED;
}

TEST_CASE("scheduler: one refresh serves all waiting callers", "[slurm]") {
  // By itself it asks for partitions every few minutes.
  Watched watched(absl::Seconds(5));
  watched.Await(IsReachable);
  const auto state = [&] {
    REQUIRE(watched.scheduler->RefreshResources(testing::kWaitTimeout));
    return StateOf(*watched.scheduler->Snapshot(), "debug");
  };
  for (const auto& [word, expected] :
       {std::pair("drain", v1::PARTITION_STATE_DRAIN),
        std::pair("inactive", v1::PARTITION_STATE_INACTIVE),
        std::pair("down", v1::PARTITION_STATE_DOWN),
        std::pair("up", v1::PARTITION_STATE_UP)}) {
    OutputOf(absl::StrCat("scontrol update partitionname=debug state=", word));
    CHECK(state() == expected);
  }
  const int before = watched.polls;
  std::vector<std::thread> callers;
  std::atomic<int> refreshed = 0;
  for (int i = 0; i < 20; ++i) {
    callers.emplace_back([&] {
      if (watched.scheduler->RefreshResources(testing::kWaitTimeout))
        ++refreshed;
    });
  }
  for (std::thread& caller : callers) caller.join();
  CHECK(refreshed == 20);
  CHECK(watched.polls - before <= 6);
}

// Lines at the end of slurm.conf. Slurm reads new nodes at a restart.
class AddedLines {
 public:
  explicit AddedLines(const std::string& lines) { Put(before_ + lines); }
  ~AddedLines() { Put(before_); }

 private:
  static void Put(const std::string& text) {
    if (!WriteFile("/etc/slurm/slurm.conf", text, 0644).ok()) std::abort();
    OutputOf("$CARME_CLUSTER_SERVICE slurmctld restart 2>&1");
  }
  const std::string before_ = ReadFile("/etc/slurm/slurm.conf").value();
};

TEST_CASE("scheduler: a new node and its partition appear without a restart",
          "[slurm]") {
  Watched watched;
  watched.Await(IsReachable);
  const auto has_partition = [&] {
    watched.scheduler->RefreshResources(testing::kWaitTimeout);
    return StateOf(*watched.scheduler->Snapshot(), "new") !=
           v1::PARTITION_STATE_UNSPECIFIED;
  };
  CHECK_FALSE(has_partition());
  {
    const AddedLines added(
        "NodeName=n3 NodeAddr=10.77.0.13 CPUs=1 RealMemory=1000 Feature=carme\n"
        "PartitionName=new Nodes=n3 State=UP\n");
    REQUIRE(testing::WaitFor(has_partition));
    const std::vector<SlurmNode> nodes = watched.scheduler->Snapshot()->nodes;
    const auto found =
        std::find_if(nodes.begin(), nodes.end(),
                     [](const SlurmNode& node) { return node.name == "n3"; });
    REQUIRE(found != nodes.end());
    CHECK(found->has_feature);
  }
  CHECK(testing::WaitFor([&] { return !has_partition(); }));
  CHECK(testing::WaitFor([] {
    return OutputOf("sinfo -h -N -p main -t idle -o %N") == "n1\nn2\n";
  }));
}

TEST_CASE("scheduler: no caller waits while Slurm is unreachable", "[slurm]") {
  Watched watched;
  watched.Await(IsReachable);
  const Freeze freeze;
  watched.Await(IsUnreachable);
  const absl::Time begun = absl::Now();
  CHECK_FALSE(watched.scheduler->RefreshResources(testing::kWaitTimeout));
  CHECK_FALSE(watched.scheduler->RefreshAccounting(testing::kWaitTimeout));
  CHECK(absl::Now() - begun < absl::Seconds(2));
}

}  // namespace
}  // namespace carme::backend
