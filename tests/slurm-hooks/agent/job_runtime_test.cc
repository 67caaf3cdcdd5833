#include "slurm-hooks/agent/runtime/job_runtime.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/clock.h"

namespace carme::agent {
namespace {

using State = JobRuntime::State;

constexpr State kAll[] = {
    State::kEntering,       State::kStagingIn,  State::kRunning,
    State::kAwaitingLink,   State::kLinked,     State::kStopping,
    State::kFinishingEarly, State::kStagingOut, State::kEnded};

// A job whose environment is never opened.
struct ClosedJob {
  explicit ClosedJob(JobPlan plan = {})
      : loop(net::EventLoop::Create().value()),
        runtime({.loop = *loop,
                 .clock = clock,
                 .job = JobId("a23456789abcdefg"),
                 .facts = {},
                 .plan = std::move(plan),
                 .report = [](const std::string&, carme::v1::AppState,
                              const DisplayText&) {},
                 .on_exit =
                     [this](int exit_code, const DisplayText& detail) {
                       exits.emplace_back(exit_code, detail.text);
                     },
                 .on_nodes = [](const carme::v1::LinkedJob&) {}}) {}

  SystemClock clock;
  std::unique_ptr<net::EventLoop> loop;
  std::vector<std::pair<int, std::string>> exits;
  JobRuntime runtime;
};

using Exits = std::vector<std::pair<int, std::string>>;

TEST_CASE("job runtime: an ended job stays ended", "[agent]") {
  for (const State to : kAll) {
    CHECK_FALSE(JobRuntime::IsTransition(State::kEnded, to));
  }
}

TEST_CASE("job runtime: refuses a transition to the same state", "[agent]") {
  for (const State state : kAll) {
    CHECK_FALSE(JobRuntime::IsTransition(state, state));
  }
}

TEST_CASE("job runtime: an ending job never runs again", "[agent]") {
  for (const State from : {State::kStopping, State::kFinishingEarly,
                           State::kStagingOut, State::kEnded}) {
    for (const State to : {State::kEntering, State::kStagingIn, State::kRunning,
                           State::kAwaitingLink, State::kLinked,
                           State::kStopping, State::kFinishingEarly}) {
      INFO(static_cast<int>(from) << " to " << static_cast<int>(to));
      CHECK_FALSE(JobRuntime::IsTransition(from, to));
    }
  }
}

TEST_CASE("job runtime: has only the transitions of its diagram", "[agent]") {
  const std::map<State, std::set<State>> allowed = {
      {State::kEntering,
       {State::kStagingIn, State::kAwaitingLink, State::kStopping,
        State::kEnded}},
      {State::kStagingIn, {State::kRunning, State::kStopping, State::kEnded}},
      {State::kRunning,
       {State::kStopping, State::kFinishingEarly, State::kStagingOut,
        State::kEnded}},
      {State::kAwaitingLink, {State::kLinked, State::kStopping, State::kEnded}},
      {State::kLinked, {State::kStopping, State::kEnded}},
      {State::kStopping, {State::kStagingOut, State::kEnded}},
      {State::kFinishingEarly, {State::kStagingOut, State::kEnded}},
      {State::kStagingOut, {State::kEnded}},
      {State::kEnded, {}}};
  for (const State from : kAll) {
    for (const State to : kAll) {
      INFO(static_cast<int>(from) << " to " << static_cast<int>(to));
      CHECK(JobRuntime::IsTransition(from, to) ==
            (allowed.at(from).count(to) == 1));
    }
  }
}

TEST_CASE("job runtime: does not end early before its app runs", "[agent]") {
  JobPlan plan;
  plan.stage_out = {{}};
  ClosedJob job(std::move(plan));
  job.runtime.FinishEarly();
  CHECK(job.runtime.state() == State::kEntering);
  CHECK(job.exits.empty());
}

TEST_CASE("job runtime: reports its exit once", "[agent]") {
  JobPlan plan;
  plan.stage_out = {{}};  // no data was copied in: there are no results
  ClosedJob job(std::move(plan));
  job.runtime.Stop(SIGTERM);
  CHECK(job.runtime.state() == State::kEnded);
  job.runtime.Stop(SIGTERM);
  job.runtime.FinishEarly();
  CHECK(job.exits == Exits{{128 + SIGTERM, "stopped"}});
}

TEST_CASE("job runtime: a linked job ends with the other job, others do not",
          "[agent]") {
  ClosedJob other;
  other.runtime.OnLinkedJobs({});
  CHECK(other.runtime.state() == State::kEntering);
  CHECK(other.exits.empty());

  JobPlan plan;
  plan.linked_to = "b23456789abcdefg";
  ClosedJob linked(std::move(plan));
  linked.runtime.OnLinkedJobs({});
  CHECK(linked.runtime.state() == State::kEnded);
  linked.runtime.OnLinkedJobs({});
  CHECK(linked.exits == Exits{{0, "the job that it was linked to has ended"}});
}

}  // namespace
}  // namespace carme::agent
