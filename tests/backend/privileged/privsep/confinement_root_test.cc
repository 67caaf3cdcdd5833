// What the impersonator's processes may do at most, as the kernel reports it.
#include <signal.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/privileged/privsep/landlock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "common/file.h"
#include "common/ids.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/signals.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_EXHAUSTED;
using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::Response;

// CAP_KILL, CAP_SETGID and CAP_SETUID are the numbers 5 to 7.
constexpr char kThree[] = "00000000000000e0\n";
constexpr char kNone[] = "0000000000000000\n";

pid_t ChildOf(pid_t parent) {
  return std::atoi(OutputOf(absl::StrCat("pgrep -P ", parent)).c_str());
}

std::string StatusOf(pid_t process) {
  return ReadFile(absl::StrCat("/proc/", process, "/status")).value_or("");
}

void CheckCapabilities(pid_t process, const std::string& has) {
  const std::string status = StatusOf(process);
  INFO(status);
  CHECK_THAT(status, Catch::Contains("CapBnd:\t" + std::string(kThree)) &&
                         Catch::Contains("CapPrm:\t" + has) &&
                         Catch::Contains("CapEff:\t" + has) &&
                         Catch::Contains("CapInh:\t" + std::string(kNone)) &&
                         Catch::Contains("CapAmb:\t" + std::string(kNone)) &&
                         Catch::Contains("NoNewPrivs:\t1\n"));
}

TEST_CASE("confined: three capabilities, and none as the user", "[backend]") {
  const ImpersonatorProcess impersonator;
  CheckCapabilities(impersonator.pid(), kThree);
  REQUIRE(WaitFor([&] {
    const pid_t waits = ChildOf(impersonator.pid());
    return waits > 0 &&
           StatusOf(waits).find("Seccomp:\t2") != std::string::npos;
  }));
  CheckCapabilities(ChildOf(impersonator.pid()), kThree);

  const UniqueFd fd = impersonator.Connect();  // prepared, and no commit
  const std::string frame = EncodeFrame(ValidSubmit().SerializeAsString());
  REQUIRE(write(fd.get(), frame.data(), frame.size()) > 0);
  pid_t executor = 0;
  REQUIRE(WaitFor([&] {
    executor =
        std::atoi(OutputOf("pgrep -u ada -f carme-impersonator").c_str());
    return executor > 0 &&
           StatusOf(executor).find("Seccomp:\t2") != std::string::npos;
  }));
  CheckCapabilities(executor, kNone);
}

TEST_CASE("confined: a forbidden system call kills the process and is audited",
          "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator("", {.preload = CARME_FORBIDDEN_CALL});
  const Response response = impersonator.Submit("ada", 20001);
  CHECK(response.outcome() == privileged::v1::OUTCOME_UNKNOWN);
  const auto lines = impersonator.AuditLines();
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], Catch::Contains("result=unknown") &&
                           Catch::Contains("forbidden system call"));
}

TEST_CASE("confined: an operation connects to slurmctld's port only",
          "[backend]") {
  if (!SupportsPortLimits()) {
    WARN("not tested: this kernel limits no ports");
    return;
  }
  const ImpersonatorProcess impersonator("", {.preload = CARME_OTHER_PORT});
  CHECK(impersonator.Submit("ada", 20001).slurm_errno() == 2002);
}

TEST_CASE("confined: serves on an inherited socket", "[backend]") {
  const ImpersonatorProcess impersonator("", {.hand_over = true});
  CHECK(impersonator.Submit("nosuchuser", 1).outcome() == OUTCOME_REFUSED);
}

