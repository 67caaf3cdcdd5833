#include "slurm-hooks/hooks/hook_job.h"

#include <stdlib.h>

#include <catch2/catch.hpp>

#include "tests/support/status_matchers.h"

namespace carme::hooks {
namespace {

void SetJob(const char* constraints, const char* id, const char* uid) {
  const std::pair<const char*, const char*> values[] = {
      {"SLURM_JOB_CONSTRAINTS", constraints},
      {"SLURM_JOB_ID", id},
      {"SLURM_JOB_UID", uid}};
  for (const auto& [name, value] : values) {
    if (value == nullptr) unsetenv(name);
    if (value != nullptr) setenv(name, value, 1);
  }
}

TEST_CASE("hook job: root's is refused", "[slurm-hooks]") {
  SetJob("carme", "7", "0");
  CHECK(absl::IsPermissionDenied(ReadHookJob("carme").status()));
}

TEST_CASE("hook job: refuses an invalid id or uid", "[slurm-hooks]") {
  const char* const bad[] = {nullptr, "", "x", "-1", "7/../8", "4294967296"};
  for (const char* text : bad) {
    SetJob("carme", text, "1000");
    CHECK(absl::IsInvalidArgument(ReadHookJob("carme").status()));
    SetJob("carme", "7", text);
    CHECK(absl::IsInvalidArgument(ReadHookJob("carme").status()));
  }
}

TEST_CASE("hook job: ignores other jobs", "[slurm-hooks]") {
  SetJob(nullptr, "7", "1000");
  CHECK_FALSE(HasConstraints());
  SetJob("fast&big", nullptr, nullptr);
  CHECK(HasConstraints());
  const auto job = ReadHookJob("carme");
  REQUIRE_THAT(job, IsOk());
  CHECK_FALSE(job->has_value());
}

TEST_CASE("hook job: reads a Carme job", "[slurm-hooks]") {
  SetJob("fast&carme", "7", "1000");
  const auto job = ReadHookJob("carme");
  REQUIRE_THAT(job, IsOk());
  REQUIRE(job->has_value());
  CHECK((*job)->id == SlurmJobId(7));
  CHECK((*job)->uid == Uid(1000));
}

}  // namespace
}  // namespace carme::hooks
