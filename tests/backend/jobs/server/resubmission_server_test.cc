// A job that vetting ends in the Slurm of the private cluster, and the one that
// is submitted in its place.
#include <catch2/catch.hpp>
#include <string>

#include "backend/jobs/agents/vet_reports.h"
#include "backend/jobs/resubmissions.h"
#include "tests/backend/jobs/server/slurm_fixture.h"
#include "tests/backend/jobs/server/slurm_site.h"

namespace carme::backend {
namespace {

std::string FieldOf(const Job& job, const std::string& field) {
  return LineOf(absl::StrCat("scontrol show job ", IdOf(job), " | grep -o '\\b",
                             field, "=[^ ]*'"));
}

TEST_CASE("resubmissions: the new job waits for other nodes of Slurm",
          "[backend]") {
  ImpersonatorSite site;
  SlurmFixture day(site.folder.path(), site.impersonator);
  NodeHistory history(&day.database(), &day.clock(), &day.scheduler());
  Resubmissions resubmissions({.database = &day.database(),
                               .jobs = &day.jobs(),
                               .person_lookup = &day.directory(),
                               .node_history = &history,
                               .clock = &day.clock()});
  JobSpec spec = SlurmFixture::Small();
  spec.required_nodes = 1;
  spec.resubmit = true;
  const Job job = day.Submit(spec);
  REQUIRE(AwaitState(job, "RUNNING"));
  const Job running = day.AfterNextPoll(job.id);
  REQUIRE(running.nodes.size() == 1);
  const std::string node = running.nodes[0];

  // What its agent does.
  AgentAdmission& agents = day.agents();
  REQUIRE_THAT(agents.Register(job.id, {"127.0.0.1", 34000}), IsOk());
  REQUIRE_THAT(
      agents.ReportApp(job.id, {kVetting, v1::JOB_APP_STATE_STARTING, ""}),
      IsOk());
  v1::ReportVetRunRequest request;
  v1::NodeVetReport* const report = request.add_nodes();
  report->set_node(node);
  report->add_failures()->set_evaluation("Disk");
  VetReports reports({.history = &history,
                      .scheduler = &day.scheduler(),
                      .admission = &agents});
  REQUIRE_THAT(reports.AddOfJob(request, running), IsOk());
  REQUIRE_THAT(agents.ReportEnded(job.id, "vetting: full", {}), IsOk());
  // The signal ends the script, which Slurm takes for a failure.
  OutputOf("scancel --signal=USR1 --full " + IdOf(job) + " 2>&1");

  REQUIRE(WaitFor([&] { return HasEnded(day.Get(job.id)); }));
  Job ended;
  {
    const AsUser backend(kBackendUid);
    REQUIRE(WaitFor([&] {
      resubmissions.Follow();
      ended = day.Get(job.id);
      return ended.resubmitted_as != JobId();
    }));
    resubmissions.Follow();
  }
  CHECK(ended.end == v1::JOB_END_FAILED);
  CHECK(ended.reason.text == "vetting: full. Submitted again as " +
                                 ended.resubmitted_as.value() + " without " +
                                 node);
  const Job again = day.Get(ended.resubmitted_as);
  REQUIRE(InSlurm(again));
  CHECK(FieldOf(again, "ExcNodeList") == "ExcNodeList=" + node);
  CHECK(FieldOf(again, "NumNodes").starts_with("NumNodes=1"));
  CHECK(FieldOf(again, "Requeue") == "Requeue=0");
  REQUIRE(AwaitState(again, "RUNNING"));
  CHECK(FieldOf(again, "NodeList") != "NodeList=" + node);
  CHECK(LineOf("squeue -h -u ada -o %i") == IdOf(again));
}

}  // namespace
}  // namespace carme::backend
