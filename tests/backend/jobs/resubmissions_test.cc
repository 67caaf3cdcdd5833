#include "backend/jobs/resubmissions.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/jobs/agents/vet_reports.h"
#include "backend/notifications/inbox.h"
#include "common/status.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

using Names = std::vector<std::string>;

constexpr char kReason[] = "vetting: 1 of 2 nodes are healthy: expected 2";

class ResubmitSite {
 public:
  ResubmitSite() { Open(); }
  void Open() {
    history = std::make_unique<NodeHistory>(world.database_.get(),
                                            &world.clock_, &world.slurm_);
    resubmissions = std::make_unique<Resubmissions>(
        Resubmissions::Parts{.database = world.database_.get(),
                             .jobs = world.jobs_.get(),
                             .person_lookup = &world.directory_,
                             .node_history = history.get(),
                             .clock = &world.clock_});
  }
  void Restart() {
    resubmissions.reset();
    history.reset();
    world.Restart();
    world.slurm_.Poll();
    Open();
  }

  static JobSpec TwoNodes() {
    return {.nodes = 2,
            .walltime = absl::Hours(1),
            .partition = "main",
            .required_nodes = 2,
            .resubmit = true};
  }
  Job Submitted(const JobSpec& spec = TwoNodes()) {
    const auto job = world.Submit(world.ada_, "", spec);
    REQUIRE_THAT(job, IsOk());
    return *job;
  }
  // Its agent vets `nodes`.
  void Run(const Job& job, const Names& nodes) {
    world.slurm_.Run(job.slurm_id);
    world.slurm_.Change(job.slurm_id,
                        [&](SlurmJob& slurm) { slurm.nodes = nodes; });
    world.slurm_.Poll();
    REQUIRE_THAT(world.admission_->Register(job.id, {"127.0.0.1", 34000}),
                 IsOk());
    REQUIRE_THAT(world.admission_->ReportApp(
                     job.id, {kVetting, v1::JOB_APP_STATE_STARTING, ""}),
                 IsOk());
  }
  absl::Status Report(const Job& job, const Names& failed) {
    v1::ReportVetRunRequest request;
    for (const std::string& node : failed) {
      v1::NodeVetReport* const report = request.add_nodes();
      report->set_node(node);
      v1::VetFailure* const failure = report->add_failures();
      failure->set_evaluation("Disk");
      failure->set_reason("full");
    }
    VetReports reports({.history = history.get(),
                        .scheduler = &world.slurm_,
                        .admission = world.admission_.get()});
    return reports.AddOfJob(request, world.Now(job.id));
  }
  // The end is stored after the polls.
  void End(const Job& job, SlurmState state = SlurmState::kFailed) {
    if (state == SlurmState::kFailed) {
      REQUIRE_THAT(world.admission_->ReportEnded(job.id, kReason, {}), IsOk());
    }
    world.slurm_.End(job.slurm_id, state, 1);
    world.slurm_.Poll();
    world.jobs_->active().FlushEnds("ada");
    world.slurm_.Poll();
    REQUIRE_FALSE(world.jobs_->active().Find(job.id));
  }
  void FailVetting(const Job& job, const Names& nodes, const Names& failed) {
    Run(job, nodes);
    REQUIRE_THAT(Report(job, failed), IsOk());
    End(job);
  }
  Job After(const Job& job) {
    resubmissions->Follow();
    return world.Now(job.id);
  }
  std::vector<std::string> Notices() {
    std::vector<std::string> texts;
    const auto page =
        Inbox(world.database_.get(), &world.clock_).List(Uid(20001), 0, 50);
    for (const InboxEvent& event : page.value().events) {
      texts.push_back(event.text.text);
    }
    return texts;
  }
  size_t UndecidedJobs() {
    int64_t rows = 0;
    REQUIRE_THAT(world.database_->Query([&](Database& db) -> absl::Status {
      Statement count =
          db.Prepare("SELECT count(*) FROM job_resubmissions").value();
      RETURN_IF_ERROR(count.Step().status());
      rows = count.Int(0);
      return absl::OkStatus();
    }),
                 IsOk());
    return static_cast<size_t>(rows);
  }
  void Execute(const char* sql) {
    REQUIRE_THAT(world.database_->Query([&](Database& db) {
      return db.Prepare(sql).value().Run();
    }),
                 IsOk());
  }

