// carme-vet: checks nodes before a job uses them. `carme vet` starts it. See
// README.md.
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/crypto/hash.h"
#include "common/file.h"
#include "common/random.h"
#include "common/status.h"
#include "common/yaml/yaml_document.h"
#include "slurm-hooks/vet/cli/launch.h"
#include "slurm-hooks/vet/cli/messages.h"
#include "slurm-hooks/vet/cli/options.h"
#include "slurm-hooks/vet/cli/report.h"
#include "slurm-hooks/vet/cli/run_report.h"
#include "slurm-hooks/vet/cli/slurm_job.h"
#include "slurm-hooks/vet/coordination/coordinator.h"
#include "slurm-hooks/vet/coordination/messages.h"
#include "slurm-hooks/vet/coordination/tcp.h"
#include "slurm-hooks/vet/coordination/worker.h"

namespace carme::vet {
namespace {

constexpr char kSiteConfig[] = "/etc/carme/vet.yaml";
constexpr char kBuiltIn[] = "built-in configuration";
constexpr size_t kKeyBytes = 32;
// The ports of a step's coordinator: below those that the kernel gives to
// clients. Another user may listen on some of them.
constexpr int kFirstPort = 20000;
constexpr int kPorts = 12000;
constexpr size_t kPortsOfStep = 8;

std::optional<std::string> ReadVariableOfProcess(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void PrintError(const absl::Status& status) {
  for (const absl::string_view line : absl::StrSplit(status.message(), '\n')) {
    std::fprintf(stderr, "carme vet: %s\n", std::string(line).c_str());
  }
}

int ExitCodeOf(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsNotFound(status) ||
                 absl::IsPermissionDenied(status) ||
                 absl::IsFailedPrecondition(status)
             ? kExitConfiguration
             : kExitInfrastructure;
}

// The same on all nodes of a step.
std::vector<int> PortsOfStep(const std::string& run) {
  const std::string digest = Sha256(absl::StrCat("carme vet ", run));
  std::vector<int> ports;
  for (size_t i = 0; i < kPortsOfStep; ++i) {
    const int number = static_cast<unsigned char>(digest[2 * i]) * 256 +
                       static_cast<unsigned char>(digest[2 * i + 1]);
    ports.push_back(kFirstPort + number % kPorts);
  }
  return ports;
}

absl::StatusOr<UniqueFd> ListenForStep(const std::string& run) {
  const std::vector<int> ports = PortsOfStep(run);
  for (const int port : ports) {
    auto fd = ListenEverywhere(port);
    if (fd.ok()) return fd;
  }
  return MakePlainError(coordination_messages::kNoPort,
                        {{"ports", absl::StrJoin(ports, ", ")}});
}

// The worker of this node, as a child of the coordinator.
struct LocalWorker {
  UniqueFd socket;
  std::string key;
  pid_t pid = -1;
};

absl::StatusOr<LocalWorker> StartLocalWorker(const std::string& host) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return ErrnoError(errno, "socketpair");
  }
  LocalWorker worker;
  worker.socket.reset(ends[0]);
  UniqueFd theirs(ends[1]);
  worker.key = RandomBytes(kKeyBytes);
  std::fflush(nullptr);
  worker.pid = fork();
  if (worker.pid < 0) return ErrnoError(errno, "fork");
  if (worker.pid > 0) return worker;
  worker.socket.reset();
  const auto healthy = RunWorker(
      Channel(std::move(theirs), Channel::Side::kWorker, worker.key), 0, host);
  _exit(healthy.ok() ? kExitHealthy : kExitInfrastructure);
}

int CoordinateStep(const Options& options, const std::string& config,
                   const std::string& config_path,
                   const std::vector<std::string>& nodes,
                   const std::string& run_id) {
  CoordinatorOptions coordinator;
  if (nodes.size() > 1) {
    auto listener = ListenForStep(run_id);
    if (!listener.ok()) {
      PrintError(listener.status());
      return kExitInfrastructure;
    }
    coordinator.listener = *std::move(listener);
  }
  auto local = StartLocalWorker(nodes[0]);
  if (!local.ok()) {
    PrintError(MakePlainError(coordination_messages::kWorkerNotStarted,
                              {{"cause", local.status().message()}}));
    return kExitInfrastructure;
  }
  coordinator.nodes = nodes;
  coordinator.config = config;
  coordinator.config_path = config_path;
  coordinator.default_timeout = options.timeout;
  coordinator.connect_timeout = options.connect_timeout;
  coordinator.identity.run = run_id;
  coordinator.local = std::move(local->socket);
  coordinator.local_key = local->key;
  const auto run = Coordinate(std::move(coordinator));
  waitpid(local->pid, nullptr, 0);
  if (!run.ok()) {
    PrintError(run.status());
    return ExitCodeOf(run.status());
  }
  const absl::Status learned = LearnFrom(*run, options.learn_path);
  if (!learned.ok()) PrintError(learned);
  if (std::fputs(Report(*run, options).c_str(), stdout) < 0 ||
      std::fflush(stdout) != 0) {
    return kExitInfrastructure;
  }
  if (!learned.ok()) return ExitCodeOf(learned);
  if (options.report) {
    const absl::Status reported =
        ReportRun(*run, options, ReadVariableOfProcess);
    if (!reported.ok()) {
      PrintError(reported);
      return kExitInfrastructure;
    }
    if (options.prolog_job != 0) return kExitHealthy;
  }
  for (const NodeReport& node : run->nodes) {
    if (!node.is_healthy()) return kExitUnhealthy;
  }
  return kExitHealthy;
}

int RunRemoteWorker(const std::vector<Endpoint>& endpoints,
                    const RunIdentity& identity, const SlurmStep& step,
                    absl::Duration timeout) {
  auto channel = ConnectToCoordinator(endpoints, identity, timeout);
  if (!channel.ok()) {
    PrintError(channel.status());
    return kExitInfrastructure;
  }
  const auto healthy =
      RunWorker(*std::move(channel), static_cast<uint32_t>(step.rank),
                step.nodes[step.rank]);
  if (!healthy.ok()) {
    PrintError(MakePlainError(coordination_messages::kCoordinatorLost,
                              {{"cause", healthy.status().message()}}));
    return kExitInfrastructure;
  }
  return *healthy ? kExitHealthy : kExitUnhealthy;
}

// A task of the step that `carme vet --require` has started. Its exit code is
// of no interest: the coordinator has the results.
int RunWorkerOfLaunch(const SlurmStep& step, absl::Duration timeout) {
  const std::string secret =
      ReadVariableOfProcess(kSecretVariable).value_or("");
  // not for programs that evaluations start
  unsetenv(kSecretVariable);
  const int port =
      std::atoi(ReadVariableOfProcess(kPortVariable).value_or("0").c_str());
  std::vector<Endpoint> endpoints;
  for (const char* name : {"SLURM_LAUNCH_NODE_IPADDR", kHostVariable}) {
    const auto host = ReadVariableOfProcess(name);
    if (host.has_value()) endpoints.push_back({*host, port});
  }
  const std::string job = step.run.substr(0, step.run.find('.'));
  const int code = RunRemoteWorker(endpoints, {job, secret}, step, timeout);
  return code == kExitUnhealthy ? kExitHealthy : code;
}

struct ConfigText {
  std::string text;
  std::string path;
};

absl::StatusOr<ConfigText> ReadConfig(const Options& options) {
  ConfigText config;
  config.path = options.config_path;
  if (config.path.empty() && access(kSiteConfig, F_OK) == 0) {
    config.path = kSiteConfig;
  }
  if (config.path.empty()) {
    return ConfigText{std::string(DefaultVetConfig()), kBuiltIn};
  }
  ASSIGN_OR_RETURN(config.text, ReadFile(config.path, kMaxYamlBytes + 1));
  return config;
}

absl::StatusOr<VetConfig> Parse(const absl::StatusOr<ConfigText>& config,
                                const Options& options) {
  RETURN_IF_ERROR(config.status());
  return ParseVetConfig(config->text, config->path, options.timeout);
}

void PrintNotes(const VetConfig& config) {
  for (const std::string& note : config.notes) {
    std::fprintf(stderr, "carme vet: %s\n", note.c_str());
  }
}

// vetnode installs the requirements of its evaluations here; Carme has none.
int SetUp(const Options& options) {
  const auto config = ReadConfig(options);
  const auto parsed = Parse(config, options);
  if (!parsed.ok()) {
    PrintError(parsed.status());
    return kExitConfiguration;
  }
  PrintNotes(*parsed);
  std::fprintf(stderr, "carme vet: %s\n",
               FormatMessage(vet_messages::kSetup,
                             {{"path", config->path},
                              {"count", parsed->evaluations.size()}})
                   .c_str());
  return kExitHealthy;
}

int Run(int argc, char** argv) {
  const Options options = ParseOptions(argc, argv);
  if (options.is_setup) return SetUp(options);
  const auto step = ReadSlurmStep(ReadVariableOfProcess);
  if (!step.ok()) {
    PrintError(step.status());
    return kExitInfrastructure;
  }
  if (options.is_worker && step->has_value()) {
    return RunWorkerOfLaunch(**step, options.connect_timeout);
  }
  const bool is_alone =
      !step->has_value() || options.check_config || options.required > 0;
  if (!is_alone && !(*step)->is_first_task) return kExitHealthy;
  const bool is_remote = !is_alone && (*step)->rank > 0;
  const auto config = ReadConfig(options);
  const auto parsed = Parse(config, options);
  // Other nodes need no file, but do not wait for a coordinator that has read
  // the same errors.
  if (!parsed.ok() && (!is_remote || config.ok())) {
    if (!is_remote) PrintError(parsed.status());
    return kExitConfiguration;
  }
  if (is_remote) {
    std::vector<Endpoint> endpoints;
    for (const int port : PortsOfStep((*step)->run)) {
      endpoints.push_back({(*step)->nodes[0], port});
    }
    return RunRemoteWorker(endpoints, {(*step)->run, ""}, **step,
                           options.connect_timeout);
  }
  PrintNotes(*parsed);
  if (options.check_config) return kExitHealthy;
  if (options.required > 0) {
    const auto code = VetAndLaunch(options, config->text, config->path);
    if (code.ok()) return *code;
    PrintError(code.status());
    return ExitCodeOf(code.status());
  }
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  if (options.if_requested) {
    const std::string node = OwnNodeName(host, ReadVariableOfProcess);
    const auto requested = IsRunRequested(node, options);
    if (!requested.ok()) {
      PrintError(requested.status());
      return kExitInfrastructure;
    }
    if (!*requested) {
      if (options.verbose) {
        std::fprintf(
            stderr, "carme vet: %s\n",
            FormatMessage(vet_messages::kNotRequested, {{"node", node}})
                .c_str());
      }
      return kExitHealthy;
    }
  }
  if (step->has_value()) {
    return CoordinateStep(options, config->text, config->path, (*step)->nodes,
                          (*step)->run);
  }
  return CoordinateStep(options, config->text, config->path, {host}, "local");
}

}  // namespace
}  // namespace carme::vet

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  return carme::vet::Run(argc, argv);
}
