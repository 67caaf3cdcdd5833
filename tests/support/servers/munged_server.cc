#include "tests/support/servers/munged_server.h"

#include <munge.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "common/file.h"
#include "common/random.h"
#include "tests/support/signals.h"
#include "tests/support/wait_for.h"

namespace carme {
namespace {

// "" when munged does not answer.
std::string Encode(const std::string& socket, const std::string& payload,
                   int ttl_s) {
  munge_ctx_t context = munge_ctx_create();
  munge_ctx_set(context, MUNGE_OPT_SOCKET, socket.c_str());
  munge_ctx_set(context, MUNGE_OPT_TTL, ttl_s);
  char* credential = nullptr;
  munge_encode(&credential, context, payload.data(),
               static_cast<int>(payload.size()));
  std::string text = credential == nullptr ? "" : credential;
  std::free(credential);
  munge_ctx_destroy(context);
  return text;
}

}  // namespace

MungedServer::MungedServer() {
  chmod(dir_.path().c_str(), 0755);
  if (!WriteFile(dir_.File("key"), RandomBytes(64), 0600).ok()) {
    throw std::runtime_error("no key for munged");
  }
  Start();
  if (!testing::WaitFor([&] { return !Encode(socket(), "", 60).empty(); })) {
    throw std::runtime_error("munged does not answer: " +
                             ReadFile(dir_.File("log")).value_or("no log"));
  }
}

MungedServer::~MungedServer() { Stop(); }

void MungedServer::Start() {
  pid_ = fork();
  if (pid_ != 0) return;
  execlp("munged", "munged", "--foreground", "--num-threads=1",
         ("--socket=" + socket()).c_str(),
         ("--key-file=" + dir_.File("key")).c_str(),
         ("--log-file=" + dir_.File("log")).c_str(),
         ("--pid-file=" + dir_.File("pid")).c_str(),
         ("--seed-file=" + dir_.File("seed")).c_str(), nullptr);
  _exit(127);
}

void MungedServer::Stop() {
  if (pid_ <= 0) return;
  testing::Signal(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::string MungedServer::EncodeAs(uid_t uid, const std::string& payload,
                                   int ttl_s) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(uid) != 0) _exit(1);
    const std::string text = Encode(socket(), payload, ttl_s);
    const bool written = write(ends[1], text.data(), text.size()) ==
                         static_cast<ssize_t>(text.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(got));
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

}  // namespace carme
