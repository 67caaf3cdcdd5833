// Linked jobs: jobs whose nodes are added to those of another job.
#include "backend/jobs/model/linked_jobs.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "carme/v1/agent.pb.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

// A public line with these 32 bytes.
std::string Key(char letter) {
  const std::string blob = std::string("\0\0\0\x0bssh-ed25519\0\0\0\x20", 19) +
                           std::string(32, letter);
  return absl::StrCat("ssh-ed25519 ", absl::Base64Escape(blob));
}

v1::LinkedJob Report(const std::vector<std::string>& nodes) {
  v1::LinkedJob job;
  for (const std::string& name : nodes) {
    v1::LinkedNode* node = job.add_nodes();
    node->set_name(name);
    node->set_address("127.0.0.1");
    node->set_cpus(4);
    node->set_ssh_port(40022);
  }
  job.set_user_key(Key('u') + " carme-x");
  job.set_host_key(Key('h'));
  return job;
}

class Together : public JobFixture {
 public:
  Together() {
    first_ = Registered();
    REQUIRE_THAT(admission_->ReportApp(first_.id, kOwnAppReady), IsOk());
    REQUIRE_THAT(admission_->SetLinkedJob(Now(first_.id), Report({"a1"})),
                 IsOk());
  }
  absl::StatusOr<Job> Join(const Session& who, const JobId& of) {
    JobSpec spec;
    spec.linked_to = of.value();
    return Submit(who, "", spec);
  }
  void RunOn(const Job& job, const std::vector<std::string>& nodes) {
    SlurmJob slurm =
        SlurmJobOf(job.slurm_id, job.id, ada_.uid, SlurmState::kRunning);
    slurm.nodes = nodes;
    slurm_.Put(slurm);
    slurm_.Poll();
  }
  // A linked job of the first job on a2 whose agent has reported it.
  Job Joining() {
    const auto job = Join(ada_, first_.id);
    REQUIRE_THAT(job, IsOk());
    RunOn(*job, {"a2"});
    REQUIRE_THAT(admission_->CheckJoins(Now(job->id)), IsOk());
    REQUIRE_THAT(admission_->Register(job->id, {"127.0.0.1", 34001}), IsOk());
    REQUIRE_THAT(admission_->SetLinkedJob(Now(job->id), Report({"a2"})),
                 IsOk());
    return Now(job->id);
  }
  std::vector<std::string> NodesOf(const JobId& id) {
    const auto linked = admission_->LinkedJobsOf(id);
    if (!linked) return {"not sent"};
    if (linked->over) return {"over"};
    std::vector<std::string> nodes;
    for (const LinkedJob& job : linked->jobs) {
      nodes.push_back(job->nodes(0).name());
    }
    return nodes;
  }
  Job first_;
};

using Nodes = std::vector<std::string>;

TEST_CASE("linked jobs: a job of another user is not found", "[jobs]") {
  Together world;
  const auto theirs = world.Join(world.bob_, world.first_.id);
  const auto absent = world.Join(world.bob_, JobId("zzzzzzzzzzzzzzzz"));
  CHECK(absl::IsNotFound(theirs.status()));
  CHECK(theirs.status() == absent.status());
}

TEST_CASE("linked jobs: refused for a job that is not ready or itself linked",
          "[jobs]") {
  Together world;
  const Job pending = world.Submit(world.ada_).value();
  CHECK(
      absl::IsFailedPrecondition(world.Join(world.ada_, pending.id).status()));
  const Job linked = world.Joining();
  REQUIRE_THAT(world.admission_->ReportJoined(linked.id), IsOk());
  CHECK(absl::IsInvalidArgument(world.Join(world.ada_, linked.id).status()));
}

TEST_CASE("linked jobs: one at a time, so that no node is used twice",
          "[jobs]") {
  Together world;
  const Job waiting = world.Join(world.ada_, world.first_.id).value();
  CHECK(absl::IsResourceExhausted(
      world.Join(world.ada_, world.first_.id).status()));
  // Slurm gives it the job's own node all the same.
  world.RunOn(waiting, {"a1"});
  const absl::Status joins =
      world.admission_->CheckJoins(world.Now(waiting.id));
  CHECK(absl::IsFailedPrecondition(joins));
  CHECK(joins.message().find("\"a1\"") != absl::string_view::npos);
}