  JobFixture world;
  std::unique_ptr<NodeHistory> history;
  std::unique_ptr<Resubmissions> resubmissions;
};

void CheckNotResubmitted(ResubmitSite& site, const Job& job,
                         const std::string& why) {
  const Job ended = site.After(job);
  CHECK(ended.resubmitted_as == JobId());
  CHECK(ended.reason.text ==
        std::string(kReason) + ". Not submitted again: " + why);
  CHECK(ended.reason.code == "JOB_NOT_RESUBMITTED");
  CHECK(site.Notices().at(0) ==
        "Your job \"jupyter\" was not submitted again: " + why + ".");
  CHECK(site.world.slurm_.Jobs().size() == 1);
  CHECK(site.UndecidedJobs() == 0);
  // Only once.
  const size_t notices = site.Notices().size();
  CHECK(site.After(job) == ended);
  CHECK(site.Notices().size() == notices);
}

TEST_CASE("resubmissions: a job that ended in another way stays ended",
          "[jobs]") {
  ResubmitSite site;
  const Job job = site.Submitted();
  site.Run(job, {"a1", "a2"});
  REQUIRE_THAT(site.Report(job, {"a2"}), IsOk());
  SECTION("stopped while its nodes were vetted") {
    REQUIRE_THAT(site.world.jobs_->Stop(site.world.ada_, job.id, "r"), IsOk());
    site.End(job, SlurmState::kCancelled);
  }
  SECTION("its time was over") { site.End(job, SlurmState::kTimeLimit); }
  SECTION("failed after enough nodes were healthy") {
    REQUIRE_THAT(site.world.admission_->ReportApp(
                     job.id, {kVetting, v1::JOB_APP_STATE_UNSPECIFIED, "a2"}),
                 IsOk());
    site.End(job);
  }
  const Job ended = site.After(job);
  CHECK(ended.resubmitted_as == JobId());
  CHECK(ended.reason.text.find("ubmitted again") == std::string::npos);
  CHECK(site.world.slurm_.Jobs().size() == 1);
  CHECK(site.UndecidedJobs() == 0);
}

TEST_CASE("resubmissions: a job that did not ask for it stays ended",
          "[jobs]") {
  ResubmitSite site;
  JobSpec spec = ResubmitSite::TwoNodes();
  spec.resubmit = false;
  const Job job = site.Submitted(spec);
  CHECK(site.UndecidedJobs() == 0);
  site.FailVetting(job, {"a1", "a2"}, {"a2"});
  CHECK(site.After(job).reason.text == kReason);
  CHECK(site.world.slurm_.Jobs().size() == 1);
}

TEST_CASE("resubmissions: not without results of vetting", "[jobs]") {
  ResubmitSite site;
  const Job job = site.Submitted();
  site.Run(job, {"a1", "a2"});
  site.End(job);
  CheckNotResubmitted(site, job,
                      "vetting reported no node that is not healthy");
}

TEST_CASE("resubmissions: an agent excludes only nodes of its own job",
          "[jobs]") {
  ResubmitSite site;
  const Job job = site.Submitted();
  site.Run(job, {"a1", "a2"});
  CHECK_THAT(site.Report(job, {"a2", "v1"}),
             StatusIs(absl::StatusCode::kPermissionDenied));
  site.End(job);
  CheckNotResubmitted(site, job,
                      "vetting reported no node that is not healthy");
}

TEST_CASE(
    "resubmissions: not for an owner who was removed, or whose name "
    "has another uid",
    "[jobs]") {
  ResubmitSite site;
  const Job job = site.Submitted();
  site.FailVetting(job, {"a1", "a2"}, {"a2"});
  SECTION("removed") {
    site.world.directory_.SetLookUp(
        [](const std::string&) -> absl::StatusOr<Person> {
          return absl::NotFoundError("no such user");
        });
  }
  SECTION("another uid") {
    site.world.directory_.SetLookUp(
        [](const std::string& name) -> absl::StatusOr<Person> {
          Person person;
          person.username = name;
          person.uid = Uid(20009);
          return person;
        });
  }
  CheckNotResubmitted(site, job, "user \"ada\" may not start jobs");
}

