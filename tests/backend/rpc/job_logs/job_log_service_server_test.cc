#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "backend/rpc/job_logs/job_log_service.h"
#include "carme/v1/job_log.grpc.pb.h"
#include "tests/backend/rpc/job_calls.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using grpc::StatusCode;
using testing::WaitFor;

class Served : public JobCalls {
 public:
  explicit Served(const LogReadLimits& limits = {},
                  absl::Duration max_read = absl::Seconds(20)) {
    Serve(NewJobLogService({.jobs = jobs_.get(),
                            .sessions = &sessions_,
                            .dispatcher = &dispatcher_,
                            .clock = &clock_,
                            .limits = limits,
                            .min_period = absl::Milliseconds(20),
                            .max_period = absl::Milliseconds(50),
                            .max_read = max_read}),
          "job logs");
    stub_ = v1::JobLogService::NewStub(AsFrontend());
  }
  ~Served() { Stop(); }

  // A running job of Bob's. FixedSessions gives all users one uid.
  Job JobOfBob() {
    const Job job = Submit(SessionOf("bob", ada_.uid.value())).value();
    slurm_.Run(job.slurm_id);
    slurm_.Poll();
    return job;
  }

  std::unique_ptr<v1::JobLogService::Stub> stub_;
};

// No rate is in the way.
LogReadLimits Unlimited() {
  return {.interval = absl::Milliseconds(1),
          .interval_per_user = absl::Milliseconds(1),
          .burst = 1000,
          .burst_per_user = 1000};
}

v1::FollowLogRequest RequestFor(const JobId& job, int64_t offset = 0) {
  v1::FollowLogRequest request;
  request.set_job_id(job.value());
  request.set_offset_bytes(offset);
  return request;
}

// One stream of a person. Cancelled when it is destroyed.
class Following {
 public:
  Following(Served* served, const std::string& name,
            const v1::FollowLogRequest& request)
      : call_(std::make_unique<CallBy>(name)),
        reader_(served->stub_->FollowLog(call_.get(), request)) {}
  ~Following() {
    if (reader_ == nullptr) return;
    call_->TryCancel();
    reader_->Finish();
  }
  Following(Following&&) = default;
  Following& operator=(Following&&) = delete;

  // The next message that is not empty; an empty one when the stream has ended.
  v1::FollowLogResponse Next() {
    v1::FollowLogResponse message;
    while (reader_->Read(&message)) {
      if (message.has_part() || message.complete()) return message;
    }
    return {};
  }
  bool Opens() {
    v1::FollowLogResponse message;
    return reader_->Read(&message);
  }
  // After what it still sends.
  grpc::Status End() {
    v1::FollowLogResponse message;
    while (reader_->Read(&message)) {
    }
    grpc::Status status = reader_->Finish();
    reader_.reset();
    return status;
  }

 private:
  std::unique_ptr<CallBy> call_;
  std::unique_ptr<grpc::ClientReader<v1::FollowLogResponse>> reader_;
};

TEST_CASE("job logs: only the owner follows a log", "[backend]") {
  Served served;
  const Job job = served.Registered();
  served.slurm_.set_log("secret");
  CHECK_THAT(Following(&served, "bob", RequestFor(job.id)).End(),
             StatusIs(StatusCode::NOT_FOUND));
  CHECK_THAT(Following(&served, "", RequestFor(job.id)).End(),
             StatusIs(StatusCode::UNAUTHENTICATED));
  CHECK_THAT(Following(&served, "ada", RequestFor(JobId("../etc"))).End(),
             StatusIs(StatusCode::NOT_FOUND));
  CHECK_THAT(
      Following(&served, "ada", RequestFor(JobId("aaaaaaaaaaaaaaaa"))).End(),
      StatusIs(StatusCode::NOT_FOUND));
}

TEST_CASE("job logs: refuses an app or a task that the job does not have",
          "[backend]") {
  Served served;
  const Job job = served.Registered();
  served.slurm_.set_log("text");
  v1::FollowLogRequest request = RequestFor(job.id);
  request.set_app("../../etc");
  CHECK_THAT(Following(&served, "ada", request).End(),
             StatusIs(StatusCode::INVALID_ARGUMENT));
  request.set_app("");
  request.set_task(3);
  CHECK_THAT(Following(&served, "ada", request).End(),
             StatusIs(StatusCode::INVALID_ARGUMENT));
}

