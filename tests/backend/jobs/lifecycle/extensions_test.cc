#include "backend/jobs/lifecycle/extensions.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/jobs/lifecycle/end_warnings.h"
#include "backend/notifications/inbox.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using SlurmOutcome = FakeSlurm::SlurmOutcome;

// A site where jobs may become four hours long.
struct LongWorld : JobFixture {
  explicit LongWorld(absl::Duration longest = absl::Hours(4)) {
    config_.life.longest_walltime = longest;
    Restart();
  }
  // Of Ada's, for an hour.
  Job Running() {
    const Job job = Registered();
    REQUIRE(job.spec.walltime == absl::Hours(1));
    return job;
  }
  absl::StatusOr<Job> Extend(const Job& job, int minutes,
                             const std::string& key = "") {
    return jobs_->Extend(ada_, job.id, absl::Minutes(minutes), key, "r");
  }
  absl::Duration More(const Job& job) {
    return jobs_->extensions().ExtendableBy(ada_, Now(job.id));
  }
  // What Ada's jobs have used, or may use, of GPU-hours.
  absl::Duration Counted() {
    return quotas_->For(quotas_->AskerOf(ada_), "")->person.ever;
  }
  void Run(const std::string& sql) {
    REQUIRE_THAT(
        database_->Query([&](Database& db) { return db.Prepare(sql)->Run(); }),
        IsOk());
  }
  // Of Ada's, for an hour on one GPU.
  Job RunningWithGpu() {
    const Job job = Submit(ada_, "", {.gpus_per_node = 1}).value();
    slurm_.Run(job.slurm_id);
    slurm_.Poll();
    return Now(job.id);
  }
  // What a crash would leave.
  absl::Duration RecordedWalltime(const Job& job) {
    return JobStore(database_.get()).Find(job.id)->spec.walltime;
  }
};

TEST_CASE("extension: is refused where the site does not offer it", "[jobs]") {
  LongWorld world(absl::ZeroDuration());
  const Job job = world.Running();
  CHECK(world.More(job) == absl::ZeroDuration());
  CHECK(absl::IsPermissionDenied(world.Extend(job, 30).status()));
  CHECK(world.slurm_.Extended() == 0);
}

TEST_CASE("extension: only its owner has a job extended", "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  CHECK(absl::IsNotFound(
      world.jobs_->Extend(world.bob_, job.id, absl::Minutes(5), "", "r")
          .status()));
  CHECK(world.slurm_.Extended() == 0);
}

TEST_CASE("extension: a job that waits, ends or copies results gets none",
          "[jobs]") {
  LongWorld world;
  const Job waits = world.Submit(world.ada_).value();
  CHECK(absl::IsFailedPrecondition(world.Extend(waits, 5).status()));
  world.slurm_.Run(waits.slurm_id);
  world.slurm_.Poll();
  Job job = world.Now(waits.id);
  CHECK_THAT(CheckMayBeExtended(job), IsOk());
  job.apps = {{kStageOut, v1::JOB_APP_STATE_STARTING, ""}};
  CHECK(absl::IsFailedPrecondition(CheckMayBeExtended(job)));
  job.apps.clear();
  job.spec.batch = BatchSpec{.array = "0-9"};
  CHECK(absl::IsFailedPrecondition(CheckMayBeExtended(job)));
  REQUIRE_THAT(world.jobs_->Stop(world.ada_, waits.id, "r"), IsOk());
  CHECK(absl::IsFailedPrecondition(world.Extend(waits, 5).status()));
  world.slurm_.Poll();
  CHECK(absl::IsFailedPrecondition(world.Extend(waits, 5).status()));
  CHECK(world.slurm_.Extended() == 0);
}

TEST_CASE("extension: as far as the limit, and no minute more", "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  CHECK(world.More(job) == absl::Hours(3));
  const auto refused = world.Extend(job, 181);
  CHECK(absl::IsPermissionDenied(refused.status()));
  CHECK(refused.status().message() ==
        "walltime would be 241 min: configuration allows at most 240 min");
  CHECK(absl::IsInvalidArgument(world.Extend(job, 0).status()));
  CHECK(absl::IsInvalidArgument(
      world.jobs_->Extend(world.ada_, job.id, absl::Seconds(90), "", "r")
          .status()));
  CHECK(world.slurm_.Extended() == 0);
  CHECK_THAT(world.Extend(job, 180), IsOk());
  CHECK(world.More(job) == absl::ZeroDuration());
  CHECK(absl::IsPermissionDenied(world.Extend(job, 1).status()));
}

