#include "slurm-hooks/agent/multi_node/step_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/agent/environment/edf_environment.h"
#include "slurm-hooks/agent/multi_node/messages.h"
#include "slurm-hooks/spank/running_environment.h"
#include "slurm-hooks/srun/srun_options.h"

namespace carme::agent {
namespace {

// One environment variable of a process may have 128 KiB (MAX_ARG_STRLEN).
constexpr size_t kMaxContextBytes = 90 << 10;

bool IsOwn(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == getuid();
}

absl::StatusOr<UniqueFd> OpenOf(pid_t pid, const char* what, int flags) {
  const std::string path = absl::StrCat("/proc/", pid, "/", what);
  UniqueFd fd(open(path.c_str(), flags | O_CLOEXEC));
  if (!fd.valid())
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  return fd;
}

}  // namespace

std::string StepSocketPath(const std::string& directory) {
  return absl::StrCat(directory, "/step.sock");
}

class StepServer::Client : private net::EventSource {
 public:
  static absl::StatusOr<std::unique_ptr<Client>> Create(StepServer& server,
                                                        UniqueFd connection) {
    std::unique_ptr<Client> client(new Client(server, std::move(connection)));
    RETURN_IF_ERROR(
        server.loop_.Add(client->connection_.get(), EPOLLIN, client.get()));
    return client;
  }
  ~Client() override {
    server_.loop_.Remove(connection_.get(), this);
    // srun ends its step on SIGTERM.
    if (srun_.has_value() && !srun_->TakeEnd().has_value()) {
      srun_->Signal(SIGTERM);
    }
  }

  int connection() const { return connection_.get(); }
  std::optional<node::ChildProcess>& srun() { return srun_; }

  void Send(const node::v1::StepResponse& response) const {
    const absl::Status sent =
        node::SendPacket(connection_.get(), response.SerializeAsString(), {});
    if (!sent.ok()) LogWarning("caller of srun disconnected");
  }

 private:
  Client(StepServer& server, UniqueFd connection)
      : server_(server), connection_(std::move(connection)) {}
  void OnEvents(uint32_t) override {
    if (!server_.OnReadable(this)) server_.Remove(this);
  }
  void OnStop() override {}

  StepServer& server_;
  const UniqueFd connection_;
  std::optional<node::ChildProcess> srun_;
};

StepServer::StepServer(net::EventLoop& loop, const JobEnvironment& environment,
                       const JobFacts& facts, const EnvironmentPlan& plan,
                       const NodeSshSetup& ssh)
    : loop_(loop),
      environment_(environment),
      facts_(facts),
      plan_(plan),
      ssh_(ssh) {}

StepServer::~StepServer() {
  clients_.clear();
  loop_.Remove(listener_.get(), this);
}

absl::StatusOr<std::unique_ptr<StepServer>> StepServer::Create(
    net::EventLoop& loop, const JobEnvironment& environment,
    const JobFacts& facts, const EnvironmentPlan& plan,
    const NodeSshSetup& ssh) {
  std::unique_ptr<StepServer> server(
      new StepServer(loop, environment, facts, plan, ssh));
  ASSIGN_OR_RETURN(
      server->listener_,
      node::ListenForPackets(StepSocketPath(facts.environment.directory)));
  // Level-triggered: one connection is accepted per event.
  RETURN_IF_ERROR(loop.Add(server->listener_.get(), EPOLLIN, server.get()));
  return server;
}

void StepServer::OnEvents(uint32_t) {
  UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection.valid() || !IsOwn(connection.get()) ||
      clients_.size() >= kMaxClients) {
    return;
  }
  auto client = Client::Create(*this, std::move(connection));
  if (client.ok()) clients_.push_back(*std::move(client));
}

void StepServer::Remove(Client* client) {
  clients_.remove_if([&](const auto& one) { return one.get() == client; });
}

bool StepServer::OnReadable(Client* client) {
  const auto packet = node::ReceivePacket(client->connection());
  node::v1::StepRequest request;
  if (!packet.ok() || !packet->has_value() ||
      !request.ParseFromString((*packet)->bytes)) {
    return false;
  }
  absl::Status done;
  if (request.has_join()) {
    done = ReplyJoin(client->connection());
  } else if (request.has_run() && !client->srun().has_value()) {
    auto srun = Run(request.run(), **packet);
    done = srun.status();
    if (srun.ok()) client->srun() = *std::move(srun);
  } else if (client->srun().has_value()) {
    client->srun()->Signal(request.signal());
  }
  if (done.ok()) return true;
  node::v1::StepResponse response;
  response.set_error(std::string(done.message()));
  client->Send(response);
  return false;
}

