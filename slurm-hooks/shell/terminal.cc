#include "slurm-hooks/shell/terminal.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/status.h"

namespace carme::shell {
namespace {

constexpr size_t kReplayBytes = 1024 * 1024;
// Time for a watcher to replay the newest MiB before it is overtaken.
constexpr size_t kSlackBytes = 512 * 1024;
constexpr uint64_t kMaxBehindBytes = 256 * 1024;
constexpr size_t kMaxInputBytes = 64 * 1024;
constexpr size_t kReadBytes = 16 * 1024;
constexpr auto kKillTimeout = std::chrono::seconds(5);

// A new terminal with the same name starts above all numbers of the earlier
// one, so that a position is never mistaken for one of the other terminal.
uint64_t FirstNumber() {
  return static_cast<uint64_t>(absl::ToUnixMillis(absl::Now())) * 1000;
}

}  // namespace

absl::StatusOr<std::shared_ptr<Terminal>> Terminal::Start(
    const asio::any_io_executor& executor, std::string name) {
  ASSIGN_OR_RETURN(ShellProcess shell, StartShell());
  std::shared_ptr<Terminal> terminal(
      new Terminal(executor, std::move(name), std::move(shell)));
  const auto run = [&](auto loop) {
    asio::co_spawn(executor, std::move(loop), asio::detached);
  };
  run([terminal] { return terminal->ReadOutput(); });
  run([terminal] { return terminal->WriteInput(); });
  return terminal;
}

Terminal::Terminal(const asio::any_io_executor& executor, std::string name,
                   ShellProcess shell)
    : name_(std::move(name)),
      pid_(shell.pid),
      master_(executor, shell.master.release()),
      output_(FirstNumber(), kReplayBytes + kSlackBytes),
      input_moved_(executor),
      timeout_(executor) {}

uint64_t Terminal::replay_start() const {
  return std::max(output_.start(),
                  output_.end() - std::min(output_.end(), kReplayBytes));
}

void Terminal::Add(Watcher& watcher) { watchers_.insert(&watcher); }

void Terminal::Remove(Watcher& watcher) {
  watchers_.erase(&watcher);
  timeout_.cancel();
}

void Terminal::MarkSeen(Watcher& watcher, uint64_t until) {
  if (until <= watcher.seen || until > output_.end()) return;
  watcher.seen = until;
  timeout_.cancel();
  watcher.OnUpdate();
}

asio::awaitable<void> Terminal::Type(std::string_view bytes) {
  while (input_.size() >= kMaxInputBytes && !exit_code_.has_value()) {
    co_await input_moved_.Wait();
  }
  if (exit_code_.has_value()) co_return;
  input_.append(bytes);
  input_moved_.Raise();
}

void Terminal::Resize(WindowSize size) {
  if (master_.is_open()) SetWindowSize(master_.native_handle(), size);
}

void Terminal::HangUp() {
  if (exit_code_.has_value()) return;
  pid_t front = 0;
  if (ioctl(master_.native_handle(), TIOCGPGRP, &front) == 0 && front > 1) {
    kill(-front, SIGHUP);
    kill(-front, SIGCONT);
  }
  kill(-pid_, SIGHUP);
  kill(-pid_, SIGCONT);  // a stopped shell would not handle SIGHUP
}

void Terminal::OnShellEnd(int exit_code) {
  // The last output of the shell is still in the terminal; background programs
  // may continue to write.
  char bytes[kReadBytes];
  for (size_t taken = 0; taken < kReplayBytes;) {
    const ssize_t got = read(master_.native_handle(), bytes, sizeof bytes);
    if (got <= 0) break;
    Take({bytes, static_cast<size_t>(got)});
    taken += static_cast<size_t>(got);
  }
  exit_code_ = exit_code;
  boost::system::error_code ignored;
  master_.close(ignored);
  input_moved_.Raise();
  timeout_.cancel();
  NotifyAll();
}

asio::awaitable<void> Terminal::ReadOutput() {
  const auto self = shared_from_this();
  std::vector<char> bytes(kReadBytes);
  boost::system::error_code error;
  while (!exit_code_.has_value()) {
    co_await AwaitReaders();
    if (exit_code_.has_value()) break;
    const size_t got =
        co_await master_.async_read_some(asio::buffer(bytes), Into(error));
    // EIO: no process has the terminal open; the end of the shell follows.
    if (error) break;
    Take({bytes.data(), got});
  }
}

asio::awaitable<void> Terminal::WriteInput() {
  const auto self = shared_from_this();
  boost::system::error_code error;
  while (!exit_code_.has_value() && !error) {
    if (input_.empty()) {
      co_await input_moved_.Wait();
      continue;
    }
    // A copy, because more input may arrive meanwhile.
    const std::string piece = input_;
    const size_t written =
        co_await master_.async_write_some(asio::buffer(piece), Into(error));
    input_.erase(0, written);
    input_moved_.Raise();
  }
}

asio::awaitable<void> Terminal::AwaitReaders() {
  while (EverybodyIsBehind() && !exit_code_.has_value()) {
    boost::system::error_code moved;
    timeout_.expires_after(kKillTimeout);
    co_await timeout_.async_wait(Into(moved));
    if (!moved) DropAll();
  }
}

bool Terminal::EverybodyIsBehind() const {
  return !watchers_.empty() &&
         std::all_of(watchers_.begin(), watchers_.end(), [&](Watcher* watcher) {
           return output_.end() - watcher->seen > kMaxBehindBytes;
         });
}

void Terminal::Take(std::string_view bytes) {
  title_.Read(bytes);
  output_.Append(bytes);
  for (auto next = watchers_.begin(); next != watchers_.end();) {
    Watcher* watcher = *next++;
    if (watcher->seen >= output_.start()) continue;
    watchers_.erase(watcher);
    watcher->OnDropped();
  }
  NotifyAll();
}

void Terminal::DropAll() {
  for (Watcher* watcher : std::exchange(watchers_, {})) watcher->OnDropped();
}

void Terminal::NotifyAll() {
  for (Watcher* watcher : watchers_) watcher->OnUpdate();
}

}  // namespace carme::shell
