#include "slurm-hooks/shell/terminals.h"

#include <sys/wait.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/child_process/child_process.h"
#include "slurm-hooks/shell/messages.h"
#include "slurm-hooks/web_app/json.h"

namespace carme::shell {
namespace {

constexpr size_t kMaxRunning = 16;
constexpr size_t kMaxEnded = 4;

bool Runs(const std::shared_ptr<Terminal>& terminal) {
  return !terminal->exit_code().has_value();
}

bool Saw(const TerminalTarget& target, const Terminal& terminal) {
  return target.from.has_value() && *target.from >= terminal.output().start() &&
         *target.from <= terminal.output().end();
}

}  // namespace

absl::StatusOr<std::shared_ptr<Terminal>> Terminals::Open(
    const TerminalTarget& target) {
  const auto found = std::find_if(
      terminals_.begin(), terminals_.end(),
      [&](const auto& each) { return each->name() == target.name; });
  const bool known = found != terminals_.end();
  if (known && (Runs(*found) || Saw(target, **found))) return *found;
  if (CountRunning() >= kMaxRunning) {
    return MakePlainError(shell_messages::kTooManyTerminals,
                          {{"max", kMaxRunning}});
  }
  ASSIGN_OR_RETURN(auto started, Terminal::Start(executor_, target.name));
  if (known) terminals_.erase(found);
  terminals_.push_back(started);
  return started;
}

std::string Terminals::ListJson() const {
  std::string json = "[";
  for (const auto& terminal : terminals_) {
    absl::StrAppend(&json, json.size() > 1 ? "," : "",
                    "{\"name\":", web_app::JsonString(terminal->name()),
                    ",\"title\":", web_app::JsonString(terminal->title()),
                    ",\"alive\":", Runs(terminal) ? "true" : "false", "}");
  }
  return json + "]";
}

void Terminals::Reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (const auto& terminal : terminals_) {
      if (terminal->pid() != pid || !Runs(terminal)) continue;
      terminal->OnShellEnd(node::EndOf(status).exit_code);
    }
  }
  DeleteOldEnds();
}

void Terminals::HangUpAll() {
  for (const auto& terminal : terminals_) {
    // This program is ending: after the exit message of a shell the page would
    // not check whether the job has ended.
    terminal->DropAll();
    terminal->HangUp();
  }
}

bool Terminals::AnyRuns() const { return CountRunning() > 0; }

size_t Terminals::CountRunning() const {
  return static_cast<size_t>(
      std::count_if(terminals_.begin(), terminals_.end(), Runs));
}

void Terminals::DeleteOldEnds() {
  size_t ended = terminals_.size() - CountRunning();
  for (auto each = terminals_.begin();
       each != terminals_.end() && ended > kMaxEnded;) {
    if (Runs(*each)) {
      ++each;
      continue;
    }
    each = terminals_.erase(each);
    --ended;
  }
}

}  // namespace carme::shell
