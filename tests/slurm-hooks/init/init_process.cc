#include "tests/slurm-hooks/init/init_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "slurm-hooks/process/packet_socket.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::node {
namespace {

const int kWaitTimeoutMs =
    static_cast<int>(testing::kWaitTimeout / absl::Milliseconds(1));

bool Readable(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  return poll(&waiting, 1, kWaitTimeoutMs) == 1;
}

}  // namespace

InitProcess::InitProcess() {
  char name[] = "/tmp/carme-init.XXXXXX";
  directory_ = mkdtemp(name);
  output_.reset(open((directory_ + "/output").c_str(),
                     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::string socket = directory_ + "/init.sock";
  const auto listener = ListenForPackets(socket);
  REQUIRE_THAT(listener, IsOk());
  auto started = ChildProcess::Start(
      {.arguments = {CARME_INIT, "--socket", socket},
       .environment = {"PATH=/usr/bin:/bin", "FROM_IMAGE=yes",
                       "PS1=Apptainer> ",
                       "PROMPT_COMMAND=PS1=\"Apptainer> \"; unset "
                       "PROMPT_COMMAND"},
       .directory = "/"});
  REQUIRE_THAT(started, IsOk());
  process_ = *started;
  REQUIRE(Readable(listener->get()));
  connection_.reset(accept4(listener->get(), nullptr, nullptr, SOCK_CLOEXEC));
  const auto ready = Next();
  REQUIRE(ready.has_value());
  REQUIRE(ready->ready().protocol() == 1);
}

InitProcess::~InitProcess() {
  HangUp();
  if (!AwaitEnd().has_value()) process_->Signal(SIGKILL);
  std::filesystem::remove_all(directory_);
}

v1::ProgramStarted InitProcess::Start(uint64_t id,
                                      const std::vector<std::string>& command) {
  v1::StartProgram request;
  request.set_id(id);
  for (const std::string& word : command) request.add_arguments(word);
  return Start(request);
}

v1::ProgramStarted InitProcess::Start(v1::StartProgram start) {
  v1::InitRequest request;
  start.set_umask(077);
  if (start.directory().empty()) start.set_directory(directory_);
  *request.mutable_start() = std::move(start);
  REQUIRE_THAT(SendPacket(connection_.get(), request.SerializeAsString(),
                          {output_.get(), output_.get()}),
               IsOk());
  const auto event = Next();
  REQUIRE(event.has_value());
  REQUIRE(event->has_started());
  return event->started();
}

void InitProcess::Signal(uint64_t id, int number) {
  v1::InitRequest request;
  request.mutable_signal()->set_id(id);
  request.mutable_signal()->set_number(number);
  SendBytes(request.SerializeAsString());
}

void InitProcess::SendBytes(const std::string& bytes) {
  REQUIRE_THAT(SendPacket(connection_.get(), bytes, {}), IsOk());
}

std::optional<v1::InitEvent> InitProcess::Next() {
  if (!Readable(connection_.get())) return std::nullopt;
  const auto packet = ReceivePacket(connection_.get());
  v1::InitEvent event;
  if (!packet.ok() || !packet->has_value() ||
      !event.ParseFromString((*packet)->bytes)) {
    return std::nullopt;
  }
  return event;
}

std::optional<ProcessEnd> InitProcess::AwaitEnd() {
  const absl::Time deadline = absl::Now() + testing::kWaitTimeout;
  std::optional<ProcessEnd> end;
  while (!(end = process_->TakeEnd()).has_value() && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(5));
  }
  return end;
}

std::string InitProcess::Output() const {
  std::ifstream file(directory_ + "/output");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace carme::node
