#include "slurm-hooks/agent/environment/environment_command.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "absl/strings/str_join.h"
#include "tests/support/status_matchers.h"

namespace carme::agent {
namespace {

EnvironmentFacts Node() {
  return {.apptainer = "/usr/bin/apptainer",
          .programs = "/opt/carme/libexec/carme",
          .directory = "/run/carme/jobs/7",
          .scratch = "/scratch/7",
          .home = "/home/ada",
          .nvidia = false,
          .devices = {}};
}

EnvironmentPlan Image() {
  EnvironmentPlan plan;
  plan.runtime = v1::RUNTIME_APPTAINER;
  plan.image = "/images/base.sif";
  plan.name = "base:1";
  return plan;
}

std::string LineOf(const EnvironmentPlan& plan, const EnvironmentFacts& facts) {
  const auto command = EnvironmentCommand(plan, facts, "/run/carme/jobs/7/i");
  INFO(command.status().ToString());
  REQUIRE_THAT(command, IsOk());
  return absl::StrJoin(*command, " ");
}

TEST_CASE("environment: an image is refused on a node without Apptainer",
          "[agent]") {
  EnvironmentFacts facts = Node();
  facts.apptainer = "";
  const auto status = EnvironmentCommand(Image(), facts, "/i").status();
  CHECK(absl::IsFailedPrecondition(status));
  CHECK(status.message().find("base:1") != std::string::npos);
}

TEST_CASE("environment: an image is refused in a job without scratch",
          "[agent]") {
  EnvironmentFacts facts = Node();
  facts.scratch = "";
  CHECK(absl::IsFailedPrecondition(
      EnvironmentCommand(Image(), facts, "/i").status()));
}

TEST_CASE("environment: a home that would be two folders is refused",
          "[agent]") {
  for (const char* home : {"/home/a:/etc", "/home/a,/etc", "home", ""}) {
    EnvironmentFacts facts = Node();
    facts.home = home;
    INFO(home);
    CHECK(absl::IsInvalidArgument(
        EnvironmentCommand(Image(), facts, "/i").status()));
  }
}

TEST_CASE("environment: without a runtime carme-init starts by itself",
          "[agent]") {
  CHECK(LineOf({}, Node()) ==
        "/opt/carme/libexec/carme/carme-init --socket /run/carme/jobs/7/i");
}

TEST_CASE("environment: a container sees the folders that are listed, no more",
          "[agent]") {
  EnvironmentPlan plan = Image();
  plan.binds = {{"/data", "/mnt/data", true}};
  CHECK(LineOf(plan, Node()) ==
        "/usr/bin/apptainer --quiet exec --containall --no-home --no-eval "
        "--workdir /scratch/7 "
        "--bind /opt/carme/libexec/carme:/.carme/programs:ro "
        "--bind /run/carme/jobs/7:/run/carme/jobs/7 "
        "--bind /scratch/7:/scratch/7 --bind /home/ada:/home/ada "
        "--bind /run/carme/jobs/7/env:/etc/profile.d/carme.sh:ro "
        "--bind /run/carme/jobs/7/ssh/hosts:"
        "/etc/ssh/ssh_config:ro "
        "--bind /run/carme/jobs/7/group:/etc/group:ro "
        "--bind /data:/mnt/data:ro "
        "/images/base.sif /.carme/programs/carme-init "
        "--socket /run/carme/jobs/7/i");
}

TEST_CASE("environment: a container sees the GPUs of its job", "[agent]") {
  EnvironmentFacts facts = Node();
  facts.nvidia = true;
  facts.devices = {"/dev/carmegpu1"};
  const std::string line = LineOf(Image(), facts);
  CHECK(line.find(" --nv ") != std::string::npos);
  CHECK(line.find(" --bind /dev/carmegpu1:/dev/carmegpu1 ") !=
        std::string::npos);
}

}  // namespace
}  // namespace carme::agent
