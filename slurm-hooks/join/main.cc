// carme-join SOCKET PROGRAM [ARGUMENT…]: the first program of each task of a
// step on its node: becomes PROGRAM in the job's environment. It starts outside
// the environment, except for an EDF, where the SPANK plugin has already joined
// it. It stays in the control groups that Slurm assigned: cores, memory,
// devices and accounting belong to the step.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "carme/node/v1/step.pb.h"
#include "common/config/program.h"
#include "common/status.h"
#include "slurm-hooks/child_process/child_process.h"
#include "slurm-hooks/join/entry.h"
#include "slurm-hooks/join/messages.h"
#include "slurm-hooks/pmi/pmi.h"
#include "slurm-hooks/process/packet_socket.h"

namespace carme::node {
namespace {

constexpr char kContextVariable[] = "CARME_TASK_CONTEXT";
// Set by the agent if the caller of srun used --mpi.
constexpr char kMpiChosen[] = "CARME_TASK_MPI_CHOSEN";
constexpr int kPassedOn[] = {SIGINT,  SIGTERM, SIGHUP,
                             SIGUSR1, SIGUSR2, SIGCONT};

pid_t task = 0;

void PassOn(int number) {
  if (task > 0) kill(task, number);
}

absl::StatusOr<v1::TaskContext> ReadContext() {
  const char* const text = std::getenv(kContextVariable);
  std::string bytes;
  v1::TaskContext context;
  if (text == nullptr || !absl::Base64Unescape(text, &bytes) ||
      !context.ParseFromString(bytes)) {
    return MakePlainError(join_messages::kContextInvalid,
                          {{"variable", kContextVariable}});
  }
  return context;
}

absl::StatusOr<std::pair<v1::JoinReply, std::vector<UniqueFd>>> RequestJoin(
    const std::string& path) {
  ASSIGN_OR_RETURN(const UniqueFd connection, ConnectForPackets(path));
  v1::StepRequest request;
  request.mutable_join();
  RETURN_IF_ERROR(
      SendPacket(connection.get(), request.SerializeAsString(), {}));
  ASSIGN_OR_RETURN(auto packet, ReceivePacket(connection.get()));
  v1::StepResponse response;
  if (!packet.has_value() || !response.ParseFromString(packet->bytes)) {
    return MakePlainError(join_messages::kAgentGone);
  }
  if (!response.has_join()) return absl::UnavailableError(response.error());
  return std::make_pair(response.join(), std::move(packet->descriptors));
}

bool OfStep(const std::string& name) {
  if (name.starts_with("PMIX_MCA_")) return false;  // the user's settings
  for (const char* prefix :
       {"SLURM", "PMI", "PMIX_", "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
        "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// The caller's variables, overridden by those of this node and of the step.
std::vector<std::string> Variables(const v1::TaskContext& context,
                                   const v1::JoinReply& reply) {
  std::map<std::string, std::string> values;
  const auto take = [&](const std::string& entry, bool of_step) {
    const std::string name = entry.substr(0, entry.find('='));
    if (name.size() < entry.size() && OfStep(name) == of_step) {
      values[name] = entry.substr(name.size() + 1);
    }
  };
  for (const std::string& entry : context.environment()) take(entry, false);
  for (const std::string& entry : reply.environment()) take(entry, false);
  for (char** entry = environ; *entry != nullptr; ++entry) take(*entry, true);
  if (values.contains("PMIX_RANK")) {
    values.emplace(kPmixClientVariable, kPmixClientValue);  // unless it is set
  }
  std::vector<std::string> variables;
  for (const auto& [name, value] : values) {
    variables.push_back(absl::StrCat(name, "=", value));
  }
  return variables;
}

void WarnOfMpi(const std::vector<std::string>& variables) {
  if (std::getenv(kMpiChosen) != nullptr) return;
  const auto warning =
      MpiWarning([&](const char* name) -> std::optional<std::string> {
        const std::string head = absl::StrCat(name, "=");
        for (const std::string& entry : variables) {
          if (entry.starts_with(head)) return entry.substr(head.size());
        }
        return std::nullopt;
      });
  if (warning) std::fprintf(stderr, "srun: warning: %s\n", warning->c_str());
}

[[noreturn]] void Become(const std::vector<char*>& arguments,
                         const v1::TaskContext& context,
                         std::vector<std::string>& variables, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // In another namespace of process ids the parent has none.
  if (getppid() != parent && getppid() != 0) _exit(127);
  if (chdir(context.directory().c_str()) != 0 && chdir("/") != 0) _exit(127);
  std::vector<char*> environment;
  for (std::string& entry : variables) environment.push_back(entry.data());
  environment.push_back(nullptr);
  environ = environment.data();  // where execvp looks for PATH
  execvp(arguments[0], arguments.data());
  std::fprintf(stderr, "srun: %s cannot be started: %s\n", arguments[0],
               std::strerror(errno));
  _exit(errno == ENOENT ? 127 : 126);
}

absl::StatusOr<int> Await() {
  for (const int number : kPassedOn) signal(number, PassOn);
  int status = 0;
  while (waitpid(task, &status, 0) < 0) {
    if (errno != EINTR) return ErrnoError(errno, "wait for the task");
  }
  return EndOf(status).exit_code;
}

absl::StatusOr<int> Serve(int argc, char** argv) {
  if (argc < 3) {
    return MakePlainError(join_messages::kUsage);
  }
  ASSIGN_OR_RETURN(const v1::TaskContext context, ReadContext());
  ASSIGN_OR_RETURN(auto joined, RequestJoin(argv[1]));
  const auto& [reply, descriptors] = joined;
  std::vector<std::string> variables = Variables(context, reply);
  WarnOfMpi(variables);
  std::vector<char*> arguments(argv + 2, argv + argc);
  arguments.push_back(nullptr);
  RETURN_IF_ERROR(EnterEnvironment(descriptors));
  const pid_t parent = getpid();
  task = fork();
  if (task < 0) return ErrnoError(errno, "start the task");
  if (task == 0) Become(arguments, context, variables, parent);
  return Await();
}

}  // namespace
}  // namespace carme::node

int main(int argc, char** argv) {
  const auto exit_code = carme::node::Serve(argc, argv);
  return exit_code.ok() ? *exit_code : carme::FailStart(exit_code.status());
}