TEST_CASE("job logs: a user follows so many logs, and no more", "[backend]") {
  LogReadLimits limits = Unlimited();
  limits.followers = 5;
  limits.followers_per_user = 3;
  Served served(limits);
  const Job job = served.Registered();
  served.slurm_.set_log("text");
  std::vector<Following> streams;
  const auto open = [&](const std::string& name) {
    return Following(&served, name, RequestFor(job.id));
  };
  for (int i = 0; i < 3; ++i) {
    streams.push_back(open("ada"));
    CHECK(streams.back().Opens());
  }
  CHECK_THAT(open("ada").End(), StatusIs(StatusCode::RESOURCE_EXHAUSTED));
  const Job of_bob = served.JobOfBob();
  for (int i = 0; i < 2; ++i) {
    streams.emplace_back(&served, "bob", RequestFor(of_bob.id));
    CHECK(streams.back().Opens());
  }
  CHECK_THAT(open("carol").End(), StatusIs(StatusCode::RESOURCE_EXHAUSTED));
  streams.clear();
  REQUIRE(WaitFor([&] { return served.dispatcher_.size() == 0; }));
  CHECK(open("ada").Opens());
}

TEST_CASE("job logs: a stream ends with the session", "[backend]") {
  Served served;
  const Job job = served.Registered();
  served.slurm_.set_log("text");
  Following stream(&served, "ada", RequestFor(job.id));
  CHECK(stream.Next().part().text() == "text");
  REQUIRE_THAT(served.sessions_.End(SessionId("session-of-ada")), IsOk());
  CHECK_THAT(stream.End(), StatusIs(StatusCode::UNAUTHENTICATED));
}

TEST_CASE("job logs: a stream ends at the session's expiry", "[backend]") {
  Served served;
  const Job job = served.Registered();
  served.slurm_.set_log("text");
  Following stream(&served, "ada", RequestFor(job.id));
  CHECK(stream.Next().part().text() == "text");
  served.clock_.Advance(absl::Hours(25));
  CHECK_THAT(stream.End(), StatusIs(StatusCode::UNAUTHENTICATED));
}

TEST_CASE("job logs: a log that cannot be read ends the stream", "[backend]") {
  Served served;
  const Job job = served.Registered();
  served.slurm_.set_log("text");
  Following stream(&served, "ada", RequestFor(job.id));
  CHECK(stream.Next().part().text() == "text");
  served.slurm_.set_log_error(absl::PermissionDeniedError("a symbolic link"));
  const grpc::Status status = stream.End();
  CHECK_THAT(status, StatusIs(StatusCode::UNAVAILABLE));
  CHECK(status.error_message() == "the log cannot be read now");
}

TEST_CASE("job logs: only what is appended is sent", "[backend]") {
  Served served;
  const Job job = served.Registered();
  served.slurm_.set_log("one\n\xfftwo\n");
  Following stream(&served, "ada", RequestFor(job.id, -4));
  const v1::FollowLogResponse first = stream.Next();
  CHECK(first.part().text() == "two\n");
  CHECK(first.part().offset_bytes() == 5);
  CHECK(first.part().next_offset_bytes() == 9);
  CHECK(first.part().size_bytes() == 9);
  served.slurm_.set_log("one\n\xfftwo\nthree\n");
  const v1::FollowLogResponse second = stream.Next();
  CHECK(second.part().text() == "three\n");
  CHECK(second.part().offset_bytes() == 9);
  CHECK_FALSE(second.complete());
}

TEST_CASE("job logs: waits for a log that does not exist yet", "[backend]") {
  Served served;
  const Job job = served.Registered();
  Following stream(&served, "ada", RequestFor(job.id, -65536));
  const v1::FollowLogResponse first = stream.Next();
  CHECK(first.has_part());
  CHECK(first.part().size_bytes() == 0);
  served.slurm_.set_log("text");
  CHECK(stream.Next().part().text() == "text");
}

TEST_CASE("job logs: a truncated log is sent again", "[backend]") {
  Served served;
  const Job job = served.Registered();
  served.slurm_.set_log("a long beginning");
  Following stream(&served, "ada", RequestFor(job.id));
  CHECK(stream.Next().part().text() == "a long beginning");
  served.slurm_.set_log("short");
  const v1::FollowLogResponse second = stream.Next();
  CHECK(second.part().text() == "short");
  CHECK(second.part().offset_bytes() == 0);
}

