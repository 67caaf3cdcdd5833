#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <catch2/catch.hpp>
#include <string>

#include "absl/time/clock.h"
#include "slurm-hooks/hooks/jobs_directory.h"
#include "tests/slurm-hooks/hooks/root_dir.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::hooks {
namespace {

const HookJob kJob = {SlurmJobId(7), Uid(kUser)};

absl::Time Soon() { return absl::Now() + testing::kWaitTimeout; }

absl::StatusCode Open(const std::string& path, IfMissing if_missing) {
  return OpenJobsDirectory(path, if_missing).status().code();
}

TEST_CASE("jobs directory: refuses a path that is not absolute and plain",
          "[slurm-hooks]") {
  for (const char* path : {"", "/", "run", "../run", "/run/../tmp", "/run/."}) {
    INFO(path);
    CHECK(Open(path, IfMissing::kMake) == absl::StatusCode::kInvalidArgument);
  }
}

TEST_CASE("jobs directory: refuses a step that others can write",
          "[slurm-hooks]") {
  CHECK(Open("/tmp/carme-never", IfMissing::kMake) ==
        absl::StatusCode::kFailedPrecondition);
  RootDir dir;
  MakeDirectory(dir.At("group"), 0, 0775);
  CHECK(Open(dir.At("group/jobs"), IfMissing::kMake) ==
        absl::StatusCode::kFailedPrecondition);
  MakeDirectory(dir.At("users"), kUser, 0755);
  CHECK(Open(dir.At("users/jobs"), IfMissing::kMake) ==
        absl::StatusCode::kFailedPrecondition);
  CHECK_FALSE(Exists(dir.At("users/jobs")));
}

TEST_CASE("jobs directory: refuses a link, even one of root's",
          "[slurm-hooks]") {
  RootDir dir;
  MakeDirectory(dir.At("real"), 0, 0755);
  REQUIRE(symlink("real", dir.At("link").c_str()) == 0);
  CHECK(Open(dir.At("link"), IfMissing::kMake) ==
        absl::StatusCode::kFailedPrecondition);
  CHECK(Open(dir.At("link/jobs"), IfMissing::kMake) ==
        absl::StatusCode::kFailedPrecondition);
  MakeFile(dir.At("file"), 0);
  CHECK(Open(dir.At("file"), IfMissing::kMake) ==
        absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("jobs directory: is created only if requested", "[slurm-hooks]") {
  RootDir dir;
  CHECK(Open(dir.At("a/b"), IfMissing::kFail) == absl::StatusCode::kNotFound);
  const mode_t before = umask(077);
  CHECK(Open(dir.At("a/b"), IfMissing::kMake) == absl::StatusCode::kOk);
  umask(before);
  struct stat info {};
  REQUIRE(stat(dir.At("a/b").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0755);
}

TEST_CASE("job directory: is its user's alone", "[slurm-hooks]") {
  RootDir dir;
  const mode_t before = umask(0);
  CHECK_THAT(MakeJobDirectory(dir.fd(), kJob, 0, Soon()), IsOk());
  umask(before);
  struct stat info {};
  REQUIRE(lstat(dir.At("7").c_str(), &info) == 0);
  CHECK(info.st_uid == kUser);
  CHECK(S_ISDIR(info.st_mode));
  CHECK((info.st_mode & 07777) == 0700);
}

TEST_CASE("job directory: replaces files of an earlier run", "[slurm-hooks]") {
  RootDir dir;
  MakeDirectory(dir.At("7"), kOtherUser, 0777);
  MakeFile(dir.At("7/app.sock"), kOtherUser);
  CHECK_THAT(MakeJobDirectory(dir.fd(), kJob, 0, Soon()), IsOk());
  CHECK_FALSE(Exists(dir.At("7/app.sock")));
  REQUIRE_THAT(RemoveJobDirectory(dir.fd(), kJob, Soon()), IsOk());
  MakeFile(dir.At("7"), kOtherUser);
  CHECK_THAT(MakeJobDirectory(dir.fd(), kJob, 0, Soon()), IsOk());
  struct stat info {};
  REQUIRE(lstat(dir.At("7").c_str(), &info) == 0);
  CHECK(S_ISDIR(info.st_mode));
  CHECK(info.st_uid == kUser);
}

TEST_CASE("runtime directory: a job can fill only its own directory",
          "[slurm-hooks]") {
  RootDir dir;
  REQUIRE_THAT(MakeRuntimeDirectory(dir.fd(), kJob, Soon()), IsOk());
  struct stat info {};
  REQUIRE(lstat(dir.At("7").c_str(), &info) == 0);
  CHECK(info.st_uid == kUser);
  CHECK((info.st_mode & 07777) == 0700);
  struct statvfs mounted {};
  REQUIRE(statvfs(dir.At("7").c_str(), &mounted) == 0);
  CHECK((mounted.f_flag & (ST_NOSUID | ST_NODEV)) == (ST_NOSUID | ST_NODEV));
  AsUser(kUser, [&] {
    const UniqueFd much(
        open(dir.At("7/much").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (fallocate(much.get(), 0, 0, 17 << 20) == 0 || errno != ENOSPC) {
      _exit(1);
    }
    int made = 0;
    while (made < 5000 &&
           mkdir(dir.At("7/" + std::to_string(made)).c_str(), 0700) == 0) {
      ++made;
    }
    if (made == 5000 || errno != ENOSPC) _exit(1);
  });
  CHECK_THAT(RemoveJobDirectory(dir.fd(), kJob, Soon()), IsOk());
  CHECK_FALSE(Exists(dir.At("7")));
}

TEST_CASE("runtime directory: replaces an earlier run's, which is in use",
          "[slurm-hooks]") {
  RootDir dir;
  REQUIRE_THAT(MakeRuntimeDirectory(dir.fd(), kJob, Soon()), IsOk());
  MakeFile(dir.At("7/old"), kUser);
  const UniqueFd used(open(dir.At("7/old").c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(used.valid());
  REQUIRE_THAT(MakeRuntimeDirectory(dir.fd(), kJob, Soon()), IsOk());
  CHECK_FALSE(Exists(dir.At("7/old")));
  CHECK_THAT(RemoveJobDirectory(dir.fd(), kJob, Soon()), IsOk());
  CHECK_FALSE(Exists(dir.At("7")));
}

TEST_CASE("job directory: removing it twice is fine", "[slurm-hooks]") {
  RootDir dir;
  REQUIRE_THAT(MakeJobDirectory(dir.fd(), kJob, 0, Soon()), IsOk());
  CHECK_THAT(RemoveJobDirectory(dir.fd(), kJob, Soon()), IsOk());
  CHECK_THAT(RemoveJobDirectory(dir.fd(), kJob, Soon()), IsOk());
}

}  // namespace
}  // namespace carme::hooks
