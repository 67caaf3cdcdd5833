// The terminals of the app by name: at most 16 running ones, and the last four
// that ended, so that a page that reconnects learns how.
//
// Thread safety: used on the io_context's thread only.
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

  // Returns the terminal with this name, and starts it if needed. An ended one
  // is returned only to a client that has seen part of its output; for others a
  // new one replaces it. RESOURCE_EXHAUSTED; the errors of Terminal::Start().
  absl::StatusOr<std::shared_ptr<Terminal>> Open(const TerminalTarget& target);

  // Returns [{"name":…,"title":…,"alive":…},…], oldest first.
  std::string ListJson() const;

  // Must be called after SIGCHLD: reaps all ended processes, including orphans.
  void Reap();
  void HangUpAll();
  bool AnyRuns() const;

 private:
  size_t CountRunning() const;
  void DeleteOldEnds();

  asio::any_io_executor executor_;
  std::list<std::shared_ptr<Terminal>> terminals_;  // in start order
};

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_TERMINALS_H_