TEST_CASE("linked jobs: of concurrent requests one is admitted", "[jobs]") {
  Together world;
  for (int round = 0; round < 200; ++round) {
    absl::Mutex mutex;
    std::vector<JobId> admitted;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const auto job = world.Join(world.ada_, world.first_.id);
        const absl::MutexLock lock(&mutex);
        if (job.ok()) admitted.push_back(job->id);
      });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(admitted.size() == 1);
    REQUIRE_THAT(world.jobs_->Stop(world.ada_, admitted[0], "r"), IsOk());
  }
}

TEST_CASE("linked jobs: refuses wrong reports about a job's nodes", "[jobs]") {
  Together world;
  const Job job = world.Now(world.first_.id);
  const auto refused = [&](void (*change)(v1::LinkedJob*)) {
    v1::LinkedJob said = Report({"a1"});
    change(&said);
    return absl::IsInvalidArgument(world.admission_->SetLinkedJob(job, said));
  };
  CHECK(refused([](auto* said) { said->mutable_nodes(0)->set_name("a2"); }));
  CHECK(refused(
      [](auto* said) { said->mutable_nodes(0)->set_address("10.9.9.9"); }));
  CHECK(refused(
      [](auto* said) { said->mutable_nodes(0)->set_address("a1; id"); }));
  CHECK(refused([](auto* said) { *said->add_nodes() = said->nodes(0); }));
  CHECK(refused([](auto* said) { said->clear_nodes(); }));
  CHECK(
      refused([](auto* said) { said->mutable_nodes(0)->set_ssh_port(65536); }));
  CHECK(refused(
      [](auto* said) { said->mutable_nodes(0)->set_gpu_list("0\n1"); }));
  CHECK(refused([](auto* said) { said->set_user_key(""); }));
  CHECK(refused([](auto* said) {
    said->set_user_key("command=\"id\" " + said->host_key());
  }));
  CHECK(refused([](auto* said) { said->set_host_key("ssh-rsa AAAA"); }));
  CHECK(world.NodesOf(job.id) == Nodes{"a1"});  // as it was
}

TEST_CASE("linked jobs: an accepted key has one line and no comment",
          "[jobs]") {
  Together world;
  v1::LinkedJob said = Report({"a1"});
  said.set_user_key(Key('u') + " x\nssh-ed25519 AAAA");
  const auto checked = CheckLinkedJob(said, world.Now(world.first_.id),
                                      *world.slurm_.Snapshot());
  REQUIRE_THAT(checked, IsOk());
  CHECK((*checked)->user_key() == Key('u'));
}

TEST_CASE("linked jobs: both agents receive both jobs, then one again",
          "[jobs]") {
  Together world;
  CHECK(world.NodesOf(world.first_.id) == Nodes{"a1"});
  const Job linked = world.Joining();
  CHECK(world.NodesOf(world.first_.id) == Nodes{"a1", "a2"});
  CHECK(world.NodesOf(linked.id) == Nodes{"a1", "a2"});
  REQUIRE_THAT(world.admission_->ReportJoined(linked.id), IsOk());
  CHECK(world.Now(linked.id).state == v1::JOB_STATE_READY);
  REQUIRE_THAT(world.jobs_->Stop(world.ada_, linked.id, "r"), IsOk());
  CHECK(world.NodesOf(world.first_.id) == Nodes{"a1"});
}

// The first job has both nodes of the cluster, and its agent has reported them.
class OnTwoNodes : public Together {
 public:
  OnTwoNodes() {
    RunOn(first_, {"a1", "a2"});
    REQUIRE_THAT(admission_->SetLinkedJob(Now(first_.id), Report({"a1", "a2"})),
                 IsOk());
    REQUIRE(NodesSent() == 2);
  }
  int NodesSent() {
    return admission_->LinkedJobsOf(first_.id)->jobs.at(0)->nodes_size();
  }
};

TEST_CASE("linked jobs: a late report of a returned node is refused",
          "[jobs]") {
  OnTwoNodes world;
  world.RunOn(world.first_, {"a1"});
  CHECK(absl::IsInvalidArgument(world.admission_->SetLinkedJob(
      world.Now(world.first_.id), Report({"a1", "a2"}))));
  CHECK(world.NodesSent() == 1);
}

