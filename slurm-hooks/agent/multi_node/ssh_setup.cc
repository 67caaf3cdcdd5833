#include "slurm-hooks/agent/multi_node/ssh_setup.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/listen.h"
#include "common/log.h"
#include "common/printable.h"
#include "common/status.h"
#include "slurm-hooks/agent/environment/app_command.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/multi_node/messages.h"
#include "slurm-hooks/nodes/linked_jobs.h"
#include "slurm-hooks/nodes/node_list.h"
#include "slurm-hooks/nodes/shared_files.h"
#include "slurm-hooks/nodes/ssh_files.h"

namespace carme::agent {
namespace {

constexpr size_t kMaxOutputBytes = 1 << 20;
constexpr size_t kMaxReason = 160;
// LoginGraceTime of sshd: it closes unauthenticated connections by then.
constexpr absl::Duration kGrace = absl::Seconds(25);
constexpr char kSshd[] = "/usr/sbin/sshd";
constexpr char kSshLog[] = "sshd";
constexpr char kNodeIdVariable[] = "SLURM_NODEID=";

// What each session has of its own.
bool OfSession(const std::string& entry) {
  for (const char* name : {"HOME=", "USER=", "LOGNAME=", "SHELL=", "PWD=",
                           "OLDPWD=", "SHLVL=", "_=", "TERM=", "MAIL="}) {
    if (entry.starts_with(name)) return true;
  }
  return false;
}

absl::StatusOr<UniqueFd> NewMemory() {
  UniqueFd fd(memfd_create("carme", MFD_CLOEXEC));
  if (!fd.valid()) return ErrnoError(errno, "make a file in memory");
  return fd;
}

std::string ContentOf(int fd) {
  std::string content;
  std::array<char, 16384> buffer;
  ssize_t got = 0;
  while (content.size() < kMaxOutputBytes &&
         (got = pread(fd, buffer.data(), buffer.size(),
                      static_cast<off_t>(content.size()))) > 0) {
    content.append(buffer.data(), static_cast<size_t>(got));
  }
  return content;
}

std::string LastLine(const std::string& text) {
  std::string last;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!line.empty()) last = std::string(line);
  }
  return PlainText(last, kMaxReason);
}

std::string VariableOf(const JobFacts& facts, const std::string& name) {
  for (const std::string& entry : facts.variables) {
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  }
  return "";
}

// The job's variables, and the number of this node, after nodes were returned.
std::vector<std::string> JobVariables(const std::vector<std::string>& variables,
                                      const std::vector<std::string>& nodes,
                                      const std::string& own_name) {
  std::vector<std::string> result = node::VariablesWithNodes(variables, nodes);
  if (result == variables) return result;
  const auto place = std::find(nodes.begin(), nodes.end(), own_name);
  for (std::string& entry : result) {
    if (entry.starts_with(kNodeIdVariable)) {
      entry = absl::StrCat(kNodeIdVariable, place - nodes.begin());
    }
  }
  return result;
}

}  // namespace

node::v1::JobNode DescribeOwnNode(const JobFacts& facts) {
  node::v1::JobNode node;
  node.set_name(VariableOf(facts, "SLURMD_NODENAME"));
  if (node.name().empty()) {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    node.set_name(name.data());
  }
  node.set_address(facts.address);
  uint32_t cpus = 0;
  if (absl::SimpleAtoi(VariableOf(facts, "SLURM_CPUS_ON_NODE"), &cpus)) {
    node.set_cpus(cpus);
  }
  std::string gpus = VariableOf(facts, "SLURM_JOB_GPUS");
  if (gpus.empty()) gpus = VariableOf(facts, "SLURM_STEP_GPUS");
  if (!gpus.empty()) {
    node.set_gpus(
        static_cast<uint32_t>(std::count(gpus.begin(), gpus.end(), ',') + 1));
  }
  node.set_gpu_list(std::move(gpus));
  return node;
}

NodeSshSetup::NodeSshSetup(net::EventLoop& loop, JobEnvironment& environment,
                           const JobFacts& facts, const EnvironmentPlan& plan,
                           JobId job)
    : loop_(loop),
      environment_(environment),
      facts_(facts),
      plan_(plan),
      job_(std::move(job)),
      job_variables_(facts.variables) {}

