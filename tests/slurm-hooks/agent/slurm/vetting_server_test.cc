// A job that vets its nodes before it starts: n2 is made to fail.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/match.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/slurm-hooks/agent/slurm/slurm_fixture.h"

namespace carme::agent {
namespace {

using testing::kWaitTimeout;

// The site's configuration of `carme vet` on both nodes, in which a file stands
// for what a node may lack.
class VettedSite {
 public:
  VettedSite() {
    for (const char* node : {"n1", "n2"}) {
      OnNode(node,
             "sh -c 'printf \"name: site\\nevals:\\n- name: Disk\\n  type: "
             "command\\n  command: test ! -e /run/carme/broken\\n\" > "
             "/etc/carme/vet.yaml'");
    }
    backend.SetCommand({site.app(), "{socket}", "{dir}/seen"});
  }
  ~VettedSite() {
    for (const char* node : {"n1", "n2"}) {
      OnNode(node, "rm -f /etc/carme/vet.yaml /run/carme/broken");
    }
  }
  static void Break(const std::string& node) {
    OnNode(node, "touch /run/carme/broken");
  }
  std::string EndOfJob() const {
    const bool ended = WaitFor(
        [&] {
          return backend.LastReport("").state() == carme::v1::APP_STATE_ENDED;
        },
        kWaitTimeout);
    return ended ? backend.LastReport("").detail() : "the job has not ended";
  }

  FakeAgentBackend backend{"carme-backend", "10.77.0.1", 9444};
  const AgentSlurmFixture site{backend, {"n1", "n2"}};
};

TEST_CASE("agent: starts nothing with too few healthy nodes", "[agent]") {
  VettedSite vetted;
  vetted.backend.RequireNodes(2);
  VettedSite::Break("n2");
  const std::string job = vetted.site.Submit("-N 2 -n 2 -w n1,n2 -C carme");
  const std::string detail = vetted.EndOfJob();
  INFO(AgentSlurmFixture::Log());
  CHECK(absl::StrContains(detail, "n2: failed \"Disk\""));
  CHECK(absl::StrContains(detail, "1 of 2 nodes are healthy: expected 2"));
  CHECK(vetted.backend.LastReport("jupyter").state() ==
        carme::v1::APP_STATE_UNSPECIFIED);
  CHECK(JobEnded(job));
}

TEST_CASE("agent: starts nothing if its own node is not healthy", "[agent]") {
  VettedSite vetted;
  vetted.backend.RequireNodes(1);
  VettedSite::Break("n1");
  const std::string job = vetted.site.Submit("-N 2 -n 2 -w n1,n2 -C carme");
  const std::string detail = vetted.EndOfJob();
  INFO(AgentSlurmFixture::Log());
  CHECK(absl::StrContains(detail,
                          "n1, the first node of the job, is not healthy"));
  CHECK(JobEnded(job));
}

TEST_CASE("agent: uses the healthy node and returns the other to Slurm",
          "[agent]") {
  VettedSite vetted;
  vetted.backend.RequireNodes(1);
  VettedSite::Break("n2");
  const std::string job = vetted.site.Submit("-N 2 -n 2 -w n1,n2 -C carme");
  const bool ready = WaitFor(
      [&] {
        return vetted.backend.LastReport("jupyter").state() ==
               carme::v1::APP_STATE_READY;
      },
      kWaitTimeout);
  INFO(AgentSlurmFixture::Log());
  REQUIRE(ready);
  CHECK(absl::StrContains(vetted.backend.LastReport("vetting").detail(),
                          "n2: failed \"Disk\""));
  CHECK(vetted.backend.LastReport("vetting").state() ==
        carme::v1::APP_STATE_ENDED);
  CHECK(Output("squeue -h -o %D,%N -j " + job) == "1,n1");
  Output("scancel " + job);
  CHECK(JobEnded(job));
}

TEST_CASE("agent: uses both nodes if both are healthy", "[agent]") {
  VettedSite vetted;
  vetted.backend.RequireNodes(2);
  const std::string job = vetted.site.Submit("-N 2 -n 2 -w n1,n2 -C carme");
  const bool ready = WaitFor(
      [&] {
        return vetted.backend.LastReport("jupyter").state() ==
               carme::v1::APP_STATE_READY;
      },
      kWaitTimeout);
  INFO(AgentSlurmFixture::Log());
  REQUIRE(ready);
  CHECK(vetted.backend.LastReport("vetting").detail().empty());
  CHECK(Output("squeue -h -o %D -j " + job) == "2");
  Output("scancel " + job);
  CHECK(JobEnded(job));
}

}  // namespace
}  // namespace carme::agent
