#include "slurm-hooks/agent/environment/environment_command.h"

#include "absl/strings/str_cat.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/agent/environment/edf_environment.h"
#include "slurm-hooks/agent/environment/messages.h"

namespace carme::agent {
namespace {

using Command = std::vector<std::string>;

absl::Status CheckFolder(const std::string& path) {
  if (!path.empty() && path[0] == '/' &&
      path.find_first_of(":,\"\n") == std::string::npos) {
    return absl::OkStatus();
  }
  return MakeError(agent_environment_messages::kPathNotMountable,
                   {{"path", path}});
}

absl::Status AddBind(const std::string& source, const std::string& target,
                     bool read_only, Command* command) {
  RETURN_IF_ERROR(CheckFolder(source));
  RETURN_IF_ERROR(CheckFolder(target));
  command->push_back("--bind");
  command->push_back(absl::StrCat(source, ":", target, read_only ? ":ro" : ""));
  return absl::OkStatus();
}

absl::Status AddFolders(const EnvironmentPlan& plan,
                        const EnvironmentFacts& facts, Command* command) {
  RETURN_IF_ERROR(AddBind(facts.programs, kProgramsInside, true, command));
  RETURN_IF_ERROR(AddBind(facts.directory, facts.directory, false, command));
  RETURN_IF_ERROR(AddBind(facts.scratch, facts.scratch, false, command));
  if (!facts.storage.empty()) {
    RETURN_IF_ERROR(AddBind(facts.storage, facts.storage, false, command));
  }
  RETURN_IF_ERROR(AddBind(facts.home, facts.home, false, command));
  // Files that shells and ssh of any image read for site settings; NodeSshSetup
  // writes them before this, and again when the job's nodes are known. The
  // image's own ssh_config must be hidden: ssh rejects the files it includes,
  // because no file belongs to root here.
  RETURN_IF_ERROR(AddBind(absl::StrCat(facts.directory, "/env"),
                          "/etc/profile.d/carme.sh", true, command));
  RETURN_IF_ERROR(AddBind(absl::StrCat(facts.directory, "/ssh/hosts"),
                          "/etc/ssh/ssh_config", true, command));
  RETURN_IF_ERROR(AddBind(absl::StrCat(facts.directory, "/group"), "/etc/group",
                          true, command));
  for (const Bind& bind : plan.binds) {
    RETURN_IF_ERROR(AddBind(bind.source, bind.target, bind.read_only, command));
  }
  for (const std::string& device : facts.devices) {
    RETURN_IF_ERROR(AddBind(device, device, false, command));
  }
  return absl::OkStatus();
}

absl::StatusOr<Command> ApptainerCommand(const EnvironmentPlan& plan,
                                         const EnvironmentFacts& facts,
                                         const std::string& init_socket) {
  if (facts.apptainer.empty()) {
    return MakeError(agent_environment_messages::kNeedsApptainer,
                     {{"image", plan.name}});
  }
  if (facts.scratch.empty()) {
    return MakeError(agent_environment_messages::kNoScratchDirectory);
  }
  // --containall: own mounts, process ids and IPC; no variables, devices, /tmp
  // or home of the node.
  Command command = {facts.apptainer, "--quiet",   "exec",      "--containall",
                     "--no-home",     "--no-eval", "--workdir", facts.scratch};
  if (facts.nvidia) command.push_back("--nv");
  RETURN_IF_ERROR(AddFolders(plan, facts, &command));
  command.push_back(plan.image);
  command.push_back(absl::StrCat(kProgramsInside, "/carme-init"));
  command.push_back("--socket");
  command.push_back(init_socket);
  return command;
}

// A step next to the batch script, which is this process, with all resources of
// the job on this node. Without these options srun would take one CPU and the
// remaining memory.
absl::StatusOr<Command> StepCommand(const EnvironmentFacts& facts,
                                    const std::string& init_socket) {
  if (facts.srun.empty() || facts.node.empty()) {
    return MakeError(agent_environment_messages::kNeedsSrun);
  }
  return Command{facts.srun,
                 "--quiet",
                 "--overlap",
                 "--nodes=1",
                 "--ntasks=1",
                 absl::StrCat("--nodelist=", facts.node),
                 "--mem=0",
                 "--cpu-bind=none",
                 "--mpi=none",
                 "--input=none",
                 "--export=ALL",
                 absl::StrCat("--environment=", EdfFile(facts)),
                 absl::StrCat(kProgramsInside, "/carme-init"),
                 "--socket",
                 init_socket};
}

}  // namespace

absl::StatusOr<Command> EnvironmentCommand(const EnvironmentPlan& plan,
                                           const EnvironmentFacts& facts,
                                           const std::string& init_socket) {
  switch (plan.runtime) {
    case v1::RUNTIME_NONE:
      return Command{absl::StrCat(facts.programs, "/carme-init"), "--socket",
                     init_socket};
    case v1::RUNTIME_APPTAINER:
      return ApptainerCommand(plan, facts, init_socket);
    case v1::RUNTIME_EDF:
      return StepCommand(facts, init_socket);
    default:
      break;
  }
  return absl::InternalError("the plan has no runtime");
}

std::string ProgramsIn(const EnvironmentPlan& plan,
                       const EnvironmentFacts& facts) {
  return plan.runtime == v1::RUNTIME_NONE ? facts.programs : kProgramsInside;
}

}  // namespace carme::agent
