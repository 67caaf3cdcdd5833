// The preparation of a submission beside the transaction that records the job.
#include "backend/jobs/submission/submission_preparer.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <thread>

#include "absl/synchronization/notification.h"
#include "tests/backend/jobs/job_fixture.h"

namespace carme::backend {
namespace {

class PreparerFixture : public JobFixture {
 protected:
  SubmissionPreparer::Preparation Start() {
    Submission submission{};
    submission.job = NewJobId();
    return preparer_.Start({"ada", Uid(20001)}, submission, "request");
  }
  SubmissionPreparer preparer_{&slurm_};
};

TEST_CASE_METHOD(PreparerFixture,
                 "submission preparer: aborts a preparation that is dropped",
                 "[jobs]") {
  Start();
  // Tasks run in order: the first is finished when the second is.
  Start().get().reset();
  CHECK(slurm_.Withdrawn() == 2);
  CHECK(slurm_.Jobs().empty());
}

TEST_CASE_METHOD(PreparerFixture,
                 "submission preparer: prepares on another thread", "[jobs]") {
  std::thread::id prepared_on;
  slurm_.set_at_prepare([&] { prepared_on = std::this_thread::get_id(); });
  REQUIRE_THAT(Start().get()->SubmitAsUser(), IsOk());
  CHECK(prepared_on != std::this_thread::get_id());
  CHECK(slurm_.Withdrawn() == 0);
  CHECK(slurm_.Jobs().size() == 1);
}

TEST_CASE_METHOD(PreparerFixture,
                 "submission preparer: starting does not block", "[jobs]") {
  absl::Notification may_prepare;
  slurm_.set_at_prepare([&] { may_prepare.WaitForNotification(); });
  SubmissionPreparer::Preparation first = Start(), second = Start();
  may_prepare.Notify();
  CHECK(first.get() != nullptr);
  CHECK(second.get() != nullptr);
}

// A query in the preparation waits for the end of the transaction: it could
// never return if the transaction waited for the preparation.
TEST_CASE_METHOD(JobFixture,
                 "submission: prepares without holding the write lock",
                 "[jobs]") {
  std::atomic<int> reads = 0;
  slurm_.set_at_prepare([&] {
    reads += database_
                 ->Query([](Database& self) {
                   return self.Prepare("SELECT 1")->Step().status();
                 })
                 .ok();
  });
  SECTION("the job is recorded") {
    REQUIRE_THAT(Submit(ada_), IsOk());
    CHECK(slurm_.Withdrawn() == 0);
  }
  SECTION("the record fails: the preparation is aborted") {
    BreakCommit(database_.get());
    CHECK_FALSE(Submit(ada_).ok());
    CHECK(slurm_.Withdrawn() == 1);
    CHECK(slurm_.Jobs().empty());
  }
  CHECK(reads == 1);
}

}  // namespace
}  // namespace carme::backend