TEST_CASE("linked jobs: a returned node leaves the list at the next poll",
          "[jobs]") {
  OnTwoNodes world;
  world.RunOn(world.first_, {"a1"});
  CHECK(world.Now(world.first_.id).nodes == Nodes{"a1"});
  CHECK(world.NodesSent() == 1);
  CHECK(world.NodesOf(world.first_.id) == Nodes{"a1"});
  // The list is the same one until something changes.
  CHECK(*world.admission_->LinkedJobsOf(world.first_.id) ==
        *world.admission_->LinkedJobsOf(world.first_.id));
  // The node may be used by a linked job now.
  const Job linked = world.Joining();
  CHECK(world.NodesOf(linked.id) == Nodes{"a1", "a2"});
}

TEST_CASE("linked jobs: an agent may know of a returned node before the record",
          "[jobs]") {
  OnTwoNodes world;
  const Job before = world.Now(world.first_.id);
  const size_t asked = world.slurm_.RefreshedJobs().size();
  absl::Status taken = absl::UnknownError("not called");
  std::thread agent(
      [&] { taken = world.admission_->SetLinkedJob(before, Report({"a1"})); });
  CHECK(testing::WaitFor(
      [&] { return world.slurm_.RefreshedJobs().size() > asked; }));
  world.clock_.Advance(absl::Seconds(1));
  world.RunOn(world.first_, {"a1"});
  agent.join();
  CHECK_THAT(taken, IsOk());
  CHECK(world.NodesSent() == 1);
}

TEST_CASE("linked jobs: a report that lacks a node of the job stays refused",
          "[jobs]") {
  OnTwoNodes world;
  AgentAdmission admission({.active = &world.jobs_->active(),
                            .scheduler = &world.slurm_,
                            .polls = &world.jobs_->polls(),
                            .clock = &world.clock_,
                            .poll_timeout = absl::Milliseconds(1)});
  CHECK(absl::IsInvalidArgument(
      admission.SetLinkedJob(world.Now(world.first_.id), Report({"a1"}))));
  CHECK(world.NodesSent() == 2);
}

TEST_CASE("linked jobs: only its own agent reports that it joined", "[jobs]") {
  Together world;
  CHECK_FALSE(world.admission_->ReportJoined(world.first_.id).ok());
}

TEST_CASE("linked jobs: survive a restart of the backend", "[jobs]") {
  Together world;
  const Job linked = world.Joining();
  REQUIRE_THAT(world.admission_->ReportJoined(linked.id), IsOk());
  world.Restart();
  world.slurm_.Poll();
  CHECK(world.NodesOf(world.first_.id) == Nodes{"not sent"});
  const auto& admission = world.admission_;
  REQUIRE_THAT(
      admission->SetLinkedJob(world.Now(world.first_.id), Report({"a1"})),
      IsOk());
  CHECK(world.NodesOf(world.first_.id) == Nodes{"not sent"});
  REQUIRE_THAT(admission->SetLinkedJob(world.Now(linked.id), Report({"a2"})),
               IsOk());
  CHECK(world.NodesOf(world.first_.id) == Nodes{"a1", "a2"});
}

TEST_CASE("linked jobs: end with their job", "[jobs]") {
  Together world;
  const Job linked = world.Joining();
  world.slurm_.End(world.first_.slurm_id, SlurmState::kTimeLimit);
  world.slurm_.Poll();
  CHECK(world.Now(linked.id).state == v1::JOB_STATE_STOPPING);
  const auto cancelled = [&] {
    const auto all = world.slurm_.Cancelled();
    return std::find(all.begin(), all.end(), linked.slurm_id) != all.end();
  };
  CHECK(testing::WaitFor(cancelled));
}

TEST_CASE("linked jobs: the agent is notified when the joined job has ended",
          "[jobs]") {
  Together world;
  const Job linked = world.Joining();
  // Stopped, and Slurm was not asked since.
  REQUIRE_THAT(world.jobs_->Stop(world.ada_, world.first_.id, "r"), IsOk());
  CHECK(world.NodesOf(linked.id) == Nodes{"over"});
  CHECK(absl::IsFailedPrecondition(
      world.admission_->CheckJoins(world.Now(linked.id))));
}

}  // namespace
}  // namespace carme::backend
