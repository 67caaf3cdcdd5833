// A conversation on a terminal, and signals that stop it.
#ifndef CARME_BACKEND_CARMECTL_SETUP_TERMINAL_H_
#define CARME_BACKEND_CARMECTL_SETUP_TERMINAL_H_

#include <signal.h>

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace carme::carmectl {

// While it lives, SIGINT, SIGTERM and SIGHUP set a flag instead of ending the
// process, and interrupt reading. One at a time.
class InterruptSignals {
 public:
  InterruptSignals();
  InterruptSignals(const InterruptSignals&) = delete;
  InterruptSignals& operator=(const InterruptSignals&) = delete;
  ~InterruptSignals();
  // CANCELLED after a signal.
  static absl::Status Check();

 private:
  struct sigaction previous_[3];
};

// Not thread-safe.
class SetupTerminal {
 public:
  // Descriptors of one terminal; not closed.
  SetupTerminal(int input, int output) : input_(input), output_(output) {}

  bool IsTerminal() const;
  void Print(std::string_view text) const;
  // Without the newline. CANCELLED: end of input, or a signal of
  // InterruptSignals; INVALID_ARGUMENT: a longer line than 4 KiB.
  absl::StatusOr<std::string> ReadLine(std::string_view prompt);
  // The same without echo.
  absl::StatusOr<std::string> ReadPassword(std::string_view prompt);

 private:
  const int input_;
  const int output_;
};

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_TERMINAL_H_
