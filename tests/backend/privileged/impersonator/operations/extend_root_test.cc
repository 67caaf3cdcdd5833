// More time for a user's running job, set as SlurmUser, on a real
// Slurm.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Extend;
using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::OUTCOME_SLURM_REFUSED;
using privileged::v1::Request;
using privileged::v1::Response;

constexpr char kOffered[] = "[extensions]\nmax_walltime_min = 120\n";

std::string Field(uint32_t job, const std::string& format) {
  return OutputOf(
      absl::StrCat("squeue -h -t all -j ", job, " -o '", format, "' 2>&1"));
}

// A job of ada's for five minutes in the partition of at most thirty, which
// runs.
struct RunningJob {
  explicit RunningJob(const ImpersonatorProcess& impersonator) {
    Request request = ValidSubmit();
    request.mutable_submit()->set_carme_job_id("extendablejob001");
    request.mutable_submit()->set_partition("debug");
    const Response response = impersonator.Ask(request);
    INFO(response.message());
    REQUIRE(response.outcome() == OUTCOME_OK);
    slurm_id = response.slurm_job_id();
    id = request.submit().carme_job_id();
    REQUIRE(WaitFor([&] { return Field(slurm_id, "%t") == "R\n"; }));
  }
  const EndJobs end;
  uint32_t slurm_id = 0;
  std::string id;
};

Response ExtendTo(const ImpersonatorProcess& impersonator,
                  const RunningJob& job, int minutes,
                  const std::function<void(Request*)>& change = nullptr) {
  Request request = ValidExtend();
  request.mutable_extend()->set_slurm_job_id(job.slurm_id);
  request.mutable_extend()->set_carme_job_id(job.id);
  request.mutable_extend()->set_walltime_min(minutes);
  if (change) change(&request);
  return impersonator.Ask(request);
}

TEST_CASE("extend: is disabled by default", "[backend]") {
  const ImpersonatorProcess impersonator;
  const RunningJob job(impersonator);
  const Response refused = ExtendTo(impersonator, job, 10);
  CHECK(refused.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(refused.message(), Catch::Contains("offers no operation"));
  // Nor if only other operations run as SlurmUser.
  const ImpersonatorProcess reservations(
      "[reservations]\npartitions = [\"main\"]\n");
  const Response other = ExtendTo(reservations, job, 10);
  CHECK(other.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(other.message(), Catch::Contains("extensions are disabled"));
  CHECK(Field(job.slurm_id, "%l") == "5:00\n");
}

TEST_CASE("extend: does not depend on reservations", "[backend]") {
  const ImpersonatorProcess impersonator(
      std::string(kOffered) +
      "[reservations]\npartitions = [\"main\"]\ngroup = \"nosuchgroup\"\n");
  const RunningJob job(impersonator);
  const Response response = ExtendTo(impersonator, job, 10);
  INFO(response.message());
  CHECK(response.outcome() == OUTCOME_OK);
  CHECK(Field(job.slurm_id, "%l") == "10:00\n");
}

TEST_CASE("extend: only running jobs of the user, within all limits",
          "[backend]") {
  const ImpersonatorProcess impersonator(kOffered);
  const RunningJob job(impersonator);
  const auto refused = [&](int minutes,
                           const std::function<void(Request*)>& change) {
    const Response response = ExtendTo(impersonator, job, minutes, change);
    CHECK(response.outcome() == OUTCOME_REFUSED);
    CHECK(Field(job.slurm_id, "%l") == "5:00\n");
    return response.message();
  };
  CHECK_THAT(
      refused(10, [](Request* r) { r->set_user("bob"), r->set_uid(20002); }),
      Catch::Contains("is not this job"));
  CHECK_THAT(
      refused(10,
              [](Request* r) {
                r->mutable_extend()->set_carme_job_id("zzzzzzzzzzzzzzzz");
              }),
      Catch::Contains("is not this job"));
  refused(10, [](Request* r) { r->set_user("root"), r->set_uid(0); });
  refused(10, [](Request* r) { r->set_user("slurm"), r->set_uid(64030); });
  CHECK_THAT(refused(121, nullptr), Catch::Contains("at most 120"));
  CHECK_THAT(refused(31, nullptr),
             Catch::Contains("partition \"debug\" allows at most 30"));
  CHECK_THAT(refused(4, nullptr), Catch::Contains("more than the current"));
  REQUIRE_THAT(
      OutputOf("scontrol create reservation reservationname=later "
               "starttime=now+20minutes duration=60 nodes=ALL users=bob "
               "flags=ignore_jobs 2>&1"),
      Catch::Contains("created"));
  const std::string reserved = refused(25, nullptr);
  OutputOf("scontrol delete reservation=later 2>&1");
  CHECK_THAT(reserved, Catch::Contains("reservation \"later\" needs a node"));

  // Twice, since an answer may be lost.
  for (int times = 0; times < 2; ++times) {
    const Response response = ExtendTo(impersonator, job, 25);
    INFO(response.message());
    CHECK(response.outcome() == OUTCOME_OK);
    CHECK(Field(job.slurm_id, "%l") == "25:00\n");
  }
  CHECK_THAT(impersonator.AuditLines().back(),
             Catch::Contains(absl::StrCat(
                 "user=ada uid=20001 as=slurm_user operation=extend object=",
                 job.id, "/", job.slurm_id, "/25 decision=allow result=ok")));

  backend::ImpersonatorClient client(
      {.socket = impersonator.socket(), .timeout = testing::kWaitTimeout});
  const auto extend = [&] {
    const AsUser backend(kBackendUid);
    return client.ExtendForUser({"ada", Uid(20001)}, SlurmJobId(job.slurm_id),
                                JobId(job.id), absl::Minutes(30), "r1");
  };
  CHECK_THAT(extend(), IsOk());
  CHECK(Field(job.slurm_id, "%l") == "30:00\n");

  // An ended job cannot be extended.
  OutputOf(absl::StrCat("scancel ", job.slurm_id));
  REQUIRE(WaitFor([&] { return Field(job.slurm_id, "%t") == "CA\n"; }));
  CHECK(ExtendTo(impersonator, job, 30).outcome() == OUTCOME_SLURM_REFUSED);
}

}  // namespace
}  // namespace carme::impersonator