TEST_CASE("extension: the new end is visible at once and permanent", "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  const auto longer = world.Extend(job, 30);
  REQUIRE_THAT(longer, IsOk());
  CHECK(longer->spec.walltime == absl::Minutes(90));
  CHECK(longer->ends_at == *job.started_at + absl::Minutes(90));
  // A look from before, which Slurm answers late.
  world.slurm_.PollAskedAt(world.clock_.Now() - absl::Seconds(1));
  CHECK(world.Now(job.id).ends_at == *job.started_at + absl::Minutes(90));
  world.Restart();
  world.slurm_.Poll();
  CHECK(world.Now(job.id).spec.walltime == absl::Minutes(90));
}

TEST_CASE("extension: a key extends a job once", "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  REQUIRE_THAT(world.Extend(job, 30, "key"), IsOk());
  REQUIRE_THAT(world.Extend(job, 30, "key"), IsOk());
  world.Restart();
  world.slurm_.Poll();
  REQUIRE_THAT(world.Extend(job, 30, "key"), IsOk());
  CHECK(world.slurm_.Extended() == 1);
  CHECK(world.Now(job.id).spec.walltime == absl::Minutes(90));
  REQUIRE_THAT(world.Extend(job, 30, "another"), IsOk());
  CHECK(world.Now(job.id).spec.walltime == absl::Minutes(120));
}

TEST_CASE("extension: a key is for one extension only", "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  REQUIRE_THAT(world.Extend(job, 30, "key"), IsOk());
  const absl::Status other = world.Extend(job, 60, "key").status();
  CHECK_THAT(other, StatusIs(absl::StatusCode::kAlreadyExists));
  CHECK(absl::StrContains(other.message(), "idempotency key"));
  CHECK(world.Now(job.id).spec.walltime == absl::Minutes(90));
  CHECK(world.slurm_.Extended() == 1);
}

TEST_CASE("extension: a parallel call with the same key has the same result",
          "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  std::thread parallel;
  absl::StatusOr<Job> second = absl::UnknownError("not called");
  absl::Status third;
  std::atomic<bool> begun = false;
  world.slurm_.set_meanwhile([&] {
    if (begun.exchange(true)) return;
    // While Slurm is asked: one waits, one with another key does not.
    parallel = std::thread([&] { second = world.Extend(job, 30, "key"); });
    third = world.Extend(job, 30, "other").status();
  });
  const absl::StatusOr<Job> first = world.Extend(job, 30, "key");
  REQUIRE(begun);
  parallel.join();
  CHECK(absl::IsUnavailable(third));
  REQUIRE_THAT(first, IsOk());
  INFO(second.status().ToString());
  REQUIRE_THAT(second, IsOk());
  CHECK(first->spec.walltime == absl::Minutes(90));
  CHECK(second->spec.walltime == absl::Minutes(90));
  CHECK(world.slurm_.Extended() == 1);
}

TEST_CASE("extension: a refusal of Slurm leaves no record", "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  world.slurm_.set_outcome(SlurmOutcome::kRefused);
  CHECK_FALSE(world.Extend(job, 30, "key").ok());
  CHECK(world.RecordedWalltime(job) == absl::Hours(1));
  CHECK_FALSE(world.Now(job.id).pending_extension.has_value());
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  CHECK_THAT(world.Extend(job, 30, "key"), IsOk());
  CHECK(world.slurm_.Extended() == 1);
}

TEST_CASE("extension: a lost response is reconciled with Slurm", "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  world.slurm_.set_outcome(SlurmOutcome::kResponseLost);
  const auto recorded = world.Extend(job, 30, "key");
  REQUIRE_THAT(recorded, IsOk());
  CHECK(recorded->pending_extension == absl::Minutes(30));
  CHECK(recorded->spec.walltime == absl::Hours(1));
  // What is promised counts until it is known.
  CHECK(world.RecordedWalltime(job) == absl::Minutes(90));
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  CHECK(absl::IsUnavailable(world.Extend(job, 30, "other").status()));
  SECTION("by the watcher") { world.slurm_.Poll(); }
  SECTION("by the watcher of the next process") {
    world.Restart();
    world.slurm_.Poll();
  }
  SECTION("by asking again") {
    CHECK_THAT(world.Extend(job, 30, "key"), IsOk());
  }
  CHECK(world.slurm_.Extended() == 1);
  CHECK(world.Now(job.id).spec.walltime == absl::Minutes(90));
  CHECK_FALSE(world.Now(job.id).pending_extension.has_value());
  CHECK_THAT(world.Extend(job, 30, "other"), IsOk());
}

