// A template with a QOS, on a real slurmctld with slurmdbd: its jobs run under
// the QOS, and a limit of the QOS narrows what the template gives.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/jobs/diagnosis/slurm_limits.h"
#include "backend/templates/templates.h"
#include "tests/backend/jobs/server/slurm_fixture.h"
#include "tests/backend/jobs/server/slurm_site.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

using impersonator::ValidExtend;
using impersonator::ValidSubmit;

const Uid kAda{20001};

// One GPU for each user of the QOS "short".
struct OneGpuEach {
  OneGpuEach() { Set("1"); }
  ~OneGpuEach() { Set("-1"); }
  static void Set(const std::string& max) {
    OutputOf(absl::StrCat(
        "sacctmgr -i modify qos short set MaxTRESPerUser=gres/gpu=", max,
        " 2>&1"));
  }
};

// A template for all users, of two GPUs.
void OfferTemplate(SlurmFixture& day) {
  const SystemClock clock;
  const auto templates = Templates::Open(&day.database(), &clock);
  REQUIRE_THAT(templates, IsOk());
  const auto made =
      (*templates)
          ->Create({.name = "Courses", .max_gpus_per_node = 2, .qos = "short"});
  REQUIRE_THAT(made, IsOk());
  REQUIRE_THAT((*templates)->Attach(made->job_template.id, "", true), IsOk());
}

std::vector<std::string> LimitsOf(const SlurmSnapshot& slurm) {
  std::vector<std::string> sentences;
  for (const OwnSlurmLimit& own : SlurmLimitsOf(slurm, "ada", kAda)) {
    sentences.push_back(own.sentence);
  }
  return sentences;
}

// A limit that sacctmgr sets, for as long as the test needs it.
struct Bound {
  Bound(const std::string& whose, const std::string& limit,
        const std::string& max)
      : none_(absl::StrCat(whose, " set ", limit, "-1")) {
    Modify(absl::StrCat(whose, " set ", limit, max));
  }
  ~Bound() { Modify(none_); }
  static void Modify(const std::string& what) {
    OutputOf(absl::StrCat("sacctmgr -i modify ", what, " 2>&1"));
  }

 private:
  const std::string none_;
};

struct PartitionQos {
  PartitionQos() { Set("short"); }
  ~PartitionQos() { Set("\"\""); }
  static void Set(const std::string& qos) {
    OutputOf(absl::StrCat("scontrol update partitionname=main qos=", qos));
  }
};

// A job of ada's in account "site" and QOS "normal" for five minutes.
struct ExtendableJob {
  ExtendableJob() {
    const privileged::v1::Response response = impersonator.Ask(ValidSubmit());
    INFO(response.message());
    REQUIRE(response.outcome() == privileged::v1::OUTCOME_OK);
    id = response.slurm_job_id();
    REQUIRE(WaitFor([&] { return Field("%t") == "R"; }));
  }
  privileged::v1::Response ExtendTo(int minutes) const {
    privileged::v1::Request request = ValidExtend();
    request.mutable_extend()->set_slurm_job_id(id);
    request.mutable_extend()->set_walltime_min(minutes);
    return impersonator.Ask(request);
  }
  std::string Refused(int minutes) const {
    const privileged::v1::Response response = ExtendTo(minutes);
    CHECK(response.outcome() == privileged::v1::OUTCOME_REFUSED);
    CHECK(Field("%l") == "5:00");
    return response.message();
  }
  std::string Field(const std::string& format) const {
    return LineOf(absl::StrCat("squeue -h -t all -o ", format, " -j ", id));
  }

  const EndJobs end;
  const ImpersonatorProcess impersonator{
      "[extensions]\nmax_walltime_min = 120\n"};
  uint32_t id = 0;
};

TEST_CASE(
    "extend: not beyond a limit of QOS, partition QOS, association or account",
    "[backend]") {
  const ExtendableJob job;
  {
    const Bound bound("account site", "MaxWall=", "20");
    CHECK_THAT(job.Refused(21), Catch::Contains("allows at most 20"));
    const Bound own("user ada where account=site", "MaxWall=", "15");
    CHECK_THAT(job.Refused(16),
               Catch::Contains("ada in account site allows at most 15"));
    const Bound min("qos normal", "MaxWall=", "10");
    CHECK_THAT(job.Refused(11),
               Catch::Contains("QOS normal allows at most 10"));
  }
  {
    // The account's own limit counts where its user has a longer one.
    const Bound bound("account site", "MaxWall=", "20");
    const Bound own("user ada where account=site", "MaxWall=", "60");
    CHECK_THAT(job.Refused(21), Catch::Contains("account site allows at most"));
  }
  {
    const PartitionQos bound;
    CHECK_THAT(job.Refused(31), Catch::Contains("QOS short allows at most 30"));
  }
  {
    const Bound bound("qos normal", "MaxTRESMinsPerJob=cpu=", "20");
    CHECK_THAT(job.Refused(21), Catch::Contains("QOS normal allows at most"));
  }
  {
    const Bound bound("account site", "GrpTRESRunMins=cpu=", "50");
    CHECK_THAT(job.Refused(60), Catch::Contains("account site allows at most"));
  }
  const privileged::v1::Response longer = job.ExtendTo(60);
  INFO(longer.message());
  CHECK(longer.outcome() == privileged::v1::OUTCOME_OK);
  CHECK(job.Field("%l") == "1:00:00");
}

TEST_CASE(
    "qos: a template's job runs under it and is limited by template and QOS",
    "[backend]") {
  const OneGpuEach bound;
  ImpersonatorSite site;
  SlurmFixture day(site.folder.path(), site.impersonator);
  OfferTemplate(day);
  JobSpec spec = SlurmFixture::Small();
  spec.gpus_per_node = 1;

  const Job first = day.Submit(spec);
  CHECK(first.spec.qos == "short");
  REQUIRE(AwaitState(first, "RUNNING"));
  CHECK(LineOf("squeue -h -o %q -j " + IdOf(first)) == "short");

  // The template would let it run: it gives two.
  const Job second = day.Submit(spec);
  const std::string words =
      "you use the most GPUs that its QOS allows one user: it starts when "
      "another of your jobs ends";
  std::string reason;
  const bool said = WaitFor([&] {
    reason = day.Get(second.id).reason.text;
    return absl::StrContains(reason, words) &&
           absl::StrContains(reason, "1 of 1 GPUs are used in QOS short") &&
           absl::StrContains(reason, "QOSMaxGRESPerUser");
  });
  INFO(reason);
  CHECK(said);
  CHECK(StateOf(second) == "PENDING");
  CHECK_THAT(LimitsOf(*day.Slurm()),
             Catch::VectorContains(
                 std::string("QOS short: each user at most 1 GPUs at once")));

  OutputOf("scancel " + IdOf(first) + " 2>&1");
  CHECK(AwaitState(second, "RUNNING"));
}

}  // namespace
}  // namespace carme::backend
