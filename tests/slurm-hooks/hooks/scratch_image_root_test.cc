// On the machine's disk, as a node's scratch is.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "absl/time/clock.h"
#include "slurm-hooks/hooks/jobs_directory.h"
#include "slurm-hooks/hooks/scratch_trash.h"
#include "tests/slurm-hooks/hooks/root_dir.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::hooks {
namespace {

const HookJob kJob = {SlurmJobId(7), Uid(kUser)};
const HookJob kOther = {SlurmJobId(8), Uid(kOtherUser)};

class Disk : public RootDir {
 public:
  explicit Disk(const std::string& parent = "/run/disk") : RootDir(parent) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, nullptr);
  }
  ~Disk() {
    for (const HookJob& job : {kJob, kOther}) {
      RemoveJobDirectory(fd(), job, Soon()).IgnoreError();
    }
    EmptyTrash(fd(), Soon()).IgnoreError();
  }
  // What is made in the trash, as a crash may leave it.
  void Discard(const std::string& name, off_t bytes) const {
    std::error_code there;
    std::filesystem::create_directory(At("trash"), there);
    REQUIRE(chmod(At("trash").c_str(), 0700) == 0);
    const UniqueFd file(open(At("trash/" + name).c_str(),
                             O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(fallocate(file.get(), 0, 0, bytes) == 0);
  }
  bool IsTrashEmpty() const { return std::filesystem::is_empty(At("trash")); }
  static absl::Time Soon() { return absl::Now() + absl::Seconds(60); }
  absl::Status Make(const HookJob& job, int gib) const {
    return MakeJobDirectory(fd(), job, gib, Soon());
  }
  absl::Status Remove(const HookJob& job) const {
    return RemoveJobDirectory(fd(), job, Soon());
  }
};

// The result of fallocate(2) for `uid`: 0 or an errno.
int Take(uid_t uid, const std::string& path, off_t bytes) {
  const pid_t pid = fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    if (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0) {
      _exit(1);
    }
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) _exit(errno);
    _exit(fallocate(file, 0, 0, bytes) == 0 ? 0 : errno);
  }
  int state = 0;
  REQUIRE(waitpid(pid, &state, 0) == pid);
  return WEXITSTATUS(state);
}

bool IsMounted(const std::string& path) {
  struct statvfs here {};
  struct statvfs above {};
  REQUIRE(statvfs(path.c_str(), &here) == 0);
  REQUIRE(statvfs((path + "/..").c_str(), &above) == 0);
  return here.f_fsid != above.f_fsid || here.f_blocks != above.f_blocks;
}

TEST_CASE("scratch limit: refuses a size above the disk's and leaves no file",
          "[slurm-hooks]") {
  Disk disk;
  const absl::Status made = disk.Make(kJob, 1000000);
  CHECK(absl::IsResourceExhausted(made));
  CHECK_FALSE(Exists(disk.At("7")));
  CHECK_FALSE(Exists(disk.At("7.image")));
}

TEST_CASE("scratch limit: a full scratch hurts only its owner",
          "[slurm-hooks]") {
  Disk disk;
  const absl::Status made = disk.Make(kJob, 1);
  INFO(made.ToString());
  REQUIRE_THAT(made, IsOk());
  REQUIRE_THAT(disk.Make(kOther, 1), IsOk());
  CHECK(Take(kUser, disk.At("7/much"), off_t{2} << 30) == ENOSPC);
  // Whatever the attempt left, then the rest.
  for (off_t left = off_t{512} << 20; left >= 4096; left /= 2) {
    for (int i = 0; i < 3; ++i) {
      Take(kUser,
           disk.At("7/") + std::to_string(left) + "." + std::to_string(i),
           left);
    }
  }
  CHECK(Take(kUser, disk.At("7/more"), off_t{1} << 20) == ENOSPC);
  CHECK(Take(kOtherUser, disk.At("8/mine"), off_t{900} << 20) == 0);
  REQUIRE_THAT(disk.Remove(kJob), IsOk());
  REQUIRE_THAT(disk.Remove(kOther), IsOk());
  CHECK_FALSE(Exists(disk.At("7")));
  CHECK_FALSE(Exists(disk.At("7.image")));
}