TEST_CASE("job logs: what was sent stays when the log is removed",
          "[backend]") {
  Served served(Unlimited());
  const Job job = served.Registered();
  served.slurm_.set_log("some text");
  Following stream(&served, "ada", RequestFor(job.id));
  CHECK(stream.Next().part().text() == "some text");
  served.slurm_.set_log("");
  absl::SleepFor(absl::Milliseconds(200));
  served.slurm_.set_log("new");
  CHECK(stream.Next().part().text() == "new");
  served.slurm_.set_log("");
  served.slurm_.End(job.slurm_id, SlurmState::kCompleted);
  served.slurm_.Poll();
  const v1::FollowLogResponse last = stream.Next();
  CHECK(last.complete());
  CHECK_FALSE(last.has_part());
}

TEST_CASE("job logs: a character is sent when it is complete", "[backend]") {
  Served served;
  const Job job = served.Registered();
  served.slurm_.set_log("a\xe6\x97");
  Following stream(&served, "ada", RequestFor(job.id));
  CHECK(stream.Next().part().text() == "a");
  served.slurm_.set_log("a\xe6\x97\xa5");
  const v1::FollowLogResponse second = stream.Next();
  CHECK(second.part().text() == "\xe6\x97\xa5");
  CHECK(second.part().offset_bytes() == 1);
}

TEST_CASE("job logs: skips to the end when it is far behind", "[backend]") {
  Served served(Unlimited());
  const Job job = served.Registered();
  const std::string text(3 * 1024 * 1024, 'x');
  served.slurm_.set_log(text + "end");
  Following stream(&served, "ada", RequestFor(job.id));
  CHECK(stream.Next().part().text().size() == 65536);
  const v1::FollowLogResponse second = stream.Next();
  CHECK(second.part().offset_bytes() ==
        static_cast<int64_t>(text.size()) + 3 - 65536);
  CHECK(second.part().next_offset_bytes() == second.part().size_bytes());
}

