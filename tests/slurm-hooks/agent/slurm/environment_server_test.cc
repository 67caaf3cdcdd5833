// Jobs in an environment of their user's (EDF), as real Slurm runs them.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/slurm-hooks/agent/slurm/slurm_fixture.h"
#include "tests/slurm-hooks/spank/user_shell.h"

namespace carme::agent {
namespace {

using testing::kWaitTimeout;

bool Ready(const FakeAgentBackend& backend) {
  return WaitFor(
             [&] {
               return backend.LastReport("jupyter").state() ==
                          carme::v1::APP_STATE_READY ||
                      backend.LastReport("").state() ==
                          carme::v1::APP_STATE_ENDED;
             },
             kWaitTimeout) &&
         backend.LastReport("jupyter").state() == carme::v1::APP_STATE_READY;
}

// A job's app in the small image, with the node's programs in it.
void ChooseEnvironment(FakeAgentBackend* backend,
                       const AgentSlurmFixture& site) {
  carme::v1::EnvironmentPlan& plan = *backend->environment();
  plan.set_runtime(carme::v1::RUNTIME_EDF);
  plan.set_image_name("small");
  const std::string folder = site.app().substr(0, site.app().rfind('/'));
  plan.mutable_edf()->set_rendered(absl::StrCat(
      "image = \"", SmallImage(), "\"\nmounts = [\"/usr:/usr:ro\", \"", folder,
      ":/site\"]\n"));
  backend->SetCommand(
      {"/bin/sh", "-c",
       "echo first > /tmp/of-the-app; exec \"$0\" \"$1\" \"$2\"",
       "/site/test_app", "{socket}", "{dir}/seen"});
}

bool HasLine(const std::string& text, const std::string& line) {
  return absl::StrCat("\n", text, "\n").find("\n" + line + "\n") !=
         std::string::npos;
}

// How many processes with these words of pgrep's are on a node.
std::string Count(const std::string& node, const std::string& words) {
  return OnNode(node, absl::StrCat("pgrep ", words, " | grep -c ''"));
}

TEST_CASE("environment over two nodes: srun's tasks share what the apps have",
          "[agent]") {
  FakeAgentBackend backend("carme-backend", "10.77.0.1", 9444);
  const AgentSlurmFixture site(backend, {"n1", "n2"});
  ChooseEnvironment(&backend, site);
  const std::string job =
      site.Submit("-N 2 -n 2 -w n1,n2 -C carme --gres=gpu:1 -c 1");
  const bool ready = Ready(backend);
  INFO(AgentSlurmFixture::Log());
  INFO(backend.LastReport("").detail());
  REQUIRE(ready);
  const std::string directory = "/run/carme/jobs/" + job;
  CHECK(OnNode("n1", "cat " + directory + "/hostfile") ==
        "n1 slots=1\nn2 slots=1");

  const std::string srun =
      absl::StrCat("runuser -u ada -- env CARME_ENV=", directory,
                   "/env /opt/carme/libexec/carme/bin/srun ");
  CHECK(OnNode("n1", srun + "--environment=other id")
            .find("is not available inside a job") != std::string::npos);
  const std::string tasks = OnNode(
      "n1", srun +
                "-N 2 -n 2 --label sh -c 'cat /etc/image; echo rank $NODE_RANK "
                "of $NNODES; ls /tmp; ls /dev | grep -c carmegpu'");
  INFO(tasks);
  for (const char* line : {"0: small", "1: small", "0: rank 0 of 2",
                           "1: rank 1 of 2", "0: of-the-app", "0: 1", "1: 1"}) {
    INFO(line);
    CHECK(HasLine(tasks, line));
  }
  CHECK_FALSE(HasLine(tasks, "1: of-the-app"));
  CHECK(OnNode("n1", srun + "-N 1 -n 1 sh -c 'exit 9'; echo $?") == "9");
  Output("runuser -u ada -- scancel " + job);
  CHECK(JobEnded(job));
  for (const char* node : {"n1", "n2"}) {
    INFO(node);
    CHECK(WaitFor([&] { return Count(node, "-u ada") == "0"; }));
  }
}

TEST_CASE(
    "environment: its tasks end with the job even if slurmstepd was killed",
    "[agent]") {
  const FakeAgentBackend backend("carme-backend", "10.77.0.1", 9444);
  const AgentSlurmFixture site(backend, {"n1"});
  WriteJob("image = \"" + SmallImage() + "\"\n");
  const std::string job = Output(
      "runuser -u ada -- sbatch --parsable --chdir=/home/ada -o /dev/null "
      "--environment=/home/ada/job.toml -w n1 -C carme "
      "--wrap='sleep 7777 & exec sleep 7778'");
  CHECK(WaitFor([] { return Count("n1", "-u ada -x sleep") == "2"; }));
  const std::string steps = absl::StrCat("-f '^slurmstepd: .", job, "\\.'");
  REQUIRE(Count("n1", steps) == "1");
  OnNode("n1", "pkill -KILL " + steps);
  CHECK(WaitFor([&] { return Count("n1", steps) == "0"; }));
  // No process ends them now.
  CHECK(Count("n1", "-u ada -x sleep") == "2");
  Output("runuser -u ada -- scancel " + job);
  CHECK(JobEnded(job));
  CHECK(WaitFor([&] { return Count("n1", "-u ada") == "0"; }));
  CHECK(WaitFor(
      [&] { return OnNode("n1", "ls /run/carme/jobs | grep -c ''") == "0"; }));
  CHECK(WaitFor([&] {
    return OnNode("n1", "cat /sys/block/loop*/loop/backing_file")
               .find("small.sqsh") == std::string::npos;
  }));
  CHECK(Output("sinfo -h -n n1 -o %T").find("drain") == std::string::npos);
}

}  // namespace
}  // namespace carme::agent