TEST_CASE("scratch limit: the directory is its user's alone, the file root's",
          "[slurm-hooks]") {
  Disk disk;
  REQUIRE_THAT(disk.Make(kJob, 1), IsOk());
  struct stat info {};
  REQUIRE(stat(disk.At("7").c_str(), &info) == 0);
  CHECK(info.st_uid == kUser);
  CHECK((info.st_mode & 07777) == 0700);
  CHECK(IsMounted(disk.At("7")));
  CHECK_FALSE(Exists(disk.At("7/lost+found")));
  REQUIRE(stat(disk.At("7.image").c_str(), &info) == 0);
  CHECK(info.st_uid == 0);
  CHECK((info.st_mode & 07777) == 0600);
  CHECK(info.st_blocks >= (off_t{1} << 30) / 512);  // all of it is taken
  CHECK(Take(kUser, disk.At("7.image"), 4096) == EACCES);
  // No set-user-id program and no device file works there.
  struct statvfs mounted {};
  REQUIRE(statvfs(disk.At("7").c_str(), &mounted) == 0);
  CHECK((mounted.f_flag & (ST_NOSUID | ST_NODEV)) == (ST_NOSUID | ST_NODEV));
}

TEST_CASE("scratch limit: unmounts only its own file system", "[slurm-hooks]") {
  Disk disk;
  REQUIRE_THAT(disk.Make(kOther, 1), IsOk());
  MakeDirectory(disk.At("7"), 0);
  MakeFile(disk.At("7.image"), 0);
  REQUIRE(mount(disk.At("8").c_str(), disk.At("7").c_str(), nullptr, MS_BIND,
                nullptr) == 0);
  CHECK_THAT(disk.Remove(kJob), IsOk());
  CHECK_FALSE(Exists(disk.At("7")));
  CHECK(Take(kOtherUser, disk.At("8/mine"), 4096) == 0);
}

TEST_CASE("scratch limit: space that is still to come back refuses no job",
          "[slurm-hooks]") {
  // Its own disk of 4 GiB, which no other test fills.
  Disk machine;
  REQUIRE_THAT(machine.Make(kOther, 4), IsOk());
  REQUIRE(chown(machine.At("8").c_str(), 0, 0) == 0);
  REQUIRE(chmod(machine.At("8").c_str(), 0755) == 0);
  const Disk disk(machine.At("8"));
  disk.Discard("3.image.0", off_t{2} << 30);
  const absl::Status made = disk.Make(kJob, 2);
  INFO(made.ToString());
  CHECK_THAT(made, IsOk());
  CHECK(absl::IsResourceExhausted(disk.Make(kOther, 2)));
}

TEST_CASE("scratch limit: is removed while a process is in it",
          "[slurm-hooks]") {
  Disk disk;
  REQUIRE_THAT(disk.Make(kJob, 1), IsOk());
  int ready[2];
  int go[2];
  int said[2];
  REQUIRE(pipe(ready) == 0);
  REQUIRE(pipe(go) == 0);
  REQUIRE(pipe(said) == 0);
  const UserProcess user(kUser, [&] {
    if (chdir(disk.At("7").c_str()) != 0) _exit(1);
    close(ready[1]);
    close(go[1]);
    char nothing = 0;
    if (read(go[0], &nothing, 1) != 0) _exit(1);
    const int error = open("late", O_RDWR | O_CREAT, 0600) < 0 ? errno : 0;
    if (write(said[1], &error, sizeof error) < 0) _exit(1);
    pause();
  });
  close(ready[1]);
  char nothing = 0;
  REQUIRE(read(ready[0], &nothing, 1) == 0);
  close(ready[0]);
  CHECK_THAT(disk.Remove(kJob), IsOk());
  CHECK_FALSE(Exists(disk.At("7")));
  CHECK_FALSE(Exists(disk.At("7.image")));
  // Its space comes back although the process lives, which can use no more.
  CHECK(testing::WaitFor([&] { return disk.IsTrashEmpty(); }));
  close(go[1]);
  int error = 0;
  REQUIRE(read(said[0], &error, sizeof error) == sizeof error);
  CHECK(error == EIO);
  for (const int fd : {go[0], said[0], said[1]}) close(fd);
}

