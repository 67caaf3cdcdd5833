// Changing a job as its owner, on a real Slurm.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::OUTCOME_SLURM_REFUSED;
using privileged::v1::Request;
using privileged::v1::Response;
using privileged::v1::Update;

std::string Field(uint32_t job, const std::string& format) {
  return OutputOf(
      absl::StrCat("squeue -h -t all -j ", job, " -o '", format, "' 2>&1"));
}

// A job of ada's that asks for more than is free, behind one that runs.
struct PendingJob {
  explicit PendingJob(const ImpersonatorProcess& impersonator) {
    REQUIRE(impersonator.Submit("ada", 20001).outcome() == OUTCOME_OK);
    Request large = ValidSubmit();
    large.mutable_submit()->set_nodes(2);
    large.mutable_submit()->set_gpus_per_node(2);
    const Response response = impersonator.Ask(large);
    REQUIRE(response.outcome() == OUTCOME_OK);
    slurm_id = response.slurm_job_id();
    id = large.submit().carme_job_id();
  }
  const EndJobs end;
  uint32_t slurm_id = 0;
  std::string id;
};

Response Change(const ImpersonatorProcess& impersonator, const PendingJob& job,
                const std::function<void(Update*)>& change,
                const std::string& user = "ada", uid_t uid = 20001) {
  Request request = ValidUpdate();
  request.set_user(user);
  request.set_uid(uid);
  request.mutable_update()->clear_walltime_min();
  request.mutable_update()->set_slurm_job_id(job.slurm_id);
  request.mutable_update()->set_carme_job_id(job.id);
  change(request.mutable_update());
  return impersonator.Ask(request);
}

TEST_CASE("update: refuses another user's job, another job, and root",
          "[backend]") {
  const ImpersonatorProcess impersonator;
  const PendingJob job(impersonator);
  const auto rename = [](Update* update) { update->set_name("mine"); };
  const Response foreign = Change(impersonator, job, rename, "bob", 20002);
  CHECK(foreign.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(foreign.message(), Catch::Contains("is not this job"));
  CHECK(Change(impersonator, job, [](Update* update) {
          update->set_name("mine");
          update->set_carme_job_id("zzzzzzzzzzzzzzzz");
        }).outcome() == OUTCOME_REFUSED);
  CHECK(Change(impersonator, job, rename, "root", 0).outcome() ==
        OUTCOME_REFUSED);
  CHECK(Field(job.slurm_id, "%j") == "first try\n");
}

TEST_CASE("update: returns Slurm's error message", "[backend]") {
  const ImpersonatorProcess impersonator;
  const PendingJob job(impersonator);
  // An administrator's hold is the administrator's to end.
  REQUIRE(OutputOf(absl::StrCat("scontrol update JobId=", job.slurm_id,
                                " Priority=0 2>&1"))
              .empty());
  const Response release = Change(impersonator, job, [](Update* update) {
    update->set_hold(privileged::v1::HOLD_RELEASE);
  });
  CHECK(release.outcome() == OUTCOME_SLURM_REFUSED);
  CHECK_THAT(release.message(), Catch::StartsWith("slurm: "));
}

TEST_CASE("update: the owner cannot extend a running job", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  Request request = ValidUpdate();
  const Response job = impersonator.Submit(
      "ada", 20001, request.mutable_update()->mutable_carme_job_id());
  REQUIRE(WaitFor([&] { return Field(job.slurm_job_id(), "%t") == "R\n"; }));
  request.mutable_update()->set_slurm_job_id(job.slurm_job_id());
  request.mutable_update()->set_walltime_min(60);
  CHECK(impersonator.Ask(request).outcome() == OUTCOME_SLURM_REFUSED);
  request.mutable_update()->set_walltime_min(2);
  CHECK(impersonator.Ask(request).outcome() == OUTCOME_OK);
  CHECK(Field(job.slurm_job_id(), "%l") == "2:00\n");
}

TEST_CASE("update: refuses an ended job", "[backend]") {
  const ImpersonatorProcess impersonator;
  const PendingJob job(impersonator);
  OutputOf(absl::StrCat("scancel ", job.slurm_id));
  REQUIRE(WaitFor([&] { return Field(job.slurm_id, "%t") == "CA\n"; }));
  CHECK(Change(impersonator, job, [](Update* update) {
          update->set_walltime_min(2);
        }).outcome() == OUTCOME_SLURM_REFUSED);
  CHECK(Change(impersonator, job, [](Update* update) {
          update->set_slurm_job_id(2000000);
          update->set_walltime_min(2);
        }).outcome() == OUTCOME_SLURM_REFUSED);
}

TEST_CASE("update: time limit and name", "[backend]") {
  const ImpersonatorProcess impersonator;
  const PendingJob job(impersonator);
  for (const int minutes : {3, 60}) {
    const Response response = Change(impersonator, job, [&](Update* update) {
      update->set_walltime_min(minutes);
      update->set_name(absl::StrCat("run ", minutes));
    });
    INFO(response.message());
    CHECK(response.outcome() == OUTCOME_OK);
    CHECK(Field(job.slurm_id, "%l %j") ==
          (minutes == 3 ? "3:00 run 3\n" : "1:00:00 run 60\n"));
  }
  CHECK_THAT(
      impersonator.AuditLines()[2],
      Catch::Contains(absl::StrCat("operation=update object=", job.id, "/",
                                   job.slurm_id, " decision=allow result=ok")));
}

TEST_CASE("update: hold and release through the client", "[backend]") {
  const ImpersonatorProcess impersonator;
  const PendingJob job(impersonator);
  backend::ImpersonatorClient client(
      {.socket = impersonator.socket(), .timeout = testing::kWaitTimeout});
  const auto set = [&](backend::JobChange::Hold hold) {
    const AsUser backend(kBackendUid);
    return client.UpdateAsUser({"ada", Uid(20001)}, SlurmJobId(job.slurm_id),
                               JobId(job.id), {.hold = hold}, "r1");
  };
  CHECK_THAT(set(backend::JobChange::Hold::kHold), IsOk());
  CHECK(Field(job.slurm_id, "%r") == "JobHeldUser\n");
  CHECK_THAT(set(backend::JobChange::Hold::kRelease), IsOk());
  CHECK(Field(job.slurm_id, "%r") != "JobHeldUser\n");
}

}  // namespace
}  // namespace carme::impersonator
