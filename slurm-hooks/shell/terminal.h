// One terminal: a shell, the newest MiB of what it wrote, and those who watch.
//
// A watcher reads out of the ring at its own speed, so nothing is queued for
// it. The fastest watcher sets the shell's pace: while everybody is behind, the
// shell's output is not read, and the program that writes it waits. Who is
// overtaken by the ring, or shows nothing for five seconds while the shell
// waits, is dropped; it may come back.
//
// Thread rule: the io_context's one thread.
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

// What a terminal knows of one who watches it.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // There may be more to read, or the shell has ended.
  virtual void OnUpdate() = 0;
  // It is too slow; the connection must end without waiting for it.
  virtual void OnDropped() = 0;
  // Every byte below this number is shown.
  uint64_t seen = 0;
};

class Terminal : public std::enable_shared_from_this<Terminal> {
 public:
  // The errors of StartShell().
  static absl::StatusOr<std::shared_ptr<Terminal>> Start(
      const asio::any_io_executor& executor, std::string name);

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_.title(); }
  pid_t pid() const { return pid_; }
  const OutputRing& output() const { return output_; }
  // Where a watcher starts who lacks everything: the newest MiB at most.
  uint64_t replay_start() const;
  // 128 + the signal's number when a signal ended it; none while it runs.
  std::optional<int> exit_code() const { return exit_code_; }

  // `watcher` stays the caller's, who calls Remove() before it is gone.
  void Add(Watcher& watcher);
  void Remove(Watcher& watcher);
  // Ends the lines of all who watch, as if they were lost.
  void DropAll();
  // Bytes up to this number are shown; what cannot be is ignored.
  void MarkSeen(Watcher& watcher, uint64_t until);

  // Waits while the program does not take what was typed before.
  asio::awaitable<void> Type(std::string_view bytes);
  void Resize(WindowSize size);
  // SIGHUP to the shell and to what it runs in front.
  void HangUp();
  // REQUIRES: the shell was waited for.
  void OnShellEnd(int exit_code);

 private:
  Terminal(const asio::any_io_executor& executor, std::string name,
           ShellProcess shell);
  asio::awaitable<void> ReadOutput();
  asio::awaitable<void> WriteInput();
  asio::awaitable<void> AwaitReaders();
  bool EverybodyIsBehind() const;
  void Take(std::string_view bytes);
  void TellAll();

  const std::string name_;
  const pid_t pid_;
  asio::posix::stream_descriptor master_;
  OutputRing output_;
  TitleReader title_;
  std::set<Watcher*> watchers_;
  std::string input_;  // typed, not yet taken
  Signal input_moved_;
  asio::steady_timer timeout_;
  std::optional<int> exit_code_;
};

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_TERMINAL_H_
