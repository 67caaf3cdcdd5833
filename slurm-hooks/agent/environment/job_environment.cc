#include "slurm-hooks/agent/environment/job_environment.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/environment/app_command.h"
#include "slurm-hooks/agent/environment/edf_environment.h"
#include "slurm-hooks/agent/environment/environment_command.h"
#include "slurm-hooks/agent/environment/image_copy.h"
#include "slurm-hooks/agent/environment/image_digest.h"
#include "slurm-hooks/agent/environment/messages.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "slurm-hooks/agent/job/messages.h"

namespace carme::agent {
namespace {

// Prefix of the errors of the plugin of `srun --environment`.
constexpr char kRefusalMark[] = "--environment: ";

std::string DigestCache(const std::string& home) {
  const std::string directory = absl::StrCat(home, "/.cache");
  // If it cannot be created, nothing is cached.
  mkdir(directory.c_str(), 0700);
  mkdir(absl::StrCat(directory, "/carme").c_str(), 0700);
  return absl::StrCat(directory, "/carme/digests");
}

}  // namespace

JobEnvironment::JobEnvironment(net::EventLoop& loop, const Clock& clock,
                               const JobFacts& facts,
                               const EnvironmentPlan& plan, Owner owner)
    : loop_(loop),
      clock_(clock),
      opened_(clock.Now()),
      facts_(facts),
      plan_(plan),
      owner_(std::move(owner)) {}

JobEnvironment::~JobEnvironment() {
  if (preparation_.joinable()) preparation_.join();
  init_.reset();  // carme-init ends everything when it disconnects
  if (process_.has_value()) process_->Signal(SIGKILL);
}

void JobEnvironment::Open() {
  if (plan_.runtime == v1::RUNTIME_NONE) return OnPrepared(absl::OkStatus());
  // On a thread: it may read the whole image and files of the user on slow file
  // systems.
  preparation_ = std::thread([this] {
    const absl::Status prepared = Prepare();
    loop_.Post([this, prepared] { OnPrepared(prepared); });
  });
}

absl::Status JobEnvironment::Prepare() const {
  const std::string cache = DigestCache(facts_.account.home);
  if (plan_.runtime == v1::RUNTIME_EDF) {
    return WriteJobEdf(plan_, facts_.environment, facts_.variables, cache);
  }
  if (plan_.store_uid) {
    RETURN_IF_ERROR(CheckStored(plan_.image, *plan_.store_uid));
  }
  return plan_.image_is_anothers
             ? CopyCheckedImage(plan_.image, plan_.image_size, plan_.sha256,
                                OwnImage())
             : CheckImageDigest(plan_.image, plan_.sha256, cache);
}

// Without a directory on the disk this fails with a message.
std::string JobEnvironment::OwnImage() const {
  return absl::StrCat(facts_.environment.scratch, "/image.sif");
}

void JobEnvironment::OnPrepared(const absl::Status& status) {
  if (ending_) return;
  const absl::Status entered = status.ok() ? Enter() : status;
  if (!entered.ok()) {
    LogError("environment not entered", {{"error", StatusText(entered)}});
    Fail(1, TextOfStatus(entered));
  }
}

absl::Status JobEnvironment::Enter() {
  const std::string socket =
      absl::StrCat(facts_.environment.directory, "/init.sock");
  ASSIGN_OR_RETURN(
      init_, InitLink::Listen(
                 loop_, socket, [this](const auto& event) { OnEvent(event); },
                 // The process that created the environment ends a moment
                 // later, and its exit code shows the cause.
                 [this] { entered_ = false; }));
  EnvironmentPlan plan = plan_;
  if (plan.image_is_anothers) plan.image = OwnImage();
  ASSIGN_OR_RETURN(const std::vector<std::string> command,
                   EnvironmentCommand(plan, facts_.environment, socket));
  // Standard input and output of this process may belong to another protocol,
  // as in a node agent.
  const UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing.valid()) return ErrnoError(errno, "open \"/dev/null\"");
  ASSIGN_OR_RETURN(process_, node::ChildProcess::Start(
                                 {.arguments = command,
                                  .environment = RuntimeEnvironment(
                                      plan_, facts_.variables, facts_.account,
                                      facts_.environment.directory),
                                  .directory = "/",
                                  .umask = facts_.umask,
                                  .input = nothing.get(),
                                  .output = STDERR_FILENO}));
  return absl::OkStatus();
}

void JobEnvironment::OnEvent(const carme::node::v1::InitEvent& event) {
  if (event.has_ready()) {
    return OnEntered();
  }
  const uint64_t id =
      event.has_started() ? event.started().id() : event.ended().id();
  if (id < kFirstOwnId) {
    if (event.has_started()) owner_.started(event.started());
    if (event.has_ended()) owner_.ended(event.ended());
    return;
  }
  const bool over = event.has_ended() ||
                    (event.has_started() && !event.started().error().empty());
  const auto found = own_.find(id);
  if (!over || found == own_.end()) return;
  const OnEnd on_end = std::move(found->second);
  own_.erase(found);
  on_end(event.has_ended() ? event.ended().exit_code() : 127,
         event.started().error());
}

void JobEnvironment::OnEntered() {
  entered_ = true;
  LogInfo("environment entered",
          {{"image", plan_.name},
           {"after_ms", absl::ToInt64Milliseconds(clock_.Now() - opened_)}});
  if (plan_.runtime == v1::RUNTIME_EDF) {
    const absl::Status written =
        WriteFile(EnvironmentPidFile(facts_.environment),
                  absl::StrCat(init_->pid(), "\n"), 0600);
    if (!written.ok()) return Fail(1, TextOfStatus(written));
  }
  owner_.entered();
}

absl::Status JobEnvironment::Start(carme::node::v1::StartProgram request,
                                   int input, int output, int error) {
  if (!entered_) return MakeError(agent_environment_messages::kNotRunning);
  return init_->Start(std::move(request), input, output, error);
}

absl::Status JobEnvironment::Run(carme::node::v1::StartProgram request,
                                 int input, int output, int error,
                                 OnEnd on_end) {
  const uint64_t id = ++last_own_id_;
  request.set_id(id);
  RETURN_IF_ERROR(Start(std::move(request), input, output, error));
  own_[id] = std::move(on_end);
  return absl::OkStatus();
}

absl::Status JobEnvironment::Signal(uint64_t id, int number) {
  if (!entered_) return MakeError(agent_environment_messages::kNotRunning);
  return init_->Signal(id, number);
}

void JobEnvironment::OnChild() {
  if (!process_.has_value() || failed_) return;
  const std::optional<node::ProcessEnd> end = process_->TakeEnd();
  if (!end.has_value() || ending_) return;
  DisplayText detail = MakeText(agent_environment_messages::kEnded,
                                {{"exit_code", end->exit_code}});
  // Later lines of srun only say that the step has failed.
  const std::string line =
      ReadLastCause(plan_.runtime == v1::RUNTIME_EDF ? kRefusalMark : "",
                    STDERR_FILENO, facts_.environment.scratch);
  if (!line.empty()) {
    detail = MakeText(agent_job_messages::kWithLastLine,
                      {{"end", detail}, {"line", line}});
  }
  Fail(end->exit_code == 0 ? 1 : end->exit_code, detail);
}

void JobEnvironment::Fail(int exit_code, const DisplayText& detail) {
  if (std::exchange(failed_, true)) return;
  owner_.failed(exit_code, detail);
}

}  // namespace carme::agent
