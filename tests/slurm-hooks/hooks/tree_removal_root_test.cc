#include <sys/mount.h>

#include <catch2/catch.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "slurm-hooks/hooks/tree_removal.h"
#include "tests/slurm-hooks/hooks/root_dir.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::hooks {
namespace {

absl::Status Remove(const RootDir& dir, const std::string& name,
                    absl::Duration time = testing::kWaitTimeout) {
  return RemoveTree(dir.fd(), name, Uid(kUser), absl::Now() + time);
}

TEST_CASE("tree removal: never follows a link out", "[slurm-hooks]") {
  RootDir dir;
  MakeDirectory(dir.At("precious"), 0);
  MakeFile(dir.At("precious/file"), 0);
  MakeDirectory(dir.At("7"), kUser);
  REQUIRE(symlink(dir.At("precious").c_str(), dir.At("7/to").c_str()) == 0);
  REQUIRE(symlink("../precious", dir.At("7/relative").c_str()) == 0);
  CHECK_THAT(Remove(dir, "7"), IsOk());
  CHECK_FALSE(Exists(dir.At("7")));
  CHECK(Exists(dir.At("precious/file")));
}

TEST_CASE("tree removal: a link in place of the top is removed itself",
          "[slurm-hooks]") {
  RootDir dir;
  MakeDirectory(dir.At("precious"), 0);
  MakeFile(dir.At("precious/file"), 0);
  REQUIRE(symlink("precious", dir.At("7").c_str()) == 0);
  CHECK_THAT(Remove(dir, "7"), IsOk());
  CHECK_FALSE(Exists(dir.At("7")));
  CHECK(Exists(dir.At("precious/file")));
}

TEST_CASE("tree removal: leaves a mount alone and the rest not",
          "[slurm-hooks]") {
  RootDir dir;
  MakeDirectory(dir.At("precious"), kUser);
  MakeFile(dir.At("precious/file"), kUser);
  MakeDirectory(dir.At("7"), kUser);
  MakeDirectory(dir.At("7/deep"), kUser);
  MakeDirectory(dir.At("7/deep/mount"), kUser);
  MakeFile(dir.At("7/deep/other"), kUser);
  // One file system: a device number does not tell the mount.
  REQUIRE(mount(dir.At("precious").c_str(), dir.At("7/deep/mount").c_str(),
                nullptr, MS_BIND, nullptr) == 0);
  CHECK_FALSE(Remove(dir, "7").ok());
  CHECK(Exists(dir.At("precious/file")));
  CHECK_FALSE(Exists(dir.At("7/deep/other")));
  REQUIRE(umount2(dir.At("7/deep/mount").c_str(), MNT_DETACH) == 0);
  CHECK_THAT(Remove(dir, "7"), IsOk());
}

TEST_CASE("tree removal: a third user's directory is not emptied",
          "[slurm-hooks]") {
  RootDir dir;
  MakeDirectory(dir.At("7"), kUser);
  MakeDirectory(dir.At("7/theirs"), kOtherUser);
  MakeFile(dir.At("7/theirs/file"), kOtherUser);
  MakeDirectory(dir.At("7/open"), 0, 0777);
  MakeFile(dir.At("7/open/file"), 0);
  CHECK(absl::IsFailedPrecondition(Remove(dir, "7")));
  CHECK(Exists(dir.At("7/theirs/file")));
  CHECK(Exists(dir.At("7/open/file")));
}

TEST_CASE("tree removal: stops at the deadline, and locks the top",
          "[slurm-hooks]") {
  RootDir dir;
  MakeDirectory(dir.At("7"), kUser);
  MakeFile(dir.At("7/file"), kUser);
  CHECK(absl::IsDeadlineExceeded(Remove(dir, "7", -absl::Seconds(1))));
  struct stat info {};
  REQUIRE(stat(dir.At("7").c_str(), &info) == 0);
  CHECK(info.st_uid == 0);
  CHECK((info.st_mode & 0777) == 0700);
  CHECK_THAT(Remove(dir, "7"), IsOk());
}

TEST_CASE("tree removal: a missing directory counts as removed",
          "[slurm-hooks]") {
  RootDir dir;
  CHECK_THAT(Remove(dir, "7"), IsOk());
}

TEST_CASE("tree removal: modes do not stop it", "[slurm-hooks]") {
  RootDir dir;
  MakeDirectory(dir.At("7"), kUser);
  MakeDirectory(dir.At("7/closed"), kUser);
  MakeFile(dir.At("7/closed/file"), kUser);
  REQUIRE(mkfifo(dir.At("7/closed/fifo").c_str(), 0) == 0);
  REQUIRE(chmod(dir.At("7/closed").c_str(), 0) == 0);
  REQUIRE(chmod(dir.At("7").c_str(), 0) == 0);
  CHECK_THAT(Remove(dir, "7"), IsOk());
  CHECK_FALSE(Exists(dir.At("7")));
}

TEST_CASE("tree removal: a tree deeper than any path", "[slurm-hooks]") {
  RootDir dir;
  MakeDirectory(dir.At("7"), kUser);
  AsUser(kUser, [&] {
    if (chdir(dir.At("7").c_str()) != 0) _exit(1);
    for (int i = 0; i < 3000; ++i) {
      if (mkdir("d", 0700) != 0 || chdir("d") != 0) _exit(1);
    }
    // Names that the removal itself would like to use.
    if (mkdir(".carme-1", 0700) != 0) _exit(1);
  });
  MakeDirectory(dir.At("7/.carme-1"), kUser);
  CHECK_THAT(Remove(dir, "7"), IsOk());
  CHECK_FALSE(Exists(dir.At("7")));
}

TEST_CASE("tree removal: more names than it reads at a time", "[slurm-hooks]") {
  RootDir dir;
  MakeDirectory(dir.At("7"), kUser);
  AsUser(kUser, [&] {
    if (chdir(dir.At("7").c_str()) != 0) _exit(1);
    for (int i = 0; i < 5000; ++i) {
      close(creat(absl::StrCat("f", i).c_str(), 0600));
    }
  });
  CHECK_THAT(Remove(dir, "7"), IsOk());
  CHECK_FALSE(Exists(dir.At("7")));
}

// The user swaps a directory with a link to a directory of root's, and makes
// new names, as fast as one can, while root removes the tree.
TEST_CASE("tree removal: a racing user gains nothing", "[slurm-hooks]") {
  for (int round = 0; round < 30; ++round) {
    RootDir dir;
    MakeDirectory(dir.At("precious"), 0, 0755);
    MakeFile(dir.At("precious/file"), 0);
    MakeDirectory(dir.At("7"), kUser);
    const std::string precious = dir.At("precious");
    UserProcess racer(kUser, [&] {
      if (chdir(dir.At("7").c_str()) != 0) return;
      mkdir("b", 0700);
      for (int i = 0;; ++i) {
        mkdir("a", 0700);
        close(creat("a/file", 0600));
        renameat2(AT_FDCWD, "a", AT_FDCWD, "b/a", 0);
        if (symlink(precious.c_str(), "a") == 0 &&
            renameat2(AT_FDCWD, "a", AT_FDCWD, "b/a", RENAME_EXCHANGE) != 0) {
          unlink("a");
        }
        mkdir(absl::StrCat("b/n", i % 64).c_str(), 0700);
      }
    });
    usleep(2000);
    const absl::Status removed = Remove(dir, "7");
    INFO(removed.ToString());
    CHECK_THAT(removed, IsOk());
    CHECK_FALSE(Exists(dir.At("7")));
    CHECK(Exists(dir.At("precious/file")));
    struct stat info {};
    REQUIRE(stat(precious.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0755);
  }
}

}  // namespace
}  // namespace carme::hooks