TEST_CASE("resubmissions: limits and permissions count as at a start",
          "[jobs]") {
  ResubmitSite site;
  const Job job = site.Submitted();
  site.FailVetting(job, {"a1", "a2"}, {"a2"});
  site.world.config_.user.max_walltime = absl::Minutes(30);
  site.Restart();
  const Job ended = site.After(job);
  CHECK(ended.resubmitted_as == JobId());
  CHECK_THAT(ended.reason.text, Catch::Contains("Not submitted again: ") &&
                                    Catch::Contains("30 min"));
  CHECK_THAT(site.Notices().at(0), Catch::Contains("30 min"));
  CHECK(site.world.slurm_.Jobs().size() == 1);
  CHECK(site.UndecidedJobs() == 0);
}

TEST_CASE("resubmissions: not if too few nodes are left", "[jobs]") {
  ResubmitSite site;
  JobSpec spec = ResubmitSite::TwoNodes();
  spec.nodes = 3;
  const Job job = site.Submitted(spec);
  site.FailVetting(job, {"a1", "a2", "v1"}, {"a2"});
  const Job ended = site.After(job);
  CHECK(ended.resubmitted_as == JobId());
  CHECK_THAT(ended.reason.text, Catch::Contains("Not submitted again: "));
  CHECK(site.world.slurm_.Jobs().size() == 1);
}

TEST_CASE("resubmissions: submitted again without the unhealthy nodes",
          "[jobs]") {
  ResubmitSite site;
  JobSpec spec = ResubmitSite::TwoNodes();
  spec.excluded_nodes = {"v1"};
  const Job job = site.Submitted(spec);
  site.Run(job, {"a1", "a2"});
  REQUIRE_THAT(site.Report(job, {"a2"}), IsOk());
  // carme vet has returned a node.
  site.world.slurm_.Change(job.slurm_id, [](SlurmJob& slurm) {
    slurm.nodes = {"a1"};
    slurm.size.nodes = 1;
  });
  site.world.slurm_.Poll();
  REQUIRE(site.world.Now(job.id).spec.nodes == 1);
  site.End(job);
  // Three nodes of the partition, two of them excluded now.
  SlurmSnapshot cluster = *site.world.slurm_.Snapshot();
  cluster.nodes[3].has_feature = true;
  cluster.jobs.clear();
  site.world.slurm_.set_cluster(cluster);
  site.world.slurm_.Poll();

  const Job ended = site.After(job);
  const Job again = site.world.Now(ended.resubmitted_as);
  CHECK(again.id != job.id);
  CHECK(again.owner == "ada");
  CHECK(again.state == v1::JOB_STATE_PENDING);
  CHECK(again.spec.nodes == 2);
  CHECK(again.spec.required_nodes == 2);
  CHECK(again.spec.resubmit);
  CHECK(again.spec.excluded_nodes == Names{"v1", "a2"});
  CHECK(ended.reason.text == std::string(kReason) + ". Submitted again as " +
                                 again.id.value() + " without a2");
  CHECK(ended.reason.code == "JOB_RESUBMITTED");
  CHECK(site.Notices().at(0) ==
        "Your job \"jupyter\" was submitted again without a2.");
  CHECK(site.UndecidedJobs() == 1);  // of the new job
  // Also after a restart there is one new job, and the old one says so.
  site.Restart();
  CHECK(site.After(job) == ended);
  CHECK(site.world.slurm_.Jobs().size() == 2);
}