TEST_CASE("job logs: the last bytes are sent before the stream ends",
          "[backend]") {
  Served served(Unlimited());
  const Job job = served.Registered();
  served.slurm_.set_log("text");
  Following stream(&served, "ada", RequestFor(job.id));
  CHECK(stream.Next().part().text() == "text");
  // The last character is not complete, and will not be.
  const std::string more(100'000, 'x');
  served.slurm_.set_log("text" + more + "\xe6\x97");
  served.slurm_.End(job.slurm_id, SlurmState::kCompleted);
  served.slurm_.Poll();
  std::string text;
  v1::FollowLogResponse message;
  while (!message.complete()) {
    message = stream.Next();
    REQUIRE((message.has_part() || message.complete()));
    text += message.part().text();
  }
  CHECK(text == more + "??");
  CHECK_THAT(stream.End(), IsOk());
}

TEST_CASE("job logs: an ended job without a log is complete", "[backend]") {
  Served served;
  const Job job = served.Registered();
  served.slurm_.End(job.slurm_id, SlurmState::kCompleted);
  served.slurm_.Poll();
  Following stream(&served, "ada", RequestFor(job.id));
  const v1::FollowLogResponse only = stream.Next();
  CHECK(only.complete());
  CHECK(only.part().text().empty());
  CHECK_THAT(stream.End(), IsOk());
}

TEST_CASE("job logs: a read that does not return delays only its user",
          "[backend]") {
  Served served(Unlimited());
  const Job job = served.Registered();
  const Job of_bob = served.JobOfBob();
  served.slurm_.set_log("text");
  absl::Notification answers;
  std::atomic<int> reads_of_ada = 0;
  served.slurm_.set_at_read([&](const PosixUser& user) {
    if (user.name != "ada") return;
    ++reads_of_ada;
    answers.WaitForNotification();
  });
  std::vector<Following> streams;
  for (int i = 0; i < 8; ++i) {
    streams.emplace_back(&served, "ada", RequestFor(job.id));
    CHECK(streams.back().Opens());
  }
  REQUIRE(WaitFor([&] { return reads_of_ada > 0; }));
  Following stream(&served, "bob", RequestFor(of_bob.id));
  CHECK(stream.Next().part().text() == "text");
  served.slurm_.set_log("text, more");
  CHECK(stream.Next().part().text() == ", more");
  CHECK(reads_of_ada == 1);
  // A stream may end while its read runs.
  streams.clear();
  CHECK(WaitFor([&] { return served.dispatcher_.size() == 1; }));
  answers.Notify();
}

TEST_CASE("job logs: a slow read delays the next ones of its user",
          "[backend]") {
  LogReadLimits limits = Unlimited();
  limits.threads = 1;
  limits.slow_read = absl::Milliseconds(200);
  Served served(limits);
  const Job job = served.Registered();
  const Job of_bob = served.JobOfBob();
  served.slurm_.set_log("text");
  std::atomic<int> reads_of_ada = 0;
  std::atomic<int> reads_of_bob = 0;
  std::atomic<int> between = 0;  // reads of Bob's between two of Ada's
  served.slurm_.set_at_read([&](const PosixUser& user) {
    if (user.name == "bob") {
      ++reads_of_bob;
      return;
    }
    if (++reads_of_ada == 2) between = reads_of_bob.load();
    absl::SleepFor(limits.slow_read * 2);
    if (reads_of_ada == 1) reads_of_bob = 0;
  });
  Following stream(&served, "ada", RequestFor(job.id));
  Following other(&served, "bob", RequestFor(of_bob.id));
  CHECK(stream.Next().part().text() == "text");
  REQUIRE(WaitFor([&] { return reads_of_ada == 2; }));
  // At least a second: without the pause it would be one read.
  CHECK(between > 3);
}

TEST_CASE("job logs: a stream ends when a read takes too long", "[backend]") {
  Served served(Unlimited(), absl::Milliseconds(100));
  const Job job = served.Registered();
  served.slurm_.set_log("text");
  absl::Notification answers;
  served.slurm_.set_at_read(
      [&](const PosixUser&) { answers.WaitForNotification(); });
  Following stream(&served, "ada", RequestFor(job.id));
  const grpc::Status end = stream.End();
  CHECK(end.error_code() == StatusCode::UNAVAILABLE);
  CHECK_THAT(end.error_message(), Catch::Contains("could not be read"));
  answers.Notify();
}

TEST_CASE("job logs: reads are limited, and each stream gets its turn",
          "[backend]") {
  LogReadLimits limits;
  limits.burst = 4;
  limits.interval = absl::Milliseconds(50);
  limits.interval_per_user = absl::Milliseconds(1);
  limits.burst_per_user = 1000;
  Served served(limits);
  const Job job = served.Registered();
  const Job of_bob = served.JobOfBob();
  served.slurm_.set_log("text");
  std::atomic<int> reads = 0;
  served.slurm_.set_at_read([&](const PosixUser&) { ++reads; });
  const absl::Time before = absl::Now();
  std::vector<Following> streams;
  for (int i = 0; i < 8; ++i) {
    streams.emplace_back(&served, "ada", RequestFor(job.id));
    streams.emplace_back(&served, "bob", RequestFor(of_bob.id));
  }
  // The first ones are due again long before the last ones are read.
  for (Following& stream : streams) {
    CHECK(stream.Next().part().text() == "text");
  }
  const int max =
      4 + static_cast<int>((absl::Now() - before) / absl::Milliseconds(50));
  CHECK(reads >= 16);
  CHECK(reads <= max + 1);
}

TEST_CASE("job logs: opening many streams causes no more reads", "[backend]") {
  LogReadLimits limits;
  limits.burst_per_user = 4;
  Served served(limits);
  const Job job = served.Registered();
  served.slurm_.set_log("text");
  std::atomic<int> reads = 0;
  served.slurm_.set_at_read([&](const PosixUser&) { ++reads; });
  const absl::Time before = absl::Now();
  for (int i = 0; i < 500; ++i) {
    Following(&served, "ada", RequestFor(job.id)).Opens();
  }
  const int max =
      4 + static_cast<int>((absl::Now() - before) / limits.interval_per_user);
  CHECK(reads <= max + 1);
  CHECK(WaitFor([&] { return served.dispatcher_.size() == 0; }));
  // The user can still follow a log afterwards.
  Following stream(&served, "ada", RequestFor(job.id));
  CHECK(stream.Next().part().text() == "text");
}

TEST_CASE("job logs: a follower that does not read ends too", "[backend]") {
  Served served(Unlimited());
  const Job job = served.Registered();
  // More than the connection's windows hold, without a reader.
  std::atomic<int> reads = 0;
  const std::string piece(1024 * 1024, 'x');
  std::string log = piece;
  served.slurm_.set_log(log);
  Following stream(&served, "ada", RequestFor(job.id));
  served.slurm_.set_at_read([&](const PosixUser&) { ++reads; });
  for (int i = 0; i < 20; ++i) {
    log += piece;
    served.slurm_.set_log(log);
    const int seen = reads;
    WaitFor([&] { return reads > seen; }, absl::Milliseconds(300));
  }
  REQUIRE_THAT(served.sessions_.End(SessionId("session-of-ada")), IsOk());
  CHECK(WaitFor([&] { return served.dispatcher_.size() == 0; }));
}

}  // namespace
}  // namespace carme::backend