TEST_CASE("extension: retries while Slurm is unavailable", "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  SECTION("Slurm was not reached") {
    world.slurm_.set_outcome(SlurmOutcome::kUnavailable);
  }
  SECTION("the question was lost") {
    world.slurm_.set_outcome(SlurmOutcome::kRequestLost);
  }
  const auto recorded = world.Extend(job, 30, "key");
  REQUIRE_THAT(recorded, IsOk());
  CHECK(recorded->pending_extension == absl::Minutes(30));
  CHECK(recorded->ends_at == *job.started_at + absl::Hours(1));
  world.slurm_.set_reachable(false);
  world.slurm_.Poll();
  world.Restart();  // a crash before Slurm was asked leaves the same
  CHECK(world.RecordedWalltime(job) == absl::Minutes(90));
  CHECK(world.Now(job.id).spec.walltime == absl::Hours(1));
  CHECK(world.Now(job.id).pending_extension == absl::Minutes(30));
  world.clock_.Advance(absl::Minutes(20));
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  world.slurm_.set_reachable(true);
  world.slurm_.Poll();
  CHECK(testing::WaitFor(
      [&] { return world.Now(job.id).spec.walltime == absl::Minutes(90); }));
  CHECK_FALSE(world.Now(job.id).pending_extension.has_value());
  CHECK(world.Now(job.id).ends_at == *job.started_at + absl::Minutes(90));
  CHECK(world.slurm_.Extended() == 1);
  // The same key asks for no more.
  CHECK(testing::WaitFor([&] { return world.Extend(job, 30, "key").ok(); }));
  CHECK(world.slurm_.Extended() == 1);
}

TEST_CASE(
    "extension: a recorded one that Slurm refuses is undone with a reason",
    "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  world.slurm_.set_outcome(SlurmOutcome::kUnavailable);
  REQUIRE_THAT(world.Extend(job, 30, "key"), IsOk());
  world.slurm_.set_outcome(SlurmOutcome::kRefused);
  world.clock_.Advance(absl::Minutes(2));
  world.slurm_.Poll();
  CHECK(testing::WaitFor(
      [&] { return world.RecordedWalltime(job) == absl::Hours(1); }));
  CHECK_FALSE(world.Now(job.id).pending_extension.has_value());
  const auto news =
      Inbox(world.database_.get(), &world.clock_).List(world.ada_.uid, 0, 10);
  REQUIRE_THAT(news, IsOk());
  REQUIRE(news->events.size() == 1);
  CHECK(news->events[0].text.text ==
        "Your job \"jupyter\" was not extended by 30 min: slurm: no.");
}

TEST_CASE("extension: a kept one ends with its job", "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  world.slurm_.set_outcome(SlurmOutcome::kUnavailable);
  REQUIRE_THAT(world.Extend(job, 30, "key"), IsOk());
  world.slurm_.End(job.slurm_id, SlurmState::kTimeLimit);
  world.clock_.Advance(absl::Hours(1));
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  world.slurm_.Poll();
  world.slurm_.Poll();
  CHECK(world.slurm_.Extended() == 0);
  CHECK(world.RecordedWalltime(job) == absl::Hours(1));
}

// Reserves nothing while `exhausted`.
class FakeExtensionQuotas : public ExtensionQuotas {
 public:
  InTransaction Reserve(const Session& caller, const Job& job,
                        absl::Duration extra) override {
    requests.push_back(absl::StrCat(caller.username, " ", job.id.value(), " ",
                                    absl::FormatDuration(extra)));
    return [this](Database&) -> absl::Status {
      if (exhausted) return absl::ResourceExhaustedError("10 GPU-hours");
      calls.emplace_back("reserved");
      return absl::OkStatus();
    };
  }
  absl::Status Complete(Database& /*db*/, const JobId& /*job*/) override {
    calls.emplace_back("completed");
    return absl::OkStatus();
  }

  bool exhausted = true;
  std::vector<std::string> requests;
  std::vector<std::string> calls;
};

