#include "backend/carmectl/setup/terminal.h"

#include <termios.h>
#include <unistd.h>

#include <cerrno>

#include "backend/carmectl/setup/site/messages.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr size_t kMaxLineBytes = 4096;
constexpr int kStopSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile sig_atomic_t stop_signal_received = 0;

void NoteStopSignal(int) { stop_signal_received = 1; }

class EchoDisabled {
 public:
  explicit EchoDisabled(int fd) : fd_(fd) {
    if (tcgetattr(fd, &previous_) != 0) return;
    termios silent = previous_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    disabled_ = tcsetattr(fd, TCSAFLUSH, &silent) == 0;
  }
  EchoDisabled(const EchoDisabled&) = delete;
  EchoDisabled& operator=(const EchoDisabled&) = delete;
  ~EchoDisabled() {
    if (disabled_) tcsetattr(fd_, TCSAFLUSH, &previous_);
  }
  bool disabled() const { return disabled_; }

 private:
  const int fd_;
  termios previous_{};
  bool disabled_ = false;
};

}  // namespace

InterruptSignals::InterruptSignals() {
  stop_signal_received = 0;
  struct sigaction action {};
  action.sa_handler = NoteStopSignal;  // without SA_RESTART
  for (size_t i = 0; i < std::size(kStopSignals); ++i) {
    sigaction(kStopSignals[i], &action, &previous_[i]);
  }
}

InterruptSignals::~InterruptSignals() {
  for (size_t i = 0; i < std::size(kStopSignals); ++i) {
    sigaction(kStopSignals[i], &previous_[i], nullptr);
  }
}

absl::Status InterruptSignals::Check() {
  return stop_signal_received == 0
             ? absl::OkStatus()
             : MakePlainError(setup_messages::kInterrupted);
}

bool SetupTerminal::IsTerminal() const {
  return isatty(input_) == 1 && isatty(output_) == 1;
}

void SetupTerminal::Print(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t put = write(output_, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<size_t>(put));
  }
}

absl::StatusOr<std::string> SetupTerminal::ReadLine(std::string_view prompt) {
  Print(prompt);
  std::string line;
  for (;;) {
    RETURN_IF_ERROR(InterruptSignals::Check());
    char next = 0;
    const ssize_t got = read(input_, &next, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return MakePlainError(setup_messages::kInterrupted);
    if (next == '\n') return line;
    line.push_back(next);
    if (line.size() > kMaxLineBytes) {
      return MakePlainError(setup_messages::kAnswerNotPrintable,
                            {{"max", kMaxLineBytes}});
    }
  }
}

absl::StatusOr<std::string> SetupTerminal::ReadPassword(
    std::string_view prompt) {
  const EchoDisabled silent(input_);
  if (!silent.disabled()) return MakePlainError(setup_messages::kNoTerminal);
  auto line = ReadLine(prompt);
  Print("\n");
  return line;
}

}  // namespace carme::carmectl