TEST_CASE("resubmissions: a start time and dependencies are fulfilled",
          "[jobs]") {
  JobSpec spec = ResubmitSite::TwoNodes();
  spec.start_at = absl::FromUnixSeconds(1'800'000'000);
  spec.batch = BatchSpec{.command = "true",
                         .dependencies = {{.job = "a23456789abcdefg"}}};
  spec.excluded_nodes = {"n1"};
  const JobSpec again = SpecWithout({"n1", "n2"}, spec);
  CHECK_FALSE(again.start_at);
  CHECK(again.batch->dependencies.empty());
  CHECK(again.batch->command == "true");
  CHECK(again.excluded_nodes == Names{"n1", "n2"});
}

TEST_CASE("resubmissions: at most twice in a row, also after restarts",
          "[jobs]") {
  ResubmitSite site;
  SlurmSnapshot cluster = *site.world.slurm_.Snapshot();
  for (int i = 1; i <= 6; ++i) {
    SlurmNode node = cluster.nodes[0];
    node.name = "b" + std::to_string(i);
    cluster.nodes.push_back(node);
  }
  site.world.slurm_.set_cluster(cluster);
  site.world.slurm_.Poll();
  Job job = site.Submitted();
  for (int i = 1; i <= Resubmissions::kMaxInARow; ++i) {
    site.FailVetting(job, {"a1", "b" + std::to_string(i)},
                     {"b" + std::to_string(i)});
    site.Restart();
    job = site.world.Now(site.After(job).resubmitted_as);
    site.world.clock_.Advance(absl::Seconds(1));
  }
  CHECK(job.spec.excluded_nodes == Names{"b1", "b2"});
  site.FailVetting(job, {"a1", "b3"}, {"b3"});
  site.Restart();
  const Job last = site.After(job);
  CHECK(last.resubmitted_as == JobId());
  CHECK_THAT(last.reason.text,
             Catch::Contains("Not submitted again: jobs are submitted again at "
                             "most 2 times in a row"));
  CHECK(site.world.slurm_.Jobs().size() == 3);
  CHECK(site.UndecidedJobs() == 0);
}

TEST_CASE("resubmissions: one new job although its id was not recorded",
          "[jobs]") {
  ResubmitSite site;
  JobSpec spec = ResubmitSite::TwoNodes();
  const Job job = site.Submitted(spec);
  site.FailVetting(job, {"a1", "a2"}, {"a2"});
  site.Execute(
      "CREATE TRIGGER broken BEFORE DELETE ON job_resubmissions BEGIN "
      "SELECT RAISE(ABORT, 'broken'); END");
  CHECK(site.After(job).resubmitted_as == JobId());
  REQUIRE(site.world.slurm_.Jobs().size() == 2);
  site.Execute("DROP TRIGGER broken");
  site.Restart();
  const JobId again = site.After(job).resubmitted_as;
  CHECK(again == site.world.slurm_.Jobs().back().carme_id);
  CHECK(site.world.slurm_.Jobs().size() == 2);
}

TEST_CASE("resubmissions: waits while Slurm is not available, then gives up",
          "[jobs]") {
  ResubmitSite site;
  const Job job = site.Submitted();
  site.FailVetting(job, {"a1", "a2"}, {"a2"});
  site.world.slurm_.set_outcome(FakeSlurm::SlurmOutcome::kUnavailable);
  CHECK(site.After(job).reason.text == kReason);
  SECTION("it comes back") {
    site.world.slurm_.set_outcome(FakeSlurm::SlurmOutcome::kAccepted);
    CHECK(site.After(job).resubmitted_as == JobId());  // not at once again
    site.world.clock_.Advance(Resubmissions::kFirstRetry);
    CHECK(site.After(job).resubmitted_as != JobId());
  }
  SECTION("it does not") {
    site.world.clock_.Advance(Resubmissions::kRetryFor);
    const Job ended = site.After(job);
    CHECK_THAT(ended.reason.text, Catch::Contains("Not submitted again: "));
    // Nor are the jobs that Slurm did not accept.
    site.world.jobs_->active().FlushEnds("ada");
    site.world.slurm_.Poll();
    site.resubmissions->Follow();
    CHECK(site.UndecidedJobs() == 0);
    CHECK(site.world.slurm_.Jobs().size() == 1);
  }
}

}  // namespace
}  // namespace carme::backend
