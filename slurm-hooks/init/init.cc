#include "slurm-hooks/init/init.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"
#include "slurm-hooks/child_process/child_process.h"

namespace carme::node {
namespace {

constexpr uint32_t kProtocol = 1;

// Apptainer sets "Apptainer> " as the prompt, and PROMPT_COMMAND to overwrite
// the one of the user's profile by it. A prompt that the image sets stays.
void RemoveApptainerPrompt(std::map<std::string, std::string>* values) {
  const auto remove = [values](const char* name, const char* value) {
    const auto found = values->find(name);
    if (found != values->end() && found->second == value) values->erase(found);
  };
  remove("PS1", "Apptainer> ");
  remove("PROMPT_COMMAND", "PS1=\"Apptainer> \"; unset PROMPT_COMMAND");
}

// The environment's own variables, overridden by those of the request.
std::vector<std::string> Merge(const v1::StartProgram& request) {
  std::map<std::string, std::string> values;
  const auto take = [&values](const std::string& entry) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) return;
    values[entry.substr(0, equals)] = entry.substr(equals + 1);
  };
  for (char** entry = environ; *entry != nullptr; ++entry) take(*entry);
  RemoveApptainerPrompt(&values);
  for (const std::string& entry : request.environment()) take(entry);
  if (!request.path_prefix().empty()) {
    std::string& path = values["PATH"];
    path = absl::StrCat(request.path_prefix(), path.empty() ? "" : ":", path);
  }
  std::vector<std::string> merged;
  for (const auto& [name, value] : values) {
    merged.push_back(absl::StrCat(name, "=", value));
  }
  return merged;
}

std::vector<std::string> CommandOf(const v1::StartProgram& request,
                                   const std::string& self) {
  std::vector<std::string> command;
  if (request.private_port() != 0) {
    command = {self,
               "--bridge",
               request.bridge_socket(),
               "--port",
               absl::StrCat(request.private_port()),
               "--"};
  }
  command.insert(command.end(), request.arguments().begin(),
                 request.arguments().end());
  return command;
}

}  // namespace

Init::Init(net::EventLoop& loop, UniqueFd agent, std::string self)
    : loop_(loop), agent_(std::move(agent)), self_(std::move(self)) {}

Init::~Init() {
  loop_.Remove(agent_.get(), this);
  children_.KillAll();
}

absl::StatusOr<std::unique_ptr<Init>> Init::Create(net::EventLoop& loop,
                                                   UniqueFd agent,
                                                   std::string self) {
  RETURN_IF_ERROR(Children::Adopt());
  std::unique_ptr<Init> init(new Init(loop, std::move(agent), std::move(self)));
  // Level-triggered: one packet is read per event.
  RETURN_IF_ERROR(loop.Add(init->agent_.get(), EPOLLIN, init.get()));
  v1::InitEvent ready;
  ready.mutable_ready()->set_protocol(kProtocol);
  init->Send(ready);
  return init;
}

void Init::OnEvents(uint32_t) {
  const absl::StatusOr<std::optional<Packet>> packet =
      ReceivePacket(agent_.get());
  if (!packet.ok()) {
    LogError("request from agent unreadable",
             {{"error", packet.status().ToString()}});
    return loop_.Stop();
  }
  if (!packet->has_value()) return loop_.Stop();
  Handle(**packet);
}

void Init::Handle(const Packet& packet) {
  v1::InitRequest request;
  if (!request.ParseFromString(packet.bytes)) {
    LogError("request from agent malformed", {{"bytes", packet.bytes.size()}});
    return loop_.Stop();
  }
  if (request.has_start()) return Start(request.start(), packet);
  if (request.has_signal()) {
    children_.Signal(request.signal().id(), request.signal().number());
  }
}

void Init::Start(const v1::StartProgram& request, const Packet& packet) {
  v1::InitEvent event;
  v1::ProgramStarted& started = *event.mutable_started();
  started.set_id(request.id());
  const size_t given = packet.descriptors.size();
  if (given != 2 && given != 3) {
    started.set_error(absl::StrCat("the request has ", given,
                                   " descriptors: expected 2 or 3"));
    return Send(event);
  }
  const absl::StatusOr<pid_t> pid = children_.Start(
      request.id(), {.arguments = CommandOf(request, self_),
                     .environment = Merge(request),
                     .directory = request.directory(),
                     .must_enter = request.must_enter(),
                     .umask = request.umask() & 0777,
                     .input = given == 3 ? packet.descriptors[2].get() : -1,
                     .output = packet.descriptors[0].get(),
                     .error = packet.descriptors[1].get()});
  if (pid.ok()) {
    started.set_pid(*pid);
  } else {
    started.set_error(std::string(pid.status().message()));
  }
  Send(event);
}

void Init::OnChildren() {
  for (const Children::End& end : children_.TakeEnds()) {
    v1::InitEvent event;
    event.mutable_ended()->set_id(end.id);
    event.mutable_ended()->set_exit_code(end.how.exit_code);
    event.mutable_ended()->set_signal(end.how.signal);
    Send(event);
  }
}

void Init::Send(const v1::InitEvent& event) {
  const absl::Status sent =
      SendPacket(agent_.get(), event.SerializeAsString(), {});
  if (sent.ok()) return;
  LogWarning("event not sent to agent", {{"error", sent.ToString()}});
  loop_.Stop();
}

}  // namespace carme::node
