// What the root tests share: a directory that only root can write on the way
// to it, and processes of an ordinary user.
#ifndef CARME_TESTS_SLURM_HOOKS_HOOKS_ROOT_DIR_H_
#define CARME_TESTS_SLURM_HOOKS_HOOKS_ROOT_DIR_H_

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "common/ids.h"
#include "common/unique_fd.h"
#include "tests/support/signals.h"

namespace carme::hooks {

inline constexpr uid_t kUser = 47001;
inline constexpr uid_t kOtherUser = 47002;

// In /run, because all users can write /tmp.
class RootDir {
 public:
  explicit RootDir(const std::string& parent = "/run")
      : path_(parent + "/carme-hooks-test-XXXXXX") {
    REQUIRE(getuid() == 0);
    REQUIRE(mkdtemp(path_.data()) != nullptr);
    REQUIRE(chmod(path_.c_str(), 0755) == 0);
    fd_.reset(open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  ~RootDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }
  std::string At(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  UniqueFd fd_;
};

inline void MakeDirectory(const std::string& path, uid_t owner,
                          mode_t mode = 0700) {
  REQUIRE(mkdir(path.c_str(), 0700) == 0);
  REQUIRE(chown(path.c_str(), owner, owner) == 0);
  REQUIRE(chmod(path.c_str(), mode) == 0);
}

inline void MakeFile(const std::string& path, uid_t owner) {
  const UniqueFd fd(creat(path.c_str(), 0600));
  REQUIRE(fd.valid());
  REQUIRE(fchown(fd.get(), owner, owner) == 0);
}

inline bool Exists(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0;
}

// A process of `uid` that runs `body` and ends with the object.
class UserProcess {
 public:
  UserProcess(uid_t uid, const std::function<void()>& body) : pid_(fork()) {
    REQUIRE(pid_ >= 0);
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (setresgid(uid, uid, uid) == 0 && setresuid(uid, uid, uid) == 0) body();
    _exit(0);
  }
  ~UserProcess() {
    testing::Signal(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_;
};

// Runs `body` as `uid` to its end.
inline void AsUser(uid_t uid, const std::function<void()>& body) {
  const pid_t pid = fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    if (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0) {
      _exit(1);
    }
    body();
    _exit(0);
  }
  int state = 0;
  REQUIRE(waitpid(pid, &state, 0) == pid);
  REQUIRE(state == 0);
}

}  // namespace carme::hooks

#endif  // CARME_TESTS_SLURM_HOOKS_HOOKS_ROOT_DIR_H_
