#include "slurm-hooks/agent/environment/image_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "absl/time/clock.h"
#include "common/crypto/file_digest.h"
#include "common/file.h"
#include "common/unique_fd.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::agent {
namespace {

std::string DigestOf(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return Sha256OfFile(fd.get()).value();
}

// A directory for shared images of this user's, and an image.
struct Store {
  Store() {
    REQUIRE(mkdir(dir.File("store").c_str(), 0711) == 0);
    REQUIRE(chmod(dir.File("store").c_str(), 0711) == 0);
    REQUIRE(mkdir(dir.File("incoming").c_str(), 0700) == 0);
    // 32 bytes, the mark of a SIF, and something behind it.
    REQUIRE_THAT(
        WriteFile(dir.File("x.sif"),
                  std::string(32, '#') + std::string("SIF_MAGIC\0", 10) +
                      std::string(3 << 20, 'x'),
                  0600),
        IsOk());
    struct stat info {};
    REQUIRE(stat(dir.File("x.sif").c_str(), &info) == 0);
    plan.task = v1::IMAGE_TASK_STAGE;
    plan.path = dir.File("x.sif");
    plan.output = dir.File("incoming/random.sif");
    plan.sha256 = DigestOf(plan.path);
    plan.size = info.st_size;
  }
  // What the account's job is to do after the owner's.
  ImageBuildPlan Second() const {
    ImageBuildPlan second = plan;
    second.task = v1::IMAGE_TASK_STORE;
    second.path = plan.output;
    second.output = dir.File("store/" + plan.sha256 + ".sif");
    return second;
  }
  bool Has(const std::string& name) const {
    return access(dir.File(name).c_str(), F_OK) == 0;
  }
  void Write(const std::string& name, const std::string& text) const {
    REQUIRE_THAT(WriteFile(dir.File(name), text, 0600), IsOk());
  }
  void Age(const std::string& name) const {
    const timespec times[2] = {{1000, 0}, {1000, 0}};
    REQUIRE(utimensat(AT_FDCWD, dir.File(name).c_str(), times, 0) == 0);
  }
  const TempDir dir;
  ImageBuildPlan plan;
};

TEST_CASE("image copy: refuses to stage another digest", "[agent]") {
  Store store;
  SECTION("one byte differs") {
    const UniqueFd fd(open(store.plan.path.c_str(), O_WRONLY | O_CLOEXEC));
    REQUIRE(pwrite(fd.get(), "y", 1, 100) == 1);
    const absl::Status status = StageImage(store.plan).status();
    CHECK(absl::IsFailedPrecondition(status));
    CHECK_THAT(std::string(status.message()),
               Catch::EndsWith(": expected " + store.plan.sha256));
  }
  SECTION("it is longer") {
    REQUIRE(truncate(store.plan.path.c_str(), store.plan.size + 1) == 0);
    CHECK(absl::IsFailedPrecondition(StageImage(store.plan).status()));
  }
  SECTION("it is a link") {
    REQUIRE(symlink("x.sif", store.dir.File("link").c_str()) == 0);
    store.plan.path = store.dir.File("link");
    CHECK_FALSE(StageImage(store.plan).ok());
  }
  SECTION("it is a FIFO") {
    REQUIRE(mkfifo(store.dir.File("fifo").c_str(), 0600) == 0);
    store.plan.path = store.dir.File("fifo");
    CHECK(absl::IsFailedPrecondition(StageImage(store.plan).status()));
  }
  CHECK_FALSE(store.Has("incoming/random.sif"));
}

TEST_CASE("image copy: does not replace an existing file", "[agent]") {
  Store store;
  store.Write("incoming/random.sif", "theirs");
  CHECK(absl::IsAlreadyExists(StageImage(store.plan).status()));
  CHECK(ReadFile(store.plan.output).value() == "theirs");
}

TEST_CASE("image copy: a file that changed after it was staged is not stored",
          "[agent]") {
  Store store;
  REQUIRE_THAT(StageImage(store.plan), IsOk());
  REQUIRE(chmod(store.plan.output.c_str(), 0600) == 0);
  const UniqueFd fd(open(store.plan.output.c_str(), O_WRONLY | O_CLOEXEC));
  REQUIRE(pwrite(fd.get(), "y", 1, 100) == 1);
  CHECK(absl::IsFailedPrecondition(
      StoreImage(store.Second(), absl::Now()).status()));
  CHECK_FALSE(store.Has("store/" + store.plan.sha256 + ".sif"));
}

TEST_CASE("image copy: refuses a store that others can write", "[agent]") {
  Store store;
  REQUIRE_THAT(StageImage(store.plan), IsOk());
  REQUIRE(chmod(store.dir.File("store").c_str(), 0777) == 0);
  CHECK_THAT(
      std::string(StoreImage(store.Second(), absl::Now()).status().message()),
      Catch::Contains("has mode 0777"));
}

TEST_CASE("image copy: stores the approved file read-only", "[agent]") {
  Store store;
  const auto staged = StageImage(store.plan);
  REQUIRE_THAT(staged, IsOk());
  CHECK(staged->path == store.plan.output);
  // The owner keeps it open for writing: the store has another file.
  REQUIRE(chmod(store.plan.output.c_str(), 0600) == 0);
  const UniqueFd open_for_writing(
      open(store.plan.output.c_str(), O_WRONLY | O_CLOEXEC));
  const ImageBuildPlan second = store.Second();
  const auto stored = StoreImage(second, absl::Now());
  REQUIRE_THAT(stored, IsOk());
  CHECK(stored->path == second.output);
  CHECK(stored->sha256 == store.plan.sha256);
  REQUIRE(pwrite(open_for_writing.get(), "y", 1, 100) == 1);
  CHECK(DigestOf(second.output) == store.plan.sha256);
  CHECK_FALSE(store.Has("incoming/random.sif"));
  struct stat info {};
  REQUIRE(stat(second.output.c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0444);
  CHECK_THAT(CheckStored(second.output, geteuid()), IsOk());
  // It is also the copy of another user's image with the same content, and is
  // new again: a job with an older list of images does not remove it.
  store.Age("store/" + store.plan.sha256 + ".sif");
  REQUIRE_THAT(StageImage(store.plan), IsOk());
  CHECK_THAT(StoreImage(second, absl::Now()), IsOk());
  REQUIRE(stat(second.output.c_str(), &info) == 0);
  CHECK(absl::FromUnixSeconds(info.st_mtim.tv_sec) + absl::Hours(1) >
        absl::Now());
}

TEST_CASE("image copy: refuses to start from a file that others can change",
          "[agent]") {
  Store store;
  REQUIRE_THAT(StageImage(store.plan), IsOk());
  const ImageBuildPlan second = store.Second();
  REQUIRE_THAT(StoreImage(second, absl::Now()), IsOk());
  CHECK(absl::IsFailedPrecondition(CheckStored(second.output, geteuid() + 1)));
  REQUIRE(chmod(second.output.c_str(), 0464) == 0);
  CHECK(absl::IsFailedPrecondition(CheckStored(second.output, geteuid())));
  REQUIRE(chmod(second.output.c_str(), 0444) == 0);
  REQUIRE(chmod(store.dir.File("store").c_str(), 01733) == 0);
  CHECK(absl::IsFailedPrecondition(CheckStored(second.output, geteuid())));
  REQUIRE(chmod(store.dir.File("store").c_str(), 0711) == 0);
  // A user who can write above replaces the directory.
  REQUIRE(chmod(store.dir.path().c_str(), 0777) == 0);
  CHECK_THAT(std::string(CheckStored(second.output, geteuid()).message()),
             Catch::Contains("and mode 0777"));
  REQUIRE(chmod(store.dir.path().c_str(), 0700) == 0);
  CHECK_THAT(CheckStored(second.output, geteuid()), IsOk());
  REQUIRE(rename(second.output.c_str(), store.dir.File("y").c_str()) == 0);
  REQUIRE(symlink("../y", second.output.c_str()) == 0);
  CHECK(absl::IsFailedPrecondition(CheckStored(second.output, geteuid())));
}

TEST_CASE("image copy: removes unused files after a day", "[agent]") {
  Store store;
  REQUIRE_THAT(StageImage(store.plan), IsOk());
  ImageBuildPlan second = store.Second();
  second.keep = {"kept.sif", "waits.sif"};
  for (const char* name : {"kept.sif", "old.sif", "old.sif.7.part", "notes"}) {
    store.Write(std::string("store/") + name, "x");
    store.Age(std::string("store/") + name);
  }
  for (const char* name : {"failed.sif", "waits.sif", "other"}) {
    store.Write(std::string("incoming/") + name, "x");
    store.Age(std::string("incoming/") + name);
  }
  store.Write("incoming/others-copy.sif", "x");
  store.Write("store/new.sif", "x");
  REQUIRE_THAT(StoreImage(second, absl::Now()), IsOk());
  for (const char* name : {"kept.sif", "new.sif", "notes"}) {
    INFO(name);
    CHECK(store.Has(std::string("store/") + name));
  }
  CHECK(store.Has("incoming/others-copy.sif"));
  CHECK(store.Has("incoming/other"));
  CHECK(store.Has("incoming/waits.sif"));
  CHECK_FALSE(store.Has("incoming/failed.sif"));
  CHECK_FALSE(store.Has("store/old.sif"));
  CHECK_FALSE(store.Has("store/old.sif.7.part"));
}

TEST_CASE("image check: a site's file that users can write is refused",
          "[agent]") {
  Store store;
  const std::string& path = store.plan.path;
  const auto found = CheckSiteImage(path);
  REQUIRE_THAT(found, IsOk());
  CHECK(found->sha256 == store.plan.sha256);
  CHECK(found->size_bytes == store.plan.size);
  REQUIRE(chmod(path.c_str(), 0666) == 0);
  CHECK(absl::IsFailedPrecondition(CheckSiteImage(path).status()));
  REQUIRE(chmod(path.c_str(), 0644) == 0);
  // A user who can write above replaces the file, also by a link.
  const auto moved = store.dir.File("store/deep");
  REQUIRE(mkdir(moved.c_str(), 0755) == 0);
  REQUIRE(link(path.c_str(), (moved + "/x.sif").c_str()) == 0);
  REQUIRE(symlink((moved + "/x.sif").c_str(),
                  store.dir.File("link.sif").c_str()) == 0);
  CHECK_THAT(CheckSiteImage(moved + "/x.sif"), IsOk());
  CHECK_THAT(CheckSiteImage(store.dir.File("link.sif")), IsOk());
  REQUIRE(chmod(store.dir.File("store").c_str(), 0777) == 0);
  for (const std::string& by : {moved + "/x.sif", store.dir.File("link.sif")}) {
    CHECK_THAT(std::string(CheckSiteImage(by).status().message()),
               Catch::Contains("and mode 0777"));
  }
  CHECK_THAT(CheckSiteImage(path), IsOk());
  if (geteuid() == 0) {  // only root gives files away
    REQUIRE(chown(path.c_str(), 65533, 65533) == 0);
    CHECK_THAT(std::string(CheckSiteImage(path).status().message()),
               Catch::Contains("belongs to uid 65533"));
  }
  store.Write("text", std::string(100, 'x'));
  CHECK(absl::IsFailedPrecondition(
      CheckSiteImage(store.dir.File("text")).status()));
  CHECK(absl::IsNotFound(CheckSiteImage(store.dir.File("none")).status()));
}

}  // namespace
}  // namespace carme::agent