NodeSshSetup::~NodeSshSetup() = default;

std::string NodeSshSetup::programs() const {
  return absl::StrCat(ProgramsIn(plan_, facts_.environment), "/bin");
}

absl::Status NodeSshSetup::Prepare(const node::v1::SshKeys& keys) {
  const std::string& directory = facts_.environment.directory;
  RETURN_IF_ERROR(node::WriteSshKeys(directory, keys));
  RETURN_IF_ERROR(node::WriteInPlace(node::SshHostsPath(directory), ""));
  RETURN_IF_ERROR(node::WriteInPlace(node::SshConfigPath(directory),
                                     node::SshConfigText(directory)));
  RETURN_IF_ERROR(node::WriteInPlace(node::EnvFilePath(directory), ""));
  RETURN_IF_ERROR(node::WriteInPlace(node::GroupFilePath(directory),
                                     node::OwnGroupsText()));
  keys_.emplace();
  keys_->set_host_public(keys.host_public());
  keys_->set_user_public(keys.user_public());
  return absl::OkStatus();
}

node::v1::StartProgram NodeSshSetup::NewStartRequest(
    std::vector<std::string> arguments) const {
  node::v1::StartProgram request;
  for (std::string& word : arguments) request.add_arguments(std::move(word));
  for (std::string& entry : AppEnvironment(
           plan_, {}, job_variables_, facts_.account, facts_.environment)) {
    request.add_environment(std::move(entry));
  }
  request.set_directory(facts_.account.home);
  request.set_umask(facts_.umask);
  request.set_path_prefix(programs());
  return request;
}

void NodeSshSetup::Probe(OnProbed on_probed) {
  on_probed_ = std::move(on_probed);
  const absl::Status begun =
      ReadEnvironment([this](int exit_code, const std::string& error) {
        for (const absl::string_view entry : absl::StrSplit(
                 ContentOf(output_.get()), '\0', absl::SkipEmpty())) {
          inner_variables_.emplace_back(entry);
        }
        absl::Status tried =
            MakePlainError(agent_multi_node_messages::kVariablesUnreadable,
                           {{"cause", error}, {"exit_code", exit_code}});
        if (exit_code == 0 && !inner_variables_.empty()) {
          tried = CheckSshd([this](int code, const std::string& why) {
            if (code != 0) {
              return FinishProbe(
                  why.empty() ? LastLine(ContentOf(output_.get())) : why);
            }
            const absl::Status listens = Listen();
            FinishProbe(listens.ok() ? "" : std::string(listens.message()));
          });
        }
        if (!tried.ok()) FinishProbe(std::string(tried.message()));
      });
  if (!begun.ok()) FinishProbe(std::string(begun.message()));
}

absl::Status NodeSshSetup::ReadEnvironment(JobEnvironment::OnEnd on_end) {
  ASSIGN_OR_RETURN(output_, NewMemory());
  const std::string self =
      absl::StrCat(ProgramsIn(plan_, facts_.environment), "/carme-init");
  return environment_.Run(NewStartRequest({self, "--print-environment"}), -1,
                          output_.get(), STDERR_FILENO, std::move(on_end));
}

absl::Status NodeSshSetup::CheckSshd(JobEnvironment::OnEnd on_end) {
  RETURN_IF_ERROR(WriteSshdConfig());
  ASSIGN_OR_RETURN(output_, NewMemory());
  return environment_.Run(
      NewStartRequest({kSshd, "-t", "-f",
                       node::SshdConfigPath(facts_.environment.directory)}),
      -1, output_.get(), output_.get(), std::move(on_end));
}

absl::Status NodeSshSetup::WriteSshdConfig() const {
  Variables values;
  for (const std::string& entry : inner_variables_) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos || OfSession(entry)) continue;
    values[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  for (const auto& [name, value] : variables_) values[name] = value;
  std::vector<std::string> entries;
  for (const auto& [name, value] : values) {
    entries.push_back(absl::StrCat(name, "=", value));
  }
  const std::string& directory = facts_.environment.directory;
  return node::WriteInPlace(node::SshdConfigPath(directory),
                            node::SshdConfigText(directory, entries));
}

