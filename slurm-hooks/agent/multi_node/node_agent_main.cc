// carme-node-agent: runs as the user on each node of the job except the first,
// where carme-agent starts it through srun. See ../../README.md.
#include <signal.h>
#include <sys/prctl.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/numbers.h"
#include "common/clock.h"
#include "common/config/program.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/agent/multi_node/messages.h"
#include "slurm-hooks/agent/multi_node/node_agent.h"
#include "slurm-hooks/node_config.h"

namespace carme::agent {
namespace {

absl::StatusOr<uint32_t> ReadNumber(const char* name) {
  const char* text = std::getenv(name);
  uint32_t number = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &number)) {
    return MakePlainError(
        agent_multi_node_messages::kNotInAStep,
        {{"name", name}, {"value", text == nullptr ? "" : text}});
  }
  return number;
}

absl::StatusOr<int> Serve(const ProgramFlags& flags) {
  ASSIGN_OR_RETURN(const NodeConfig config, LoadNodeConfig(flags.config_path));
  ASSIGN_OR_RETURN(const uint32_t job, ReadNumber("SLURM_JOB_ID"));
  ASSIGN_OR_RETURN(const uint32_t step_node, ReadNumber("SLURM_NODEID"));
  ASSIGN_OR_RETURN(JobFacts facts, ReadJobFacts(config, SlurmJobId(job)));
  // The process holds the ssh keys of the job.
  prctl(PR_SET_DUMPABLE, 0);
  const SystemClock clock;
  // The step runs on all nodes except the first, in the job's order.
  ASSIGN_OR_RETURN(const auto agent,
                   NodeAgent::Create(std::move(facts), step_node + 1, clock));
  return agent->Run();
}

}  // namespace
}  // namespace carme::agent

int main(int argc, char** argv) {
  const carme::ProgramFlags flags = carme::ParseFlags(
      argc, argv, carme::kNodeConfigPath,
      "Enters the environment of a Carme job on an additional node.");
  if (flags.check_only) {
    const auto config = carme::LoadNodeConfig(flags.config_path);
    return config.ok() ? 0 : carme::FailStart(config.status());
  }
  carme::MarkLogLinesOfRequest(carme::agent::ReadRequestId());
  signal(SIGPIPE, SIG_IGN);
  carme::node::BlockSignals({SIGTERM, SIGINT, SIGCHLD});
  const auto exit_code = carme::agent::Serve(flags);
  return exit_code.ok() ? *exit_code : carme::FailStart(exit_code.status());
}
