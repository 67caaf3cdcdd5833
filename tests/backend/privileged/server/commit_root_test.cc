// A submission is prepared, and done after the backend's go: never without.
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

// A submission of which the impersonator knows.
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
    Commit go;
    go.set_carme_job_id(id);
    Send(EncodeFrame(go.SerializeAsString()));
  }
  void HangUp() { fd_.reset(); }
  Response Answer() {
    Response response;
    const auto body = ReadFrame(fd_.get(), absl::Now() + testing::kPatience);
    if (body.ok()) REQUIRE(response.ParseFromString(*body));
    return response;
  }
  // The process that is ada's and waits for the go; 0: there is none.
  static pid_t Child() {
    return std::atoi(OutputOf("pgrep -u ada -f carme-impersonator").c_str());
  }
  static void AwaitChild() {
    REQUIRE(WaitFor([] { return Child() > 0; }));
  }
  // One line says that it was withdrawn, and Slurm never saw it.
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

TEST_CASE("prepared: the backend hangs up: withdrawn", "[backend]") {
  const ImpersonatorProcess impersonator;
  Prepared submission(impersonator);
  Prepared::AwaitChild();
  submission.HangUp();
  // The child may be there before its parent waits for the go.
  submission.CheckAborted("closed the connection");
}

TEST_CASE("prepared: a go and then a hang-up: withdrawn or done, and said",
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

TEST_CASE("prepared: no go in time: withdrawn", "[backend]") {
  const ImpersonatorProcess impersonator("operation_timeout_s = 8\n");
  Prepared submission(impersonator);
  const Response response = submission.Answer();
  CHECK(response.outcome() == privileged::v1::OUTCOME_UNAVAILABLE);
  submission.CheckAborted("sent nothing in time");
}

TEST_CASE("prepared: a go for another job: withdrawn", "[backend]") {
  const ImpersonatorProcess impersonator;
  Prepared submission(impersonator);
  submission.SayGo("abcdefghijklmno1");
  CHECK(submission.Answer().outcome() == privileged::v1::OUTCOME_UNAVAILABLE);
  submission.CheckAborted("sent something else");
}

TEST_CASE("prepared: whoever would pass the go on is killed: nothing is done",
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

TEST_CASE("prepared: a refusal does not wait for the go", "[backend]") {
  const ImpersonatorProcess impersonator("min_uid = 30000\n");
  Prepared submission(impersonator);
  CHECK(submission.Answer().outcome() == privileged::v1::OUTCOME_REFUSED);
  submission.CheckNothingWasDone();
}

TEST_CASE("prepared: done after the go", "[backend]") {
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
