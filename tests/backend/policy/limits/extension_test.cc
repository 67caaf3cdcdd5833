#include "backend/policy/limits/extension.h"

#include <catch2/catch.hpp>
#include <string>

#include "backend/policy/checks/start_time.h"
#include "common/protobuf/message_error.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

const SlurmPartition kShort{"short", true, true, absl::Hours(8), {}};
const SlurmPartition kEndless{"endless", false, true, std::nullopt, {}};

ExtensionInput Asked() {
  return {.walltime = absl::Hours(1),
          .site_longest = absl::Hours(24),
          .partition = &kShort};
}

TEST_CASE("extension policy: none where it is not offered, or no partition",
          "[policy]") {
  ExtensionInput input = Asked();
  input.site_longest = {};
  CHECK(ExtendableBy(input) == absl::ZeroDuration());
  CHECK(absl::IsPermissionDenied(CheckExtension(input, absl::Minutes(1))));
  input = Asked();
  input.partition = nullptr;
  CHECK(ExtendableBy(input) == absl::ZeroDuration());
  CHECK(absl::IsPermissionDenied(CheckExtension(input, absl::Minutes(1))));
}

TEST_CASE("extension policy: applies and names the limits of Slurm",
          "[policy]") {
  SlurmAccounting slurm;
  slurm.associations = {{.account = "chem"},
                        {.account = "chem", .user = "ada", .uid = Uid(7)}};
  slurm.qos = {{.name = "short",
                .limits = {{.name = "MaxWallDurationPerJob", .max = 90}}}};
  ExtensionInput input = Asked();
  input.accounting = &slurm;
  input.slurm_job = {.account = "chem", .uid = Uid(7), .qos = "short"};
  CHECK(ExtendableBy(input) == absl::Minutes(30));
  CHECK_THAT(CheckExtension(input, absl::Minutes(30)), IsOk());
  const absl::Status refused = CheckExtension(input, absl::Minutes(31));
  CHECK(absl::IsPermissionDenied(refused));
  CHECK(refused.message() ==
        "walltime would be 91 min: QOS short allows at most 90 min");
  const DisplayText text = TextOfStatus(refused);
  CHECK(text.code == "EXTENSION_LIMIT_EXCEEDED");
  REQUIRE(text.parameters.size() == 3);
  CHECK(text.parameters[1].value.code == "SLURM_LIMIT_SOURCE_QOS");
  // A limit below what the job has.
  slurm.qos[0].limits[0].max = 0;
  CHECK(ExtendableBy(input) == absl::ZeroDuration());
  // What Slurm does not show to the backend, the impersonator checks.
  input.slurm_job.uid = Uid(8);
  CHECK(ExtendableBy(input) == absl::Hours(7));
}

TEST_CASE("extension policy: applies and names the lowest limit", "[policy]") {
  const auto longest = [](const ExtensionInput& input) {
    const LongestWalltime found = LongestOf(input);
    return std::to_string(absl::ToInt64Minutes(found.max)) + " " +
           found.source.text;
  };
  ExtensionInput input = Asked();
  CHECK(longest(input) == "480 partition short");
  input.partition = &kEndless;
  CHECK(longest(input) == "1440 configuration");
  input.limits.max_walltime = absl::Hours(12);
  CHECK(longest(input) == "720 role user");
  input.role = Role::kAdmin;
  CHECK(longest(input) == "720 role admin");
  input.job_template = JobTemplate{.name = "Class"};
  CHECK(longest(input) == "720 role admin");
  input.job_template->max_walltime = absl::Hours(2);
  CHECK(longest(input) == "120 template Class");
  input.job_template->max_extended_walltime = absl::Hours(6);
  CHECK(longest(input) == "360 template Class");
  input.joined_longest = absl::Minutes(90);
  CHECK(longest(input) == "90 the job that it joins");
  CHECK(ExtendableBy(input) == absl::Minutes(30));
  input.joined_longest = absl::Seconds(90 * 60 + 59);
  CHECK(ExtendableBy(input) == absl::Minutes(30));
  input.joined_longest = absl::ZeroDuration();
  CHECK(ExtendableBy(input) == absl::ZeroDuration());
}

TEST_CASE("extension policy: whole minutes, at least one", "[policy]") {
  for (const absl::Duration wrong :
       {absl::ZeroDuration(), absl::Minutes(-1), absl::Seconds(59),
        absl::Seconds(61), absl::Hours(24 * 366), absl::InfiniteDuration()}) {
    CHECK(absl::IsInvalidArgument(CheckExtension(Asked(), wrong)));
  }
  CHECK_THAT(CheckExtension(Asked(), absl::Minutes(1)), IsOk());
  CHECK_THAT(CheckExtension(Asked(), absl::Hours(7)), IsOk());
  CHECK(absl::IsPermissionDenied(
      CheckExtension(Asked(), absl::Hours(7) + absl::Minutes(1))));
}

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

std::string RefusalOf(const JobSpec& asked) {
  JobSpec spec = asked;
  const auto violations = ChooseStartTime(kNow, &spec);
  return violations.empty() ? "" : violations[0].limit;
}

TEST_CASE("start time: refused long past, too far, and for a linked job",
          "[policy]") {
  CHECK(RefusalOf({.start_at = kNow - absl::Minutes(11)}) == "earliest");
  CHECK(RefusalOf({.start_at = kNow + absl::Hours(24 * 366 + 1)}) ==
        "farthest");
  CHECK(RefusalOf({.linked_to = "abcdefghijklmnop",
                   .start_at = kNow + absl::Hours(1)}) == "linkedTo");
  CHECK(RefusalOf({.builds = "ada/torch:2",
                   .start_at = kNow + absl::Hours(1)}) == "builds");
  CHECK(RefusalOf({.linked_to = "abcdefghijklmnop"}).empty());
}

TEST_CASE("start time: a time that has just passed means now", "[policy]") {
  JobSpec spec{.start_at = kNow - absl::Minutes(9)};
  CHECK(ChooseStartTime(kNow, &spec).empty());
  CHECK_FALSE(spec.start_at);
  spec.start_at = kNow + absl::Milliseconds(5500);
  CHECK(ChooseStartTime(kNow, &spec).empty());
  CHECK(spec.start_at == kNow + absl::Seconds(5));
}

}  // namespace
}  // namespace carme::backend
