#include "backend/privileged/impersonator/authz/slurm_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "backend/privileged/privsep/root_files.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::impersonator {
namespace {

TEST_CASE("slurm files: detect changes of slurm.conf and files beside it",
          "[backend]") {
  const TempDir dir;
  const std::string conf = dir.File("slurm.conf");
  REQUIRE_THAT(WriteFile(conf, "a=1\n", 0644), IsOk());
  const SlurmFiles files(conf);
  const uint64_t first = files.Fingerprint();
  CHECK(files.Fingerprint() == first);
  CHECK(SlurmFiles(conf).Fingerprint() == first);
  REQUIRE_THAT(WriteFile(dir.File("nodes.conf"), "b=1\n", 0644), IsOk());
  const uint64_t second = files.Fingerprint();
  CHECK(second != first);
  REQUIRE_THAT(WriteFile(conf, "a=2\n", 0644), IsOk());
  CHECK(files.Fingerprint() != second);
}

TEST_CASE("slurm files: detect a replaced directory", "[backend]") {
  const TempDir dir;
  const std::string conf = dir.File("slurm/slurm.conf");
  const SlurmFiles none(conf);
  CHECK(none.Fingerprint() == 0);
  REQUIRE(mkdir(dir.File("slurm").c_str(), 0755) == 0);
  CHECK(none.Fingerprint() != 0);
  const SlurmFiles files(conf);
  const uint64_t first = files.Fingerprint();
  REQUIRE(rename(dir.File("slurm").c_str(), dir.File("old").c_str()) == 0);
  REQUIRE(mkdir(dir.File("slurm").c_str(), 0755) == 0);
  CHECK(files.Fingerprint() != first);
}

TEST_CASE("slurm files: a writable directory makes the file writable",
          "[backend]") {
  const TempDir dir;
  const std::string conf = dir.File("slurm.conf");
  REQUIRE_THAT(WriteFile(conf, "", 0644), IsOk());
  if (getuid() == 0) {
    CHECK_THAT(CheckOnlyRootWrites(conf), IsOk());
  }
  const std::string below = dir.File("below");
  const std::string link = dir.File("below/link");
  REQUIRE(mkdir(below.c_str(), 0755) == 0);
  REQUIRE_THAT(WriteFile(dir.File("below/slurm.conf"), "", 0644), IsOk());
  REQUIRE(symlink(conf.c_str(), link.c_str()) == 0);
  REQUIRE(chmod(dir.path().c_str(), 0777) == 0);
  for (const std::string& path : {conf, dir.File("below/slurm.conf"), link}) {
    CHECK_THAT(CheckOnlyRootWrites(path),
               StatusIs(absl::StatusCode::kFailedPrecondition));
  }
  CHECK(absl::IsNotFound(CheckOnlyRootWrites(dir.File("nosuch"))));
}

TEST_CASE("slurm files: root does not read a file with includes", "[backend]") {
  if (getuid() != 0) return;  // then it is no file of root's either
  const TempDir dir;
  const std::string conf = dir.File("slurm.conf");
  REQUIRE_THAT(WriteFile(conf, "a=1\n# include x\n", 0644), IsOk());
  CHECK_THAT(CheckRootMayRead(conf), IsOk());
  REQUIRE_THAT(WriteFile(conf, "a=1\n  INCLUDE /home/slurm/x\n", 0644), IsOk());
  CHECK_THAT(CheckRootMayRead(conf),
             StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace carme::impersonator
