// A real carme-shell on a unix socket, and browser windows at its terminals.
#ifndef CARME_TESTS_SLURM_HOOKS_SHELL_SHELL_APP_H_
#define CARME_TESTS_SLURM_HOOKS_SHELL_SHELL_APP_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slurm-hooks/child_process/child_process.h"
#include "tests/support/temp_dir.h"

namespace carme::shell {

class ShellApp {
 public:
  // Waits until it answers. $HOME is a directory of the test.
  explicit ShellApp(const std::string& shell = "/bin/sh");
  ~ShellApp();

  pid_t pid() const { return process_->pid(); }
  const std::string& home() const { return directory_.path(); }
  std::string socket() const { return directory_.File("app.sock"); }
  // What comes back for these bytes until the app ends the connection or is
  // silent for `silence_ms` after something came.
  std::string Exchange(const std::string& bytes, int silence_ms = 300) const;
  // GET with these further header lines.
  std::string Get(const std::string& target,
                  const std::string& headers = "") const;
  void Terminate();
  std::optional<node::ProcessEnd> AwaitEnd();
  uint64_t ResidentBytes() const;

 private:
  TempDir directory_;
  std::optional<node::ChildProcess> process_;
};

// Blocking; every wait ends after ten seconds.
class TerminalWindow {
 public:
  TerminalWindow(const ShellApp& app, const std::string& target);
  ~TerminalWindow();

  void Type(const std::string& bytes);
  // The same; false, and the line is cut, when the app does not take it soon.
  bool TypeSoon(const std::string& bytes);
  void Tell(const std::string& message);  // a text frame
  // Reads frames until the bytes contain `text`; false: they do not.
  bool Shows(const std::string& text);
  // Reads until exactly this many bytes came since the start, or the end.
  void ReadBytes(size_t count);
  // Reads until the app ends the connection; the last {"exit":…}, if any.
  std::string AwaitExit();
  void CutLine();

  const std::string& bytes() const { return bytes_; }
  uint64_t at() const { return at_; }  // of {"at":…}
  uint64_t next() const { return at_ + bytes_.size(); }

 private:
  struct Line;
  bool ReadFrame();
  std::unique_ptr<Line> line_;
  std::string bytes_;
  std::string last_text_;
  uint64_t at_ = 0;
};

}  // namespace carme::shell

#endif  // CARME_TESTS_SLURM_HOOKS_SHELL_SHELL_APP_H_
