// A program that prints "listening PORT" once it does: a server of a test's
// own.
#ifndef CARME_TESTS_BACKEND_NOTIFICATIONS_LISTENING_PROGRAM_H_
#define CARME_TESTS_BACKEND_NOTIFICATIONS_LISTENING_PROGRAM_H_

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/file.h"
#include "tests/support/signals.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

extern char** environ;

namespace carme::backend {

// Its folder has a file for each thing that it got.
class ListeningProgram {
 public:
  ListeningProgram(const std::string& program, std::vector<std::string> words) {
    words.insert(words.begin(), program);
    words.insert(words.end(), {"--folder", folder_.path()});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log().c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    const int failed = posix_spawn(&pid_, program.c_str(), &actions, nullptr,
                                   arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error(program + " does not start");
    const auto listens = [&] {
      const std::string text = ReadFile(log()).value_or("");
      if (text.find("listening ") != 0 || text.find('\n') == text.npos) {
        return waitpid(pid_, nullptr, WNOHANG) != 0;
      }
      port_ = std::atoi(text.c_str() + 10);
      return true;
    };
    if (!testing::WaitFor(listens) || port_ == 0) {
      throw std::runtime_error(program + ": " + ReadFile(log()).value_or(""));
    }
  }
  ~ListeningProgram() {
    testing::Signal(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  ListeningProgram(const ListeningProgram&) = delete;
  ListeningProgram& operator=(const ListeningProgram&) = delete;

  int port() const { return port_; }
  // What it got, in order.
  std::vector<std::string> Got() const {
    std::set<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder_.path())) {
      if (entry.path().extension() != ".new") names.insert(entry.path());
    }
    std::vector<std::string> texts;
    for (const std::string& name : names) {
      texts.push_back(ReadFile(name).value());
    }
    return texts;
  }

 private:
  std::string log() const { return log_.File("log"); }
  TempDir folder_;
  TempDir log_;
  pid_t pid_ = 0;
  int port_ = 0;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_NOTIFICATIONS_LISTENING_PROGRAM_H_
