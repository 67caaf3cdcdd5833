// The backend's rule with the real impersonator and a real Slurm: what is not
// durable in the table is never in the queue.
#include <catch2/catch.hpp>
#include <string>

#include "backend/slurm/impersonator/impersonator_client.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using impersonator::AsUser;
using impersonator::EndJobs;
using impersonator::ImpersonatorProcess;
using impersonator::kBackendUid;
using impersonator::OutputOf;
using impersonator::WaitFor;

JobSpec SmallJob() {
  JobSpec spec;
  spec.name = "record first";
  spec.partition = "main";
  spec.memory_per_node_mib = 100;
  spec.walltime = absl::Minutes(5);
  return spec;
}

// A world whose submitter is the real one.
struct RealWorld : JobFixture {
  explicit RealWorld(const ImpersonatorProcess& impersonator)
      : client({.socket = impersonator.socket(),
                .timeout = testing::kWaitTimeout}) {
    admission_.reset();
    jobs_ = Jobs::Open({.database = database_.get(),
                        .scheduler = &slurm_,
                        .submitter = &client,
                        .routes = routes_.get(),
                        .audit = audit_.get(),
                        .clock = &clock_,
                        .images = images_},
                       config_)
                .value();
  }
  absl::StatusOr<Job> SubmitAsBackend() {
    const AsUser backend(kBackendUid);
    return Submit(ada_, "", SmallJob());
  }
  ImpersonatorClient client;
};

TEST_CASE("record first: no COMMIT, no job in Slurm", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  RealWorld world(impersonator);
  BreakCommit(world.database_.get());
  const auto job = world.SubmitAsBackend();
  CHECK(absl::IsUnavailable(job.status()));
  REQUIRE(WaitFor([&] { return impersonator.AuditLines().size() == 1; }));
  CHECK_THAT(
      impersonator.AuditLines()[0],
      Catch::Contains("user=ada") && Catch::Contains("decision=aborted"));
  CHECK(OutputOf("squeue -h -t all -n 'record first'").empty());
}

TEST_CASE("record first: a COMMIT, a job in Slurm", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  RealWorld world(impersonator);
  const auto job = world.SubmitAsBackend();
  INFO(job.status().ToString());
  REQUIRE_THAT(job, IsOk());
  CHECK(OutputOf("squeue -h -t all -n 'record first' -o %A") ==
        std::to_string(job->slurm_id.value()) + "\n");
}

}  // namespace
}  // namespace carme::backend
