#include "slurm-hooks/agent/runtime/batch_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "slurm-hooks/agent/runtime/messages.h"

namespace carme::agent {
namespace {

// As Slurm's max_script_size.
constexpr size_t kMaxScript = 4 << 20;
constexpr size_t kMaxFirstLine = 256;  // as Linux's own
constexpr char kShell[] = "bash";

std::string ValueOf(const std::vector<std::string>& variables,
                    std::string_view name) {
  for (const std::string& entry : variables) {
    if (entry.size() > name.size() && entry.starts_with(name) &&
        entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return "";
}

// "~/…" is relative to the home directory, other paths to the working
// directory.
std::string PathIn(const std::string& path, const std::string& base,
                   const std::string& home) {
  if (path == "~") return home;
  if (path.starts_with("~/")) return absl::StrCat(home, path.substr(1));
  if (path.starts_with("/")) return path;
  return absl::StrCat(base, "/", path);
}

absl::StatusOr<std::string> ReadScript(const std::string& path) {
  const std::string what = absl::StrCat("read script \"", path, "\"");
  // O_NONBLOCK: does not wait for the writer of a FIFO.
  const UniqueFd fd(
      open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return ErrnoError(errno, what);
  }
  if (!S_ISREG(info.st_mode)) {
    return MakeError(agent_runtime_messages::kScriptNotAFile, {{"path", path}});
  }
  std::string text;
  char buffer[16384];
  while (text.size() <= kMaxScript) {
    const ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(errno, what);
    if (got == 0) return text;
    text.append(buffer, static_cast<size_t>(got));
  }
  return MakeError(agent_runtime_messages::kScriptTooLong,
                   {{"path", path}, {"max", kMaxScript}});
}

// "#!/usr/bin/env python3" is the program and one argument with the rest of the
// line, as for execve(2).
absl::StatusOr<std::vector<std::string>> InterpreterOf(
    const std::string& script, const std::string& path) {
  const std::string line =
      script.substr(0, script.find('\n')).substr(0, kMaxFirstLine);
  const absl::Status wrong = MakeError(
      agent_runtime_messages::kScriptWithoutInterpreter, {{"path", path}});
  if (!line.starts_with("#!")) return wrong;
  const std::string rest(absl::StripAsciiWhitespace(line.substr(2)));
  if (rest.empty() || rest[0] != '/' || rest.find('\0') != std::string::npos) {
    return wrong;
  }
  const size_t end = rest.find_first_of(" \t");
  std::vector<std::string> words = {rest.substr(0, end)};
  if (end != std::string::npos) {
    words.emplace_back(absl::StripAsciiWhitespace(rest.substr(end)));
  }
  return words;
}

absl::StatusOr<std::vector<std::string>> CommandOf(
    const BatchPlan& plan, const BatchContext& context) {
  if (plan.script.empty()) {
    return std::vector<std::string>{kShell, "-c", plan.command};
  }
  const std::string path = PathIn(plan.script, context.home, context.home);
  ASSIGN_OR_RETURN(const std::string script, ReadScript(path));
  ASSIGN_OR_RETURN(std::vector<std::string> words, InterpreterOf(script, path));
  // Editors replace files, and shells read scripts while they run.
  const std::string copy = absl::StrCat(context.directory, "/batch_script");
  RETURN_IF_ERROR(WriteFile(copy, script, 0700));
  words.push_back(copy);
  words.insert(words.end(), plan.arguments.begin(), plan.arguments.end());
  return words;
}

absl::StatusOr<OutputFile> OpenOutput(const std::string& path, mode_t umask) {
  OutputFile file;
  file.path = path;
  // The user may want a link or a device here.
  file.fd = UniqueFd(open(path.c_str(),
                          O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NONBLOCK |
                              O_NOCTTY | O_CLOEXEC,
                          0666 & ~umask));
  if (file.fd.valid()) return file;
  return ErrnoError(errno, absl::StrCat("open output file \"", path, "\""));
}

}  // namespace

BatchContext ReadBatchContext(const std::vector<std::string>& variables,
                              const std::string& home,
                              const std::string& directory, mode_t umask) {
  return {.home = home,
          .directory = directory,
          .job = ValueOf(variables, "SLURM_JOB_ID"),
          .array = ValueOf(variables, "SLURM_ARRAY_JOB_ID"),
          .task = ValueOf(variables, "SLURM_ARRAY_TASK_ID"),
          .umask = umask};
}

std::string ExpandOutput(std::string_view text, const BatchContext& context) {
  std::string expanded;
  for (size_t i = 0; i < text.size(); ++i) {
    const char word = text[i] == '%' && i + 1 < text.size() ? text[i + 1] : 0;
    if (word == 'j') {
      expanded += context.job;
    } else if (word == 'A') {
      expanded += context.array.empty() ? context.job : context.array;
    } else if (word == 'a') {
      expanded += context.task;
    } else if (word == '%') {
      expanded += '%';
    } else {
      expanded += text[i];
      continue;
    }
    ++i;
  }
  return expanded;
}

absl::StatusOr<PreparedBatch> PrepareBatch(const BatchPlan& plan,
                                           const BatchContext& context) {
  PreparedBatch batch;
  batch.directory = plan.directory.empty()
                        ? context.home
                        : PathIn(plan.directory, context.home, context.home);
  const UniqueFd there(
      open(batch.directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!there.valid()) {
    return ErrnoError(errno, absl::StrCat("enter working directory \"",
                                          batch.directory, "\""));
  }
  ASSIGN_OR_RETURN(batch.arguments, CommandOf(plan, context));
  const auto path_of = [&](const std::string& name) {
    return PathIn(ExpandOutput(name, context), batch.directory, context.home);
  };
  if (!plan.output.empty()) {
    ASSIGN_OR_RETURN(batch.output,
                     OpenOutput(path_of(plan.output), context.umask));
  }
  batch.together =
      plan.error.empty() ||
      (!plan.output.empty() && path_of(plan.error) == batch.output.path);
  if (batch.together) return batch;
  ASSIGN_OR_RETURN(batch.error, OpenOutput(path_of(plan.error), context.umask));
  return batch;
}

namespace {

constexpr int kPollMs = 50;
// After the program's end: for a slow reader, and other writers.
constexpr int kMaxPolls = 100;
constexpr int64_t kMaxAfterwards = 1 << 20;

}  // namespace

OutputCopy::OutputCopy(net::EventLoop& loop, OutputFile file, int log,
                       JobMetrics* metrics, OnDone on_done)
    : loop_(loop),
      file_(std::move(file)),
      log_(log),
      is_log_only_(!file_.fd.valid()),
      metrics_(metrics),
      on_done_(std::move(on_done)) {}

absl::StatusOr<std::unique_ptr<OutputCopy>> OutputCopy::Start(
    net::EventLoop& loop, OutputFile file, int log, JobMetrics* metrics,
    OnDone on_done) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoError(errno, "make a pipe");
  std::unique_ptr<OutputCopy> copy(
      new OutputCopy(loop, std::move(file), log, metrics, std::move(on_done)));
  copy->source_ = UniqueFd(ends[0]);
  copy->input_ = UniqueFd(ends[1]);
  if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
    return ErrnoError(errno, "read from a pipe without waiting");
  }
  copy->thread_ = std::thread([self = copy.get()] { self->Copy(); });
  return copy;
}

OutputCopy::~OutputCopy() {
  finishing_ = true;
  input_.reset();
  if (thread_.joinable()) thread_.join();
}

// Returns 0 or an errno. While the program runs, waits for the reader of a
// FIFO.
int OutputCopy::WriteAll(int fd, std::string_view bytes) {
  int polls = 0;
  while (!bytes.empty()) {
    const ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put > 0) {
      bytes.remove_prefix(static_cast<size_t>(put));
    } else if (put < 0 && errno == EAGAIN) {
      if (finishing_ && ++polls > kMaxPolls) return ETIMEDOUT;
      pollfd ready = {.fd = fd, .events = POLLOUT, .revents = 0};
      poll(&ready, 1, kPollMs);
    } else if (put == 0 || errno != EINTR) {
      return put == 0 ? EIO : errno;
    }
  }
  return 0;
}

void OutputCopy::Copy() {
  char buffer[64 * 1024];
  int64_t afterwards = 0;
  while (afterwards <= kMaxAfterwards) {
    // Read before the poll, which then sees everything written before the end.
    const bool last = finishing_;
    const ssize_t got = read(source_.get(), buffer, sizeof buffer);
    if (got > 0) {
      Put(buffer, static_cast<size_t>(got));
      if (last) afterwards += got;
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got == 0 || errno != EAGAIN || last) break;
    pollfd ready = {.fd = source_.get(), .events = POLLIN, .revents = 0};
    poll(&ready, 1, kPollMs);
  }
  // Some file systems report errors only here.
  if (file_.fd.valid() && close(file_.fd.release()) != 0 && errno != EINTR &&
      first_error_.ok()) {
    first_error_ =
        ErrnoError(errno, absl::StrCat("write to \"", file_.path, "\""));
  }
  loop_.Post([done = on_done_, error = first_error_] { done(error); });
}

void OutputCopy::Put(const char* bytes, size_t size) {
  if (metrics_ != nullptr) metrics_->AddOutput({bytes, size});
  if (is_log_only_) {
    WriteAll(log_, {bytes, size});
    return;
  }
  if (file_.fd.valid()) {
    const int error = WriteAll(file_.fd.get(), {bytes, size});
    if (error != 0) {
      first_error_ =
          ErrnoError(error, absl::StrCat("write to \"", file_.path, "\""));
      file_.fd.reset();
    }
  }
  const int64_t room = std::max<int64_t>(0, kMaxInLog - logged_);
  if (room == 0) return;
  const size_t part = std::min(size, static_cast<size_t>(room));
  logged_ += static_cast<int64_t>(part);
  if (WriteAll(log_, {bytes, part}) != 0) logged_ = kMaxInLog;
  if (logged_ < kMaxInLog) return;
  WriteAll(log_, "\n[the rest is in the output file alone]\n");
}

BatchRun::BatchRun(net::EventLoop& loop, BatchPlan plan, BatchContext context,
                   JobMetrics* metrics, Owner owner)
    : loop_(loop),
      plan_(std::move(plan)),
      context_(std::move(context)),
      metrics_(metrics),
      owner_(std::move(owner)) {}

BatchRun::~BatchRun() {
  if (preparation_.joinable()) preparation_.join();
}

void BatchRun::Begin() {
  // On a thread: it reads files of the user on slow file systems.
  preparation_ = std::thread([this] {
    auto prepared = std::make_shared<absl::StatusOr<PreparedBatch>>(
        PrepareBatch(plan_, context_));
    loop_.Post([this, prepared] { OnPrepared(std::move(*prepared)); });
  });
}

void BatchRun::OnPrepared(absl::StatusOr<PreparedBatch> prepared) {
  if (stopping_) return;
  const absl::Status started =
      prepared.ok() ? Start(*std::move(prepared)) : prepared.status();
  if (started.ok()) return;
  LogError("batch job not started", {{"error", StatusText(started)}});
  End(1, TextOfStatus(started));
}

absl::StatusOr<int> BatchRun::WriterOf(OutputFile file, int log,
                                       JobMetrics* metrics,
                                       std::unique_ptr<OutputCopy>* copy) {
  if (!file.fd.valid() && metrics == nullptr) return log;
  ASSIGN_OR_RETURN(
      *copy, OutputCopy::Start(
                 loop_, std::move(file), log, metrics,
                 [this](const absl::Status& copied) { OnCopied(copied); }));
  ++copying_;
  return (*copy)->input();
}

absl::Status BatchRun::Start(PreparedBatch batch) {
  carme::node::v1::StartProgram request;
  for (std::string& word : batch.arguments) {
    request.add_arguments(std::move(word));
  }
  request.set_directory(batch.directory);
  request.set_must_enter(true);
  ASSIGN_OR_RETURN(
      const int output,
      WriterOf(std::move(batch.output), STDOUT_FILENO, metrics_, &output_));
  int error = output;
  if (!batch.together) {
    ASSIGN_OR_RETURN(error, WriterOf(std::move(batch.error), STDERR_FILENO,
                                     nullptr, &error_));
  }
  RETURN_IF_ERROR(owner_.start(std::move(request), output, error));
  if (output_ != nullptr) output_->Given();
  if (error_ != nullptr) error_->Given();
  running_ = true;
  return absl::OkStatus();
}

void BatchRun::OnStarted(const carme::node::v1::ProgramStarted& started) {
  if (started.error().empty()) {
    LogInfo("batch job started", {{"pid", started.pid()}});
    return owner_.running();
  }
  running_ = false;
  End(127, started.error());
}

void BatchRun::OnEnded(const carme::node::v1::ProgramEnded& ended) {
  LogInfo("batch job ended",
          {{"exit_code", ended.exit_code()}, {"signal", ended.signal()}});
  running_ = false;
  End(ended.exit_code(),
      stopping_ ? MakeText(agent_runtime_messages::kStopped) : DisplayText());
}

void BatchRun::Stop(int signal) {
  stopping_ = true;
  if (running_) owner_.signal(signal);
}

void BatchRun::End(int exit_code, DisplayText detail) {
  if (std::exchange(ended_, true)) return;
  exit_code_ = exit_code;
  detail_ = std::move(detail);
  for (OutputCopy* copy : {output_.get(), error_.get()}) {
    if (copy == nullptr) continue;
    copy->Given();
    copy->Finish();
  }
  FinishWhenCopied();
}

void BatchRun::OnCopied(const absl::Status& copied) {
  --copying_;
  if (!copied.ok()) {
    LogError("output lost", {{"error", copied.ToString()}});
    lost_ = std::string(copied.message());
  }
  if (ended_) FinishWhenCopied();
}

void BatchRun::FinishWhenCopied() {
  if (copying_ > 0 || std::exchange(exit_reported_, true)) return;
  if (!lost_.empty()) {
    if (exit_code_ == 0) exit_code_ = 1;
    const DisplayText incomplete =
        MakeText(agent_runtime_messages::kOutputIncomplete, {{"cause", lost_}});
    detail_ = detail_.empty() ? incomplete : JoinTexts({detail_, incomplete});
  }
  owner_.over(exit_code_, detail_);
}

}  // namespace carme::agent
