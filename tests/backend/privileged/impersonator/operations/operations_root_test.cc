// What the impersonator does, on a real Slurm, for users of a real directory.
#include <signal.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::OUTCOME_SLURM_REFUSED;
using privileged::v1::Response;

// A field of `squeue` about one job; empty when it is not in the queue.
std::string Field(uint32_t job, const std::string& format) {
  std::string text = OutputOf(
      absl::StrCat("squeue -h -t all -j ", job, " -o '", format, "' 2>&1"));
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Response Cancel(const ImpersonatorProcess& impersonator,
                const std::string& user, uid_t uid, uint32_t job,
                const std::string& carme_id) {
  privileged::v1::Request request = ValidCancel();
  request.set_user(user);
  request.set_uid(uid);
  request.mutable_cancel()->set_slurm_job_id(job);
  request.mutable_cancel()->set_carme_job_id(carme_id);
  return impersonator.Ask(request);
}

TEST_CASE("cancel: refuses another user's job", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  std::string id;
  const Response job = impersonator.Submit("ada", 20001, &id);
  REQUIRE(job.outcome() == OUTCOME_OK);
  const Response cancelled =
      Cancel(impersonator, "bob", 20002, job.slurm_job_id(), id);
  CHECK(cancelled.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(cancelled.message(), Catch::Contains("is not this job"));
  CHECK_THAT(cancelled.message(), !Catch::Contains("2000"));  // no uid
  CHECK(cancelled.slurm_errno() != 0);
  CHECK(Field(job.slurm_job_id(), "%t") != "CA");
}

TEST_CASE("cancel: identifies a job by its batch script, not its comment",
          "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  // A job of Ada's own is not Carme's, whatever comment she gives it.
  const std::string own = OutputOf(
      "runuser -u ada -- sbatch --parsable -D /tmp -o /dev/null "
      "--comment=carme:abcdefghijklmno1 --wrap 'sleep 60'");
  const Response foreign =
      Cancel(impersonator, "ada", 20001, static_cast<uint32_t>(std::stoul(own)),
             "abcdefghijklmno1");
  CHECK(foreign.outcome() == OUTCOME_REFUSED);
  // Nor does another one take a job from Carme.
  std::string id;
  const Response job = impersonator.Submit("ada", 20001, &id);
  REQUIRE(job.outcome() == OUTCOME_OK);
  for (const char* comment : {"carme:abcdefghijklmno1", "mine", ""}) {
    OutputOf(absl::StrCat("runuser -u ada -- scontrol update jobid=",
                          job.slurm_job_id(), " comment=", comment));
    CHECK(Cancel(impersonator, "ada", 20001, job.slurm_job_id(),
                 "abcdefghijklmno1")
              .outcome() == OUTCOME_REFUSED);
  }
  CHECK(Cancel(impersonator, "ada", 20001, job.slurm_job_id(), id).outcome() ==
        OUTCOME_OK);
  CHECK(WaitFor([&] {
    const std::string state = Field(job.slurm_job_id(), "%t");
    return state == "CA" || state == "CG";
  }));
}

TEST_CASE("cancel: refuses another job with the same Slurm id", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  const Response job = impersonator.Submit("ada", 20001);
  REQUIRE(job.outcome() == OUTCOME_OK);
  const Response cancelled = Cancel(impersonator, "ada", 20001,
                                    job.slurm_job_id(), "zzzzzzzzzzzzzzzz");
  CHECK(cancelled.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(cancelled.message(), Catch::Contains("is not this job"));
  const std::string own = OutputOf(
      "runuser -u ada -- sbatch --parsable -D /tmp -o /dev/null "
      "--wrap 'sleep 60'");
  CHECK(Cancel(impersonator, "ada", 20001,
               static_cast<uint32_t>(std::stoul(own)), "abcdefghijklmno1")
            .outcome() == OUTCOME_REFUSED);
}

TEST_CASE("submit: returns Slurm's error message", "[backend]") {
  const ImpersonatorProcess impersonator;
  privileged::v1::Request request = ValidSubmit();
  request.mutable_submit()->set_partition("nosuch");
  Response response = impersonator.Ask(request);
  CHECK(response.outcome() == OUTCOME_SLURM_REFUSED);
  CHECK(response.message() == "slurm: invalid partition name specified");
  request = ValidSubmit();
  request.mutable_submit()->set_gpus_per_node(64);
  response = impersonator.Ask(request);
  CHECK(response.outcome() == OUTCOME_SLURM_REFUSED);
  CHECK(response.slurm_errno() != 0);
}

TEST_CASE("submit: the job belongs to the user and has Carme's comment",
          "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  std::string id;
  const Response response = impersonator.Submit("ada", 20001, &id);
  INFO(response.message());
  REQUIRE(response.outcome() == OUTCOME_OK);
  const uint32_t job = response.slurm_job_id();
  CHECK(Field(job, "%u|%U|%k|%f|%P|%C|%m|%l|%j") ==
        absl::StrCat("ada|20001|carme:", id,
                     "|carme|main|1|200M|5:00|first try"));
  CHECK_THAT(OutputOf(absl::StrCat("scontrol show job ", job)),
             Catch::Contains("Requeue=0") &&
                 (Catch::Contains("TresPerNode=gres:gpu:1") ||
                  Catch::Contains("TresPerNode=gres/gpu:1")) &&
                 Catch::Contains("WorkDir=/home/ada"));
  const auto lines = impersonator.AuditLines();
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0],
             Catch::Contains(absl::StrCat(
                 "audit operation request=r1 peer_uid=64101 peer_pid=")) &&
                 Catch::Contains(absl::StrCat(
                     " user=ada uid=20001 as=user operation=submit object=", id,
                     " decision=allow result=ok slurm_job=", job)));
}

TEST_CASE("submit: the job does not run on excluded nodes", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  privileged::v1::Request request = ValidSubmit();
  request.mutable_submit()->add_excluded_nodes("n1");
  const Response job = impersonator.Ask(request);
  INFO(job.message());
  REQUIRE(job.outcome() == OUTCOME_OK);
  CHECK(Field(job.slurm_job_id(), "%x") == "n1");
  // With both excluded there is no node left: Slurm refuses.
  request.mutable_submit()->add_excluded_nodes("n2");
  CHECK(impersonator.Ask(request).outcome() == OUTCOME_SLURM_REFUSED);
}

TEST_CASE("submit: the job runs in the given account", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  privileged::v1::Request request = ValidSubmit();
  request.mutable_submit()->set_account("chem_01");
  const Response job = impersonator.Ask(request);
  INFO(job.message());
  REQUIRE(job.outcome() == OUTCOME_OK);
  CHECK_THAT(OutputOf(absl::StrCat("scontrol show job ", job.slurm_job_id())),
             Catch::Contains("Account=chem_01"));
  request.mutable_submit()->set_account("chem;id");
  CHECK(impersonator.Ask(request).outcome() == OUTCOME_REFUSED);
}

TEST_CASE("submit: the script executes the agent with a clean environment",
          "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  std::string id;
  const Response response = impersonator.Submit("ada", 20001, &id);
  REQUIRE(response.outcome() == OUTCOME_OK);
  const std::string log = absl::StrCat("/home/ada/.carme/", id, ".log");
  REQUIRE(WaitFor([&] {
    return OutputOf("cat " + log + " 2>&1").find("LANG=") != std::string::npos;
  }));
  const std::string text = OutputOf("cat " + log);
  CHECK_THAT(text, Catch::StartsWith("ada\n"));
  for (const char* line :
       {"\nHOME=/home/ada\n", "\nUSER=ada\n", "\nLANG=C.UTF-8\n",
        "\nPATH=/usr/local/bin:/usr/bin:/bin\n"}) {
    CHECK_THAT(text, Catch::Contains(line));
  }
  // Whatever the log's own mode, other users cannot reach it.
  CHECK(OutputOf("stat -c '%U %a' /home/ada/.carme") == "ada 700\n");
}

TEST_CASE("cancel: ends a pending job and a running one", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  std::string first_id, second_id;
  const Response first = impersonator.Submit("ada", 20001, &first_id);
  REQUIRE(WaitFor([&] { return Field(first.slurm_job_id(), "%t") == "R"; }));
  privileged::v1::Request large = ValidSubmit();
  large.mutable_submit()->set_nodes(2);
  large.mutable_submit()->set_gpus_per_node(2);
  const Response second = impersonator.Ask(large);
  REQUIRE(second.outcome() == OUTCOME_OK);
  CHECK(Field(second.slurm_job_id(), "%t") == "PD");

  CHECK(Cancel(impersonator, "ada", 20001, second.slurm_job_id(),
               large.submit().carme_job_id())
            .outcome() == OUTCOME_OK);
  CHECK(Field(second.slurm_job_id(), "%t") == "CA");
  CHECK(Cancel(impersonator, "ada", 20001, first.slurm_job_id(), first_id)
            .outcome() == OUTCOME_OK);
  CHECK(WaitFor([&] { return Field(first.slurm_job_id(), "%t") == "CA"; }));
}

TEST_CASE("cancel: succeeds for an ended job", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  std::string id;
  const Response job = impersonator.Submit("ada", 20001, &id);
  for (int i = 0; i < 3; ++i) {
    const Response response =
        Cancel(impersonator, "ada", 20001, job.slurm_job_id(), id);
    INFO(response.message());
    CHECK(response.outcome() == OUTCOME_OK);
    WaitFor([&] { return Field(job.slurm_job_id(), "%t") == "CA"; });
  }
  CHECK(Cancel(impersonator, "ada", 20001, 2000000, id).outcome() ==
        OUTCOME_OK);
  CHECK(impersonator.AuditLines().size() == 5);
}

TEST_CASE("submit: follows no link instead of the log directory", "[backend]") {
  const ImpersonatorProcess impersonator;
  // Followed, it would be a directory of ada's.
  OutputOf(
      "runuser -u ada -- sh -c 'cd /home/ada && rm -rf .kept linked && mkdir "
      "linked && { [ ! -e .carme ] || mv .carme .kept; } && ln -s linked "
      ".carme' 2>&1");
  const Response response = impersonator.Submit("ada", 20001);
  OutputOf(
      "runuser -u ada -- sh -c 'cd /home/ada && rm .carme && rmdir linked && { "
      "[ ! -e .kept ] || mv .kept .carme; }' 2>&1");
  CHECK(response.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(response.message(),
             Catch::Contains("found a link, expected a directory"));
}

}  // namespace
}  // namespace carme::impersonator
