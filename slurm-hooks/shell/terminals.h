// The app's terminals, by name: at most 16 that run, and the four that ended
// last, so that who was away hears how.
//
// Thread rule: the io_context's one thread.
#ifndef CARME_SLURM_HOOKS_SHELL_TERMINALS_H_
#define CARME_SLURM_HOOKS_SHELL_TERMINALS_H_

#include <list>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "slurm-hooks/shell/terminal.h"
#include "slurm-hooks/shell/terminal_target.h"

namespace carme::shell {

class Terminals {
 public:
  explicit Terminals(asio::any_io_executor executor)
      : executor_(std::move(executor)) {}

  // The terminal of this name, started if there is none. One that ended is
  // given only to who has seen some of it; for others a new one takes its
  // place. RESOURCE_EXHAUSTED; the errors of Terminal::Start().
  absl::StatusOr<std::shared_ptr<Terminal>> Open(const TerminalTarget& target);

  // [{"name":…,"title":…,"alive":…},…], the oldest first.
  std::string ListJson() const;

  // After SIGCHLD: waits for all that ended, orphans too.
  void Reap();
  void HangUpAll();
  bool AnyRuns() const;

 private:
  size_t CountRunning() const;
  void ForgetOldEnds();

  asio::any_io_executor executor_;
  std::list<std::shared_ptr<Terminal>> terminals_;  // in order of their start
};

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_TERMINALS_H_
