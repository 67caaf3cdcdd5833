// One terminal: a shell, the newest MiB of its output, and its watchers.
//
// Watchers read from the ring at their own speed, so nothing is queued for
// them. The fastest watcher limits the shell: while all watchers are behind,
// the output of the shell is not read, and the program that writes it blocks. A
// watcher is dropped when the ring overtakes it, or when it shows nothing for
// five seconds while the shell waits; it may reconnect.
//
// Thread safety: used on the io_context's thread only.
#ifndef CARME_SLURM_HOOKS_SHELL_TERMINAL_H_
#define CARME_SLURM_HOOKS_SHELL_TERMINAL_H_

#include <sys/types.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "slurm-hooks/shell/control_message.h"
#include "slurm-hooks/shell/coroutines.h"
#include "slurm-hooks/shell/output_ring.h"
#include "slurm-hooks/shell/shell_process.h"
#include "slurm-hooks/shell/title_reader.h"

namespace carme::shell {

// A watcher of a terminal.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // More output may be available, or the shell has ended.
  virtual void OnUpdate() = 0;
  // The watcher is too slow; its connection must close without waiting for it.
  virtual void OnDropped() = 0;
  // All bytes below this number are shown.
  uint64_t seen = 0;
};

class Terminal : public std::enable_shared_from_this<Terminal> {
 public:
  // Fails with the errors of StartShell().
  static absl::StatusOr<std::shared_ptr<Terminal>> Start(
      const asio::any_io_executor& executor, std::string name);

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_.title(); }
  pid_t pid() const { return pid_; }
  const OutputRing& output() const { return output_; }
  // Start position of a new watcher: the newest MiB at most.
  uint64_t replay_start() const;
  // 128 + the number of the signal that ended it; nullopt while it runs.
  std::optional<int> exit_code() const { return exit_code_; }

  // `watcher` stays the caller's, which must call Remove() before destroying
  // it.
  void Add(Watcher& watcher);
  void Remove(Watcher& watcher);
  // Drops all watchers, like a lost connection.
  void DropAll();
  // The watcher has shown the bytes up to this number; impossible values are
  // ignored.
  void MarkSeen(Watcher& watcher, uint64_t until);

  // Writes input; waits while the program does not read.
  asio::awaitable<void> Type(std::string_view bytes);
  void Resize(WindowSize size);
  // Sends SIGHUP to the shell and its foreground process group.
  void HangUp();
  // Call after the shell was reaped.
  void OnShellEnd(int exit_code);

 private:
  Terminal(const asio::any_io_executor& executor, std::string name,
           ShellProcess shell);
  asio::awaitable<void> ReadOutput();
  asio::awaitable<void> WriteInput();
  asio::awaitable<void> AwaitReaders();
  bool EverybodyIsBehind() const;
  void Take(std::string_view bytes);
  void NotifyAll();

  const std::string name_;
  const pid_t pid_;
  asio::posix::stream_descriptor master_;
  OutputRing output_;
  TitleReader title_;
  std::set<Watcher*> watchers_;
  std::string input_;  // typed, not yet written
  Signal input_moved_;
  asio::steady_timer timeout_;
  std::optional<int> exit_code_;
};

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_TERMINAL_H_
