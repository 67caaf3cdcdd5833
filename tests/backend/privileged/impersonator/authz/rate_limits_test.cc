#include "backend/privileged/impersonator/authz/rate_limits.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::impersonator {
namespace {

constexpr absl::Duration kStart = absl::Hours(3);

std::unique_ptr<RateLimits> Limits(int per_user, int total) {
  return RateLimits::Create({.per_user = per_user, .total = total}).value();
}

int Admitted(RateLimits* limits, uid_t uid, absl::Duration now, int tries) {
  int admitted = 0;
  for (int i = 0; i < tries; ++i)
    admitted += limits->Admit(OperationKind::kSubmit, uid, now).ok();
  return admitted;
}

TEST_CASE("rate limits: name the limit of a user, and affect only that user",
          "[backend]") {
  const auto limits = Limits(3, 1000);
  CHECK(Admitted(limits.get(), 20001, kStart, 10) == 3);
  const absl::Status refused =
      limits->Admit(OperationKind::kSubmit, 20001, kStart);
  CHECK(absl::IsResourceExhausted(refused));
  CHECK_THAT(std::string(refused.message()),
             Catch::Contains("3 a minute (submissions_per_minute_per_user)"));
  CHECK(Admitted(limits.get(), 20002, kStart, 10) == 3);
}

TEST_CASE("rate limits: limit all users together", "[backend]") {
  const auto limits = Limits(1000, 8);
  for (uid_t uid = 20001; uid <= 20004; ++uid) {
    CHECK(Admitted(limits.get(), uid, kStart, 2) == 2);
  }
  const absl::Status refused =
      limits->Admit(OperationKind::kSubmit, 20005, kStart);
  CHECK(absl::IsResourceExhausted(refused));
  CHECK_THAT(std::string(refused.message()),
             Catch::Contains("of all users: the limit is 8 a minute"));
}

TEST_CASE("rate limits: one user gets at most a quarter of each kind",
          "[backend]") {
  for (const OperationKind kind :
       {OperationKind::kSubmit, OperationKind::kCancel, OperationKind::kUpdate,
        OperationKind::kReadLog, OperationKind::kEstimateStart,
        OperationKind::kReserve}) {
    const auto limits = Limits(100000, 40);
    int admitted = 0;
    for (int i = 0; i < 1000; ++i) {
      admitted += limits->Admit(kind, 20001, kStart).ok();
    }
    CHECK(admitted == 10);
    const absl::Status refused = limits->Admit(kind, 20001, kStart);
    CHECK_THAT(
        std::string(refused.message()),
        Catch::Contains("10 a minute (a quarter of operations_per_minute)"));
    // A refused operation does not count.
    for (uid_t uid = 20002; uid <= 20004; ++uid) {
      for (int i = 0; i < 10; ++i)
        CHECK_THAT(limits->Admit(kind, uid, kStart), IsOk());
    }
  }
}

TEST_CASE("rate limits: cancellations have their own counters", "[backend]") {
  const auto limits = Limits(100000, 40);
  for (const OperationKind flood :
       {OperationKind::kSubmit, OperationKind::kUpdate, OperationKind::kReadLog,
        OperationKind::kEstimateStart}) {
    for (uid_t uid = 20001; uid < 20100; ++uid) {
      for (int i = 0; i < 10; ++i) {
        limits->Admit(flood, uid, kStart).IgnoreError();
      }
    }
    CHECK_FALSE(limits->Admit(flood, 20200, kStart).ok());
  }
  CHECK_THAT(limits->Admit(OperationKind::kCancel, 20001, kStart), IsOk());
  CHECK_THAT(limits->Admit(OperationKind::kCancel, 20200, kStart), IsOk());
}

TEST_CASE("rate limits: array tasks are counted separately", "[backend]") {
  const auto limits =
      RateLimits::Create(
          {.per_user = 1000, .total = 10000, .tasks_per_user = 60})
          .value();
  const absl::Status large = limits->AdmitTasks(20001, 61, kStart);
  CHECK(absl::IsResourceExhausted(large));
  CHECK_THAT(
      std::string(large.message()),
      Catch::Contains("too many array tasks of this user: the limit "
                      "is 60 a minute (array_tasks_per_minute_per_user)"));
  CHECK_THAT(limits->AdmitTasks(20001, 50, kStart), IsOk());
  CHECK_FALSE(limits->AdmitTasks(20001, 11, kStart).ok());
  CHECK_THAT(limits->AdmitTasks(20001, 10, kStart), IsOk());
  CHECK_FALSE(limits->AdmitTasks(20001, 1, kStart).ok());
  CHECK_THAT(limits->AdmitTasks(20001, 0, kStart), IsOk());  // no array
  CHECK(Admitted(limits.get(), 20001, kStart, 10) == 10);
  const absl::Duration later = kStart + absl::Seconds(20);
  CHECK_FALSE(limits->AdmitTasks(20001, 21, later).ok());
  CHECK_THAT(limits->AdmitTasks(20001, 20, later), IsOk());
}

TEST_CASE("rate limits: all users get four times the tasks of one user",
          "[backend]") {
  const auto limits = RateLimits::Create({.tasks_per_user = 60}).value();
  for (uid_t uid = 20001; uid <= 20004; ++uid) {
    CHECK_THAT(limits->AdmitTasks(uid, 60, kStart), IsOk());
  }
  const absl::Status refused = limits->AdmitTasks(20005, 1, kStart);
  CHECK(absl::IsResourceExhausted(refused));
  CHECK_THAT(std::string(refused.message()),
             Catch::Contains("of all users: the limit is 240 a minute"));
}

TEST_CASE("rate limits: capacity returns evenly", "[backend]") {
  const auto limits = Limits(60, 1000);
  CHECK(Admitted(limits.get(), 20001, kStart, 100) == 60);
  CHECK(Admitted(limits.get(), 20001, kStart + absl::Milliseconds(2500), 100) ==
        2);
  CHECK(Admitted(limits.get(), 20001, kStart + absl::Minutes(10), 100) == 60);
}

TEST_CASE("rate limits: children share the counters", "[backend]") {
  const auto limits = Limits(2, 1000);
  for (int i = 0; i < 2; ++i) {
    const pid_t child = fork();
    if (child == 0)
      _exit(limits->Admit(OperationKind::kSubmit, 20001, kStart).ok() ? 0 : 1);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK_FALSE(limits->Admit(OperationKind::kSubmit, 20001, kStart).ok());
}

TEST_CASE("rate limits: a full table refuses for a minute", "[backend]") {
  const auto limits = Limits(100000, 100000);
  int admitted = 0;
  for (uid_t uid = 1; uid < 40000; ++uid) {
    admitted += limits->Admit(OperationKind::kSubmit, uid, kStart).ok();
  }
  CHECK(admitted > 8000);
  CHECK(admitted <= 16384);
  for (uid_t uid = 50000; uid < 50100; ++uid) {
    CHECK_THAT(
        limits->Admit(OperationKind::kSubmit, uid, kStart + absl::Minutes(2)),
        IsOk());
  }
}

}  // namespace
}  // namespace carme::impersonator
