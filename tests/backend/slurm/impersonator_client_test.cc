// The client against impersonators that misbehave.
#include "backend/slurm/impersonator/impersonator_client.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "backend/logs/service_log.h"
#include "backend/privileged/protocol/frame_io.h"
#include "carme/privileged/v1/privileged.pb.h"
#include "common/unique_fd.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using privileged::v1::Request;
using privileged::v1::Response;

// Serves one connection with `serve`.
class OneAnswer {
 public:
  explicit OneAnswer(std::function<void(int)> serve)
      : listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof address.sun_path - 1);
    REQUIRE(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address),
                 sizeof address) == 0);
    REQUIRE(listen(listener_.get(), 1) == 0);
    thread_ = std::thread([this, serve = std::move(serve)] {
      const UniqueFd fd(accept(listener_.get(), nullptr, nullptr));
      serve(fd.get());
    });
  }
  ~OneAnswer() { thread_.join(); }
  std::string path() const { return dir_.File("socket"); }

 private:
  TempDir dir_;
  UniqueFd listener_;
  std::thread thread_;
};

Request ReadRequest(int fd) {
  Request request;
  const auto body = ReadFrame(fd, absl::Now() + testing::kWaitTimeout);
  if (body.ok()) request.ParseFromString(*body);
  return request;
}

// The job of the second frame; empty: the client closed the connection.
std::string ReadCommit(int fd) {
  privileged::v1::Commit commit;
  const auto body = ReadFrame(fd, absl::Now() + testing::kWaitTimeout);
  if (body.ok()) commit.ParseFromString(*body);
  return commit.carme_job_id();
}

// A submission that was announced, and the client that it needs.
class Announced {
 public:
  explicit Announced(const std::string& path,
                     absl::Duration timeout = testing::kWaitTimeout)
      : client_(ConfigOf(path, timeout)) {
    Submission submission;
    submission.job = JobId("abcdefghijklmno1");
    submission.walltime = absl::Minutes(5);
    prepared_ = client_.Prepare({"ada", Uid(20001)}, submission, "r1");
  }
  absl::StatusOr<SlurmJobId> SubmitAsUser() {
    return prepared_->SubmitAsUser();
  }

 private:
  static ImpersonatorClientConfig ConfigOf(const std::string& path,
                                           absl::Duration timeout) {
    ImpersonatorClientConfig config;
    config.socket = path;
    config.timeout = timeout;
    return config;
  }
  ImpersonatorClient client_;
  std::unique_ptr<PreparedSubmission> prepared_;
};

absl::StatusOr<SlurmJobId> SubmitTo(
    const std::string& path, absl::Duration timeout = testing::kWaitTimeout) {
  return Announced(path, timeout).SubmitAsUser();
}

absl::StatusOr<SlurmJobId> SubmitAnswered(const Response& response) {
  std::string commit;
  absl::Status answered;
  absl::StatusOr<SlurmJobId> submitted;
  {
    const OneAnswer server([&](int fd) {
      ReadRequest(fd);
      commit = ReadCommit(fd);
      answered = WriteFrame(fd, response.SerializeAsString());
    });
    submitted = SubmitTo(server.path());
  }
  CHECK(commit == "abcdefghijklmno1");
  CHECK_THAT(answered, IsOk());
  return submitted;
}

TEST_CASE("impersonator client: nothing is submitted without an impersonator",
          "[backend]") {
  const TempDir dir;
  CHECK(absl::IsUnavailable(SubmitTo(dir.File("socket")).status()));
  CHECK(absl::IsUnavailable(SubmitTo(std::string(200, 'x')).status()));
}

TEST_CASE("impersonator client: the effect is unknown without a response",
          "[backend]") {
  {
    const OneAnswer dies([](int fd) {
      ReadRequest(fd);
      ReadCommit(fd);
    });
    CHECK(absl::IsAborted(SubmitTo(dies.path()).status()));
  }
  {
    const OneAnswer garbage([](int fd) {
      ReadRequest(fd);
      ReadCommit(fd);
      send(fd, "garbage!", 8, MSG_NOSIGNAL);
    });
    CHECK(absl::IsAborted(SubmitTo(garbage.path()).status()));
  }
  const OneAnswer slow([](int fd) {
    ReadRequest(fd);
    char byte = 0;
    while (recv(fd, &byte, 1, 0) > 0) {  // until the client gives up
    }
  });
  CHECK(absl::IsDeadlineExceeded(
      SubmitTo(slow.path(), absl::Milliseconds(100)).status()));
}

TEST_CASE("impersonator client: a probe detects one that hangs", "[backend]") {
  const auto probe = [](const std::string& socket) {
    ImpersonatorClient client({.socket = socket});
    CHECK_FALSE(client.availability().state().observed());
    client.ProbeIdle();
    REQUIRE(client.availability().state().observed());
    return client.availability().state().status;
  };
  const TempDir dir;
  CHECK(absl::IsUnavailable(probe(dir.File("socket"))));
  {
    ssize_t asked = -1;
    {
      const OneAnswer serves([&](int fd) {
        char byte = 0;
        asked = recv(fd, &byte, 1, 0);
      });
      CHECK_THAT(probe(serves.path()), IsOk());
    }
    CHECK(asked == 0);
  }
  absl::Notification given_up;
  const OneAnswer hangs([&](int) { given_up.WaitForNotification(); });
  CHECK(absl::IsDeadlineExceeded(probe(hangs.path())));
  given_up.Notify();
}