absl::StatusOr<node::ChildProcess> StepServer::Run(
    const node::v1::RunStep& run, const node::Packet& packet) const {
  if (packet.descriptors.size() != 3) {
    return MakePlainError(agent_multi_node_messages::kStreamsMissing);
  }
  ASSIGN_OR_RETURN(
      node::SrunCall call,
      node::ReadSrunCall({run.arguments().begin(), run.arguments().end()}));
  node::v1::TaskContext context = run.context();
  if (!call.directory.empty()) context.set_directory(call.directory);
  const std::string bytes = context.SerializeAsString();
  if (bytes.size() > kMaxContextBytes) {
    return MakePlainError(agent_multi_node_messages::kVariablesTooLong,
                          {{"bytes", bytes.size()}, {"max", kMaxContextBytes}});
  }
  std::vector<std::string> command = {facts_.environment.srun, "--chdir=/",
                                      "--export=ALL"};
  std::vector<std::string> variables = ssh_.job_variables();
  variables.push_back(
      absl::StrCat("CARME_TASK_CONTEXT=", absl::Base64Escape(bytes)));
  if (call.chooses_mpi) variables.push_back("CARME_TASK_MPI_CHOSEN=1");
  // A task joins mounts that root has made before it drops its rights.
  const bool made_by_root = plan_.runtime == v1::RUNTIME_EDF;
  if (made_by_root) {
    command.push_back("--environment=");
    variables.push_back(absl::StrCat(kJoinVariable, "=",
                                     EnvironmentPidFile(facts_.environment)));
  }
  command.insert(command.end(), call.options.begin(), call.options.end());
  command.push_back(absl::StrCat(made_by_root
                                     ? ProgramsIn(plan_, facts_.environment)
                                     : facts_.environment.programs,
                                 "/carme-join"));
  command.push_back(StepSocketPath(facts_.environment.directory));
  command.insert(command.end(), call.program.begin(), call.program.end());
  return node::ChildProcess::Start({.arguments = std::move(command),
                                    .environment = std::move(variables),
                                    .directory = "/",
                                    .umask = facts_.umask,
                                    .input = packet.descriptors[0].get(),
                                    .output = packet.descriptors[1].get(),
                                    .error = packet.descriptors[2].get()});
}

absl::Status StepServer::ReplyJoin(int connection) const {
  node::v1::StepResponse response;
  node::v1::JoinReply& reply = *response.mutable_join();
  for (const auto& [name, value] : ssh_.variables()) {
    reply.add_environment(absl::StrCat(name, "=", value));
  }
  std::vector<UniqueFd> descriptors;
  if (plan_.runtime == v1::RUNTIME_APPTAINER) {
    const pid_t pid = environment_.init_pid();
    if (pid <= 0) {
      return MakePlainError(agent_multi_node_messages::kEnvironmentNotRunning);
    }
    for (const char* what : {"ns/user", "ns/mnt", "ns/pid", "ns/ipc"}) {
      ASSIGN_OR_RETURN(UniqueFd fd, OpenOf(pid, what, O_RDONLY));
      descriptors.push_back(std::move(fd));
    }
    ASSIGN_OR_RETURN(UniqueFd root, OpenOf(pid, "root", O_PATH | O_DIRECTORY));
    descriptors.push_back(std::move(root));
  }
  std::vector<int> numbers;
  for (const UniqueFd& fd : descriptors) numbers.push_back(fd.get());
  return node::SendPacket(connection, response.SerializeAsString(), numbers);
}

void StepServer::OnChild() {
  std::vector<Client*> over;
  for (const auto& client : clients_) {
    if (!client->srun().has_value()) continue;
    const auto end = client->srun()->TakeEnd();
    if (!end.has_value()) continue;
    node::v1::StepResponse response;
    response.set_exit_code(end->exit_code);
    client->Send(response);
    over.push_back(client.get());
  }
  for (Client* client : over) Remove(client);
}

}  // namespace carme::agent
