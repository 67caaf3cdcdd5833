// A template with a QOS, on a real slurmctld with slurmdbd: its jobs run under
// the QOS, and a limit of the QOS narrows what the template gives.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/jobs/slurm_limits.h"
#include "backend/templates/templates.h"
#include "tests/backend/jobs/slurm_day.h"
#include "tests/backend/jobs/slurm_site.h"

namespace carme {
namespace {

const Uid kAda{20001};

// One GPU for each user of the QOS "short".
struct OneGpuEach {
  OneGpuEach() { Set("1"); }
  ~OneGpuEach() { Set("-1"); }
  static void Set(const std::string& most) {
    OutputOf(absl::StrCat(
        "sacctmgr -i modify qos short set MaxTRESPerUser=gres/gpu=", most,
        " 2>&1"));
  }
};

// A template for everybody, of two GPUs.
void OfferTemplate(SlurmDay& day) {
  const SystemClock clock;
  const auto templates = Templates::Open(&day.database(), &clock);
  REQUIRE(templates.ok());
  const auto made =
      (*templates)
          ->Create({.name = "Courses", .max_gpus_per_node = 2, .qos = "short"});
  REQUIRE(made.ok());
  REQUIRE((*templates)->Attach(made->job_template.id, "", true).ok());
}

std::vector<std::string> LimitsOf(const SlurmSnapshot& slurm) {
  std::vector<std::string> sentences;
  for (const OwnSlurmLimit& own : SlurmLimitsOf(slurm, "ada", kAda)) {
    sentences.push_back(own.sentence);
  }
  return sentences;
}

TEST_CASE(
    "qos: a template's job runs under it, and the limit of the QOS "
    "narrows what the template gives",
    "[backend]") {
  const OneGpuEach bound;
  Site site;
  SlurmDay day(site.folder.path(), site.impersonator);
  OfferTemplate(day);
  JobSpec spec = SlurmDay::Small();
  spec.gpus_per_node = 1;

  const Job first = day.Submit(spec);
  CHECK(first.spec.qos == "short");
  REQUIRE(AwaitState(first, "RUNNING"));
  CHECK(LineOf("squeue -h -o %q -j " + IdOf(first)) == "short");

  // The template would let it run: it gives two.
  const Job second = day.Submit(spec);
  const std::string words =
      "you use the most GPUs that its QOS gives one person: it starts when "
      "another of your jobs ends";
  std::string reason;
  const bool said = WaitFor([&] {
    reason = day.Get(second.id).reason;
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
}  // namespace carme