TEST_CASE("extension: the quota is checked in the transaction that records it",
          "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  FakeExtensionQuotas quotas;
  Extensions extensions({.database = world.database_.get(),
                         .active = &world.jobs_->active(),
                         .scheduler = &world.slurm_,
                         .submitter = &world.slurm_,
                         .clock = &world.clock_,
                         .config = &world.config_,
                         .templates = nullptr,
                         .quotas = &quotas});
  const auto extend = [&] {
    return extensions.Extend(world.ada_, job.id, absl::Minutes(30), "", "r")
        .status();
  };
  CHECK(absl::IsResourceExhausted(extend()));
  CHECK(quotas.requests ==
        std::vector<std::string>{"ada " + job.id.value() + " 30m"});
  CHECK(world.slurm_.Extended() == 0);
  CHECK(world.RecordedWalltime(job) == absl::Hours(1));
  quotas.exhausted = false;
  world.slurm_.set_outcome(SlurmOutcome::kRefused);
  CHECK(absl::IsFailedPrecondition(extend()));
  CHECK(quotas.calls == std::vector<std::string>{"reserved", "completed"});
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  CHECK_THAT(extend(), IsOk());
  CHECK(quotas.calls.size() == 4);
}

TEST_CASE("extension: refused while the template is unknown", "[jobs]") {
  LongWorld world;
  const auto made =
      world.templates_->Create({.name = "Short",
                                .max_walltime = absl::Hours(1),
                                .max_extended_walltime = absl::Hours(2)});
  REQUIRE_THAT(made, IsOk());
  REQUIRE_THAT(world.templates_->Attach(made->job_template.id, "", true),
               IsOk());
  const Job job = world.Running();
  REQUIRE(job.spec.job_template == made->job_template.id);
  CHECK(world.More(job) == absl::Hours(1));
  for (const absl::Status& why : {absl::InternalError("disk of ours"),
                                  absl::NotFoundError("disk of ours")}) {
    world.template_lookup_.error = why;
    CHECK(world.More(job) == absl::ZeroDuration());
    const absl::Status refused = world.Extend(job, 10).status();
    CHECK(absl::IsUnavailable(refused));
    CHECK(refused.message() ==
          "the job's template cannot be looked up now: try again");
  }
  CHECK(world.slurm_.Extended() == 0);
}

TEST_CASE("extension: counts until Slurm's end of the job is in the table",
          "[jobs]") {
  LongWorld world;
  const Job job = world.RunningWithGpu();
  REQUIRE(world.Counted() == absl::Hours(1));
  REQUIRE_THAT(world.Extend(job, 60), IsOk());
  // From now on no end can be written.
  world.Run(
      "CREATE TRIGGER stuck BEFORE UPDATE OF ends_at ON live_usage "
      "BEGIN SELECT RAISE(ABORT, 'no'); END");
  REQUIRE_THAT(world.Extend(job, 60), IsOk());
  CHECK(world.Counted() == absl::Hours(3));
  world.slurm_.set_outcome(SlurmOutcome::kRefused);
  CHECK_FALSE(world.Extend(job, 30, "another").ok());
  CHECK(world.Counted() >= absl::Hours(3));
  world.Run("DROP TRIGGER stuck");
  // Written, it is Slurm's word alone that counts.
  REQUIRE(testing::WaitFor([&] {
    world.slurm_.Poll();
    return world.Extend(job, 30, "another").status().code() ==
           absl::StatusCode::kFailedPrecondition;
  }));
  CHECK(world.Counted() == absl::Hours(3));
}

TEST_CASE("extension: promised time does not count permanently", "[jobs]") {
  LongWorld world;
  const Job job = world.RunningWithGpu();
  REQUIRE_THAT(world.Extend(job, 120), IsOk());
  CHECK(world.Counted() == absl::Hours(3));
  // The walltime is reduced in Slurm.
  SlurmJob slurm = world.slurm_.Jobs()[0];
  slurm.walltime = absl::Minutes(80);
  slurm.ends_at = slurm.started_at + absl::Minutes(80);
  world.slurm_.Put(slurm);
  world.slurm_.Poll();
  CHECK(testing::WaitFor([&] { return world.Counted() == absl::Minutes(80); }));
}