absl::Status NodeSshSetup::Listen() {
  ASSIGN_OR_RETURN(const net::Address any,
                   net::Address::FromIp(facts_.address, 0));
  ASSIGN_OR_RETURN(listening_, ListenTcp(any.ToString()));
  ASSIGN_OR_RETURN(const int port, PortOf(listening_.get()));
  ASSIGN_OR_RETURN(
      listener_,
      net::Listener::Create(loop_, listening_.get(),
                            [this](UniqueFd fd, const net::Address& peer) {
                              Accept(std::move(fd), peer);
                            }));
  ssh_port_ = static_cast<uint32_t>(port);
  return absl::OkStatus();
}

void NodeSshSetup::Accept(UniqueFd connection, const net::Address& peer) {
  if (addresses_.count(peer.Ip()) == 0 ||
      unauthenticated_ >= kMaxUnauthenticated)
    return;
  const auto log = OpenAppLog(AppLogPath(facts_.account.home, job_, kSshLog));
  if (!log.ok()) return;
  const auto unauthenticated = std::make_shared<bool>(true);
  const absl::Status started = environment_.Run(
      NewStartRequest({kSshd, "-i", "-e", "-f",
                       node::SshdConfigPath(facts_.environment.directory)}),
      connection.get(), connection.get(), log->get(),
      [this, unauthenticated](int, const std::string&) {
        MarkAuthenticated(unauthenticated.get());
      });
  if (!started.ok()) {
    LogWarning("sshd is not started", {{"error", started.ToString()}});
    return;
  }
  ++unauthenticated_;
  loop_.Spawn(ExpireUnauthenticated(unauthenticated));
}

void NodeSshSetup::MarkAuthenticated(bool* unauthenticated) {
  if (std::exchange(*unauthenticated, false)) --unauthenticated_;
}

net::Task<void> NodeSshSetup::ExpireUnauthenticated(
    std::shared_ptr<bool> unauthenticated) {
  const int error = co_await net::Sleep(loop_, kGrace);
  if (error == 0) MarkAuthenticated(unauthenticated.get());
}

void NodeSshSetup::FinishProbe(const std::string& why_not) {
  if (!on_probed_) return;
  if (!why_not.empty()) {
    LogWarning("no ssh into this node", {{"reason", why_not}});
  }
  const OnProbed on_probed = std::exchange(on_probed_, nullptr);
  on_probed(ssh_port_, why_not);
}

absl::Status NodeSshSetup::Configure(const node::v1::NodeList& list) {
  RETURN_IF_ERROR(node::CheckNodeList(list));
  const std::string own_name = DescribeOwnNode(facts_).name();
  ASSIGN_OR_RETURN(const uint32_t rank, node::RankOfOwnNode(list, own_name));
  job_variables_ =
      JobVariables(facts_.variables, node::OwnNodeNames(list), own_name);
  const std::string& directory = facts_.environment.directory;
  addresses_.clear();
  for (const node::v1::JobNode& node : list.nodes()) {
    addresses_.insert(node.address());
  }
  variables_ = node::NodeVariables(list, rank, directory);
  Variables exported = variables_;
  for (const std::string& entry : AppEnvironment(
           plan_, {}, job_variables_, facts_.account, facts_.environment)) {
    const size_t equals = entry.find('=');
    if (!OfSession(entry)) {
      exported.try_emplace(entry.substr(0, equals), entry.substr(equals + 1));
    }
  }
  RETURN_IF_ERROR(node::WriteInPlace(node::HostfilePath(directory),
                                     node::HostfileText(list)));
  RETURN_IF_ERROR(node::WriteInPlace(node::MachinefilePath(directory),
                                     node::MachinefileText(list)));
  if (keys_.has_value()) {
    RETURN_IF_ERROR(node::WriteSshTrust(directory, list, *keys_));
    RETURN_IF_ERROR(node::WriteInPlace(
        node::SshHostsPath(directory),
        node::SshHostsText(list, directory, facts_.account.name)));
  }
  if (ssh_port_ != 0) RETURN_IF_ERROR(WriteSshdConfig());
  return node::WriteInPlace(node::EnvFilePath(directory),
                            node::EnvFileText(exported, programs()));
}

}  // namespace carme::agent