TEST_CASE("confined: rate limits survive killed processes", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator(
      "submissions_per_minute_per_user = 2\n");
  for (int i = 0; i < 2; ++i) {
    CHECK(impersonator.Submit("ada", 20001).outcome() == OUTCOME_OK);
    // Between two looks the one that was found may end.
    REQUIRE(WaitFor(
        [&] { return testing::Signal(ChildOf(impersonator.pid()), SIGKILL); }));
  }
  const Response refused = impersonator.Submit("ada", 20001);
  CHECK(refused.outcome() == OUTCOME_EXHAUSTED);
  CHECK_THAT(refused.message(), Catch::Contains("2 a minute"));
  CHECK(impersonator.Submit("bob", 20002).outcome() == OUTCOME_OK);
  privileged::v1::Request cancel = ValidCancel();
  cancel.set_user("ada");
  cancel.set_uid(20001);
  cancel.mutable_cancel()->set_slurm_job_id(2000000);  // over, or never was
  CHECK(impersonator.Ask(cancel).outcome() == OUTCOME_OK);
  const auto lines = impersonator.AuditLines();
  REQUIRE(lines.size() == 5);
  CHECK_THAT(lines[2], Catch::Contains("decision=refuse result=exhausted"));
}

TEST_CASE("confined: an array counts all of its tasks", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator(
      "max_array_tasks = 4\narray_tasks_per_minute_per_user = 6\n");
  const auto submit = [&](const std::string& user, uint32_t uid,
                          const std::string& array) {
    privileged::v1::Request request = ValidSubmit();
    request.set_user(user);
    request.set_uid(uid);
    request.mutable_submit()->set_carme_job_id(NewJobId().value());
    request.mutable_submit()->set_array(array);
    return impersonator.Ask(request);
  };
  const Response large = submit("bob", 20002, "0-4%1");
  CHECK(large.outcome() == OUTCOME_REFUSED);
  CHECK(large.message() ==
        "array has 5 tasks: expected at most 4 (max_array_tasks)");
  privileged::v1::Request estimate_start = ValidEstimateStart();
  estimate_start.mutable_estimate_start()->set_array("0-4%1");
  CHECK(impersonator.Ask(estimate_start).outcome() == OUTCOME_REFUSED);
  CHECK(OutputOf("squeue -h -r").empty());

  CHECK(submit("ada", 20001, "0-3%1").outcome() == OUTCOME_OK);
  const Response more = submit("ada", 20001, "0-3%1");
  CHECK(more.outcome() == OUTCOME_EXHAUSTED);
  CHECK_THAT(more.message(), Catch::Contains("6 a minute"));
  CHECK_THAT(impersonator.AuditLines().back(),
             Catch::Contains("decision=refuse result=exhausted"));
  CHECK(submit("ada", 20001, "7,9").outcome() == OUTCOME_OK);
  CHECK(impersonator.Submit("ada", 20001).outcome() == OUTCOME_OK);
  CHECK(OutputOf("squeue -h -r -u ada | wc -l") == "7\n");
}

TEST_CASE("confined: refused operations do not count", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator("operations_per_minute = 4\n");
  for (int i = 0; i < 8; ++i) {
    CHECK(impersonator.Submit("nosuchuser", 1).outcome() == OUTCOME_REFUSED);
    impersonator.Exchange(EncodeFrame("garbage"));
  }
  CHECK(impersonator.Submit("ada", 20001).outcome() == OUTCOME_OK);
  CHECK(impersonator.Submit("ada", 20001).outcome() == OUTCOME_EXHAUSTED);
  CHECK(impersonator.Submit("bob", 20002).outcome() == OUTCOME_OK);
}

TEST_CASE("confined: the total limit does not affect cancellations",
          "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator("operations_per_minute = 1\n");
  CHECK(impersonator.Submit("ada", 20001).outcome() == OUTCOME_OK);
  CHECK(impersonator.Submit("bob", 20002).outcome() == OUTCOME_EXHAUSTED);
  privileged::v1::Request cancel = ValidCancel();
  cancel.mutable_cancel()->set_slurm_job_id(2000000);
  CHECK(impersonator.Ask(cancel).outcome() == OUTCOME_OK);
}

}  // namespace
}  // namespace carme::impersonator