TEST_CASE("extension: changes in Slurm are observed by the next poll",
          "[jobs]") {
  LongWorld world;
  const Job job = world.Running();
  SlurmJob slurm = world.slurm_.Jobs()[0];
  slurm.walltime = absl::Minutes(20);
  slurm.ends_at = slurm.started_at + absl::Minutes(20);
  world.slurm_.Put(slurm);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).spec.walltime == absl::Minutes(20));
  CHECK(world.Now(job.id).ends_at == slurm.ends_at);
}

TEST_CASE("hold: only a job that waits, and only its owner's", "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  CHECK(absl::IsNotFound(world.jobs_->Hold(world.bob_, job.id, "r").status()));
  const auto held = world.jobs_->Hold(world.ada_, job.id, "r");
  REQUIRE_THAT(held, IsOk());
  CHECK(held->held);
  CHECK(held->reason.text == "held by its user: it waits until it is released");
  world.slurm_.Poll();
  CHECK(world.Now(job.id).held);
  REQUIRE_THAT(world.jobs_->Release(world.ada_, job.id, "r"), IsOk());
  CHECK_FALSE(world.Now(job.id).held);
  // A look from before does not bring it back.
  world.clock_.Advance(absl::Seconds(1));
  SlurmJob before = world.slurm_.Jobs()[0];
  before.held = true;
  before.reason = "JobHeldUser";
  world.slurm_.Put(before);
  world.slurm_.PollAskedAt(world.clock_.Now() - absl::Seconds(5));
  CHECK_FALSE(world.Now(job.id).held);
  world.slurm_.Run(job.slurm_id);
  world.slurm_.Poll();
  CHECK(absl::IsFailedPrecondition(
      world.jobs_->Hold(world.ada_, job.id, "r").status()));
}

TEST_CASE("hold: an administrator's is not its user's to end", "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  SlurmJob slurm = world.slurm_.Jobs()[0];
  slurm.held = true;
  slurm.reason = "JobHeldAdmin";
  world.slurm_.Put(slurm);
  world.slurm_.Poll();
  CHECK_FALSE(world.Now(job.id).held);
  CHECK(world.Now(job.id).reason.text ==
        "held by an administrator, who alone can release it");
  CHECK(absl::IsFailedPrecondition(
      world.jobs_->Release(world.ada_, job.id, "r").status()));
}

TEST_CASE("end warning: once, ten minutes before, and again when extended",
          "[jobs]") {
  LongWorld world;
  const auto notices = [&] {
    std::vector<InboxEvent> events = Inbox(world.database_.get(), &world.clock_)
                                         .List(world.ada_.uid, 0, 50)
                                         .value()
                                         .events;
    std::erase_if(events, [](const InboxEvent& event) {
      return event.kind != v1::NOTIFICATION_KIND_JOB_ENDS_SOON;
    });
    return events;
  };
  const Job job = world.Running();  // an hour: six minutes before its end
  world.clock_.Advance(absl::Minutes(53));
  world.slurm_.Poll();
  CHECK(notices().empty());
  world.clock_.Advance(absl::Minutes(1));
  world.slurm_.Poll();
  world.slurm_.Poll();
  REQUIRE(notices().size() == 1);
  CHECK(notices()[0].text.text ==
        "Job \"jupyter\" ends in 6 min: extend it, or save your work.");
  REQUIRE_THAT(world.Extend(job, 120), IsOk());
  world.clock_.Advance(absl::Minutes(1));
  world.slurm_.Poll();
  CHECK(notices().size() == 1);
  world.clock_.Advance(absl::Minutes(116));
  world.slurm_.Poll();
  CHECK(notices().size() == 2);
}

TEST_CASE("end warning: none for short jobs and linked jobs", "[jobs]") {
  Job job;
  job.state = v1::JOB_STATE_READY;
  job.started_at = absl::FromUnixSeconds(0);
  job.ends_at = *job.started_at + absl::Minutes(10);
  const absl::Time late = *job.ends_at - absl::Seconds(30);
  CHECK(EndsSoon(job, late));
  CHECK_FALSE(EndsSoon(job, *job.ends_at));
  job.spec.linked_to = "abcdefghijklmnop";
  CHECK_FALSE(EndsSoon(job, late));
  job.spec.linked_to.clear();
  job.ends_at = *job.started_at + absl::Minutes(9);
  CHECK_FALSE(EndsSoon(job, *job.ends_at - absl::Seconds(5)));
  job.ends_at.reset();
  CHECK_FALSE(EndsSoon(job, late));
}

}  // namespace
}  // namespace carme::backend
