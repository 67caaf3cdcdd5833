// Nodes of the private cluster with Carme's configuration, and jobs on them as
// the impersonator submits them.
#ifndef CARME_TESTS_SLURM_HOOKS_AGENT_SLURM_SLURM_FIXTURE_H_
#define CARME_TESTS_SLURM_HOOKS_AGENT_SLURM_SLURM_FIXTURE_H_

#include <string>
#include <vector>

#include "tests/slurm-hooks/agent/fake_backend.h"
#include "tests/support/temp_dir.h"

namespace carme::agent {

// What a command prints, on both streams, without its last newline.
std::string Output(const std::string& command);
// As root on a node, outside every job.
std::string OnNode(const std::string& node, const std::string& command);

// False when the job is still pending, running or completing after a minute.
bool JobEnded(const std::string& job);

// REQUIRES: root, on the head of a private cluster whose nodes have Carme
// installed; elsewhere the test program ends with 77.
class AgentSlurmFixture {
 public:
  AgentSlurmFixture(const FakeAgentBackend& backend,
                    std::vector<std::string> nodes);
  ~AgentSlurmFixture();
  AgentSlurmFixture(const AgentSlurmFixture&) = delete;

  std::string app() const { return dir_.File("test_app"); }
  // ada's job; its id.
  std::string Submit(const std::string& options) const;
  // What the job's agent wrote.
  static std::string Log();
  // The configuration is not on this node any more.
  static void RemoveNode(const std::string& node);

 private:
  const std::vector<std::string> nodes_;
  TempDir dir_;
};

}  // namespace carme::agent

#endif  // CARME_TESTS_SLURM_HOOKS_AGENT_SLURM_SLURM_FIXTURE_H_