TEST_CASE("impersonator client: a dropped submission is never committed",
          "[backend]") {
  bool prepared = false;
  std::string commit = "none";
  {
    const OneAnswer server([&](int fd) {
      prepared = ReadRequest(fd).has_submit();
      commit = ReadCommit(fd);
    });
    const Announced announced(server.path());
  }
  CHECK(prepared);
  CHECK(commit.empty());
}

TEST_CASE(
    "impersonator client: nothing is submitted if it exits before the commit",
    "[backend]") {
  std::unique_ptr<Announced> prepared;
  {
    const OneAnswer dies([](int fd) { ReadRequest(fd); });
    prepared = std::make_unique<Announced>(dies.path());
  }
  CHECK(absl::IsUnavailable(prepared->SubmitAsUser().status()));
}

TEST_CASE("impersonator client: a refusal may precede the commit",
          "[backend]") {
  std::unique_ptr<Announced> prepared;
  absl::Status answered;
  {
    const OneAnswer refuses([&](int fd) {
      ReadRequest(fd);
      Response response;
      response.set_outcome(privileged::v1::OUTCOME_REFUSED);
      answered = WriteFrame(fd, response.SerializeAsString());
    });
    prepared = std::make_unique<Announced>(refuses.path());
  }
  CHECK_THAT(answered, IsOk());
  CHECK(absl::IsPermissionDenied(prepared->SubmitAsUser().status()));
}

TEST_CASE("impersonator client: each response is in the service log",
          "[backend]") {
  const auto database = Database::Open(":memory:", Migrations()).value();
  FakeClock clock;
  ServiceLog logs(database.get(), &clock, {});
  const auto answer = [&](privileged::v1::Outcome outcome) {
    const OneAnswer server([&](int fd) {
      ReadRequest(fd);
      ReadCommit(fd);
      Response response;
      response.set_outcome(outcome);
      response.set_message("why");
      if (outcome == privileged::v1::OUTCOME_OK) response.set_slurm_job_id(7);
      WriteFrame(fd, response.SerializeAsString()).IgnoreError();
    });
    ImpersonatorClient client({.socket = server.path()}, nullptr, &logs);
    Submission submission;
    submission.job = JobId("abcdefghijklmno1");
    submission.walltime = absl::Minutes(5);
    client.Prepare({"ada", Uid(20001)}, submission, "r1")
        ->SubmitAsUser()
        .status()
        .IgnoreError();
  };
  answer(privileged::v1::OUTCOME_SLURM_REFUSED);
  answer(privileged::v1::OUTCOME_OK);
  REQUIRE_THAT(logs.Flush(), IsOk());
  const auto rows = logs.Read({.request_id = "r1"}, 0, 10).value();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].message == "operation done operation=submit");
  CHECK(rows[0].severity == v1::LOG_SEVERITY_INFO);
  CHECK(rows[0].slurm_job_id == 7);
  CHECK(rows[1].message.find("error=") != std::string::npos);
  CHECK(rows[1].message.find("why") != std::string::npos);
  CHECK(rows[1].severity == v1::LOG_SEVERITY_WARNING);
  for (const LogRow& row : rows) {
    CHECK(row.service == "carme-impersonator");
    CHECK(row.job_id == "abcdefghijklmno1");
    CHECK(row.user == "ada");
  }
}

TEST_CASE("impersonator client: each outcome has its code", "[backend]") {
  const std::pair<privileged::v1::Outcome, absl::StatusCode> kTable[] = {
      {privileged::v1::OUTCOME_REFUSED, absl::StatusCode::kPermissionDenied},
      {privileged::v1::OUTCOME_SLURM_REFUSED,
       absl::StatusCode::kFailedPrecondition},
      {privileged::v1::OUTCOME_UNAVAILABLE, absl::StatusCode::kUnavailable},
      {privileged::v1::OUTCOME_FAILED, absl::StatusCode::kInternal},
      {privileged::v1::OUTCOME_UNKNOWN, absl::StatusCode::kAborted},
      {privileged::v1::OUTCOME_OK, absl::StatusCode::kAborted},  // without id
  };
  for (const auto& [outcome, code] : kTable) {
    Response response;
    response.set_outcome(outcome);
    response.set_message("why");
    CHECK_THAT(SubmitAnswered(response), StatusIs(code));
  }
  // Slurm's number means another job, not a missing permission.
  Response another;
  another.set_outcome(privileged::v1::OUTCOME_REFUSED);
  another.set_slurm_errno(2017);
  CHECK(absl::IsFailedPrecondition(SubmitAnswered(another).status()));
}

TEST_CASE("impersonator client: a submission returns its job id", "[backend]") {
  Response response;
  response.set_outcome(privileged::v1::OUTCOME_OK);
  response.set_slurm_job_id(42);
  const auto id = SubmitAnswered(response);
  REQUIRE_THAT(id, IsOk());
  CHECK(*id == SlurmJobId(42));
}

}  // namespace
}  // namespace carme::backend
