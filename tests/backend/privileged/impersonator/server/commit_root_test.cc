// A submission is prepared, and done only after the backend's commit.
#include <signal.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/privileged/protocol/frame_io.h"
#include "common/ids.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/signals.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Commit;
using privileged::v1::Request;
using privileged::v1::Response;

// A prepared submission.
class Prepared {
 public:
  explicit Prepared(const ImpersonatorProcess& impersonator)
      : impersonator_(impersonator), fd_(impersonator.Connect()) {
    Request request = ValidSubmit();
    request.set_user("ada");
    request.set_uid(20001);
    request.mutable_submit()->set_carme_job_id(id_);
    Send(EncodeFrame(request.SerializeAsString()));
  }
  void Send(const std::string& bytes) {
    REQUIRE(send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0);
  }
  void SayGo(const std::string& id) {
    Commit commit;
    commit.set_carme_job_id(id);
    Send(EncodeFrame(commit.SerializeAsString()));
  }
  void HangUp() { fd_.reset(); }
  Response Answer() {
    Response response;
    const auto body = ReadFrame(fd_.get(), absl::Now() + testing::kWaitTimeout);
    if (body.ok()) REQUIRE(response.ParseFromString(*body));
    return response;
  }
  // The process that runs as ada and waits for the commit; 0: none.
  static pid_t Child() {
    return std::atoi(OutputOf("pgrep -u ada -f carme-impersonator").c_str());
  }
  static void AwaitChild() {
    REQUIRE(WaitFor([] { return Child() > 0; }));
  }
  // One audit line reports that it was aborted, and Slurm has no job.
  void CheckAborted(const std::string& why) const {
    REQUIRE(WaitFor([&] { return !impersonator_.AuditLines().empty(); }));
    CHECK(impersonator_.AuditLines().size() == 1);
    CHECK_THAT(impersonator_.AuditLines()[0],
               Catch::Contains("decision=aborted result=unavailable") &&
                   Catch::Contains(why) && Catch::Contains(id_));
    CheckNothingWasDone();
  }
  void CheckNothingWasDone() const {
    CHECK(WaitFor([] { return Child() == 0; }));
    CHECK(InSlurm() == "0\n");
  }
  std::string InSlurm() const {
    return OutputOf("squeue -h -t all -o %k | grep -c carme:" + id_);
  }
  const std::string& id() const { return id_; }

 private:
  const ImpersonatorProcess& impersonator_;
  const std::string id_ = NewJobId().value();
  UniqueFd fd_;
};

TEST_CASE("commit: aborts if the backend closes the connection", "[backend]") {
  const ImpersonatorProcess impersonator;
  Prepared submission(impersonator);
  Prepared::AwaitChild();
  submission.HangUp();
  // The child may be ready before its parent waits for the commit.
  submission.CheckAborted("closed the connection");
}

TEST_CASE("commit: aborted or done if the backend closes after it",
          "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  Prepared submission(impersonator);
  submission.SayGo(submission.id());
  submission.HangUp();
  REQUIRE(WaitFor([&] { return impersonator.AuditLines().size() == 1; }));
  const bool done =
      impersonator.AuditLines()[0].find("result=ok") != std::string::npos;
  CHECK(submission.InSlurm() == (done ? "1\n" : "0\n"));
}

TEST_CASE("commit: aborts without a commit in time", "[backend]") {
  const ImpersonatorProcess impersonator("operation_timeout_s = 8\n");
  Prepared submission(impersonator);
  const Response response = submission.Answer();
  CHECK(response.outcome() == privileged::v1::OUTCOME_UNAVAILABLE);
  submission.CheckAborted("sent nothing in time");
}

TEST_CASE("commit: aborts on a commit for another job", "[backend]") {
  const ImpersonatorProcess impersonator;
  Prepared submission(impersonator);
  submission.SayGo("abcdefghijklmno1");
  CHECK(submission.Answer().outcome() == privileged::v1::OUTCOME_UNAVAILABLE);
  submission.CheckAborted("sent something else");
}

TEST_CASE("commit: does nothing if the request process is killed",
          "[backend]") {
  const ImpersonatorProcess impersonator;
  Prepared submission(impersonator);
  Prepared::AwaitChild();
  const std::string parent =
      OutputOf(absl::StrCat("ps -o ppid= -p ", Prepared::Child()));
  REQUIRE(testing::Signal(std::atoi(parent.c_str()), SIGKILL));
  submission.CheckNothingWasDone();
  CHECK(submission.Answer().outcome() == privileged::v1::OUTCOME_UNSPECIFIED);
}

TEST_CASE("commit: a refusal does not wait for it", "[backend]") {
  const ImpersonatorProcess impersonator("min_uid = 30000\n");
  Prepared submission(impersonator);
  CHECK(submission.Answer().outcome() == privileged::v1::OUTCOME_REFUSED);
  submission.CheckNothingWasDone();
}

TEST_CASE("commit: the job is submitted after it", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  Prepared submission(impersonator);
  Prepared::AwaitChild();
  CHECK(submission.InSlurm() == "0\n");
  submission.SayGo(submission.id());
  CHECK(submission.Answer().outcome() == privileged::v1::OUTCOME_OK);
}

}  // namespace
}  // namespace carme::impersonator