TEST_CASE("scratch limit: frees its space despite another mount namespace",
          "[slurm-hooks]") {
  Disk disk;
  REQUIRE_THAT(disk.Make(kJob, 1), IsOk());
  const UniqueFd image(open(disk.At("7.image").c_str(), O_RDONLY | O_CLOEXEC));
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const UserProcess user(kUser, [&] {
    // As `unshare --user --mount` and `mount --make-rprivate /` do.
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        write(ready[1], "", 1) != 1) {
      _exit(1);
    }
    close(ready[1]);
    pause();
  });
  close(ready[1]);
  char held = 1;
  REQUIRE(read(ready[0], &held, 1) == 1);
  close(ready[0]);
  REQUIRE_THAT(disk.Remove(kJob), IsOk());
  CHECK(testing::WaitFor([&] { return disk.IsTrashEmpty(); }));
  struct stat info {};
  REQUIRE(fstat(image.get(), &info) == 0);
  CHECK(info.st_blocks == 0);
}

TEST_CASE("scratch limit: the next job empties the trash of a crash",
          "[slurm-hooks]") {
  Disk disk;
  disk.Discard("3.image.0", 1 << 20);
  disk.Discard("3.image.1", 1 << 20);
  SECTION("beginning") { REQUIRE_THAT(disk.Make(kJob, 1), IsOk()); }
  SECTION("ending") {
    REQUIRE_THAT(disk.Make(kJob, 0), IsOk());
    MakeFile(disk.At("7.image"), 0);
    REQUIRE_THAT(disk.Remove(kJob), IsOk());
  }
  CHECK(testing::WaitFor([&] { return disk.IsTrashEmpty(); }));
}

TEST_CASE("scratch limit: an empty file system that was spoiled is made anew",
          "[slurm-hooks]") {
  Disk disk;
  const std::string empty = disk.At("empty-1-1.ext4");
  REQUIRE_THAT(disk.Make(kJob, 1), IsOk());
  REQUIRE(Exists(empty));
  {
    const UniqueFd file(open(empty.c_str(), O_WRONLY | O_CLOEXEC));
    const std::string zeros(64 << 10, '\0');
    REQUIRE(pwrite(file.get(), zeros.data(), zeros.size(), 0) ==
            static_cast<ssize_t>(zeros.size()));
  }
  REQUIRE_THAT(disk.Make(kJob, 1), IsOk());
  CHECK(Take(kUser, disk.At("7/mine"), off_t{900} << 20) == 0);
  // Nor is one used that others could have written.
  REQUIRE(chmod(empty.c_str(), 0666) == 0);
  REQUIRE_THAT(disk.Make(kJob, 1), IsOk());
  struct stat info {};
  REQUIRE(stat(empty.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0600);
}

TEST_CASE("scratch limit: replaces files of an earlier run", "[slurm-hooks]") {
  Disk disk;
  REQUIRE_THAT(disk.Make(kJob, 1), IsOk());
  REQUIRE(Take(kUser, disk.At("7/old"), 4096) == 0);
  REQUIRE_THAT(disk.Make(kJob, 1), IsOk());
  CHECK_FALSE(Exists(disk.At("7/old")));
  CHECK(IsMounted(disk.At("7")));
  REQUIRE_THAT(disk.Make(kJob, 0), IsOk());
  CHECK_FALSE(IsMounted(disk.At("7")));
}

}  // namespace
}  // namespace carme::hooks
