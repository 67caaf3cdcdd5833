#include "backend/privileged/storage/area_reading.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "absl/time/clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::storage_reader {
namespace {

using Kind = StorageAreaConfig::Kind;
using privileged::v1::OUTCOME_NOT_FOUND;
using privileged::v1::OUTCOME_OK;
using privileged::v1::StorageResponse;

StorageResponse Read(const AreaToRead& area,
                     QuotaCall ask = AskKernelForQuota) {
  StorageResponse response =
      ReadStorageArea(area, -1, absl::Now() + testing::kWaitTimeout, ask);
  REQUIRE(response.areas_size() == 1);
  CHECK(response.areas(0).name() == area.name);
  CHECK(response.areas(0).path() == area.path);
  return response;
}

AreaToRead QuotaOf(const std::string& path) {
  return {.name = "Home", .path = path, .kind = Kind::kQuota, .id = getuid()};
}

template <int kError>
int Fails(int /*fd*/, int /*type*/, uint32_t /*id*/, struct dqblk* /*quota*/) {
  errno = kError;
  return -1;
}

TEST_CASE("storage area: reports a missing directory", "[backend]") {
  for (const Kind kind : {Kind::kQuota, Kind::kFilesystem}) {
    const StorageResponse response =
        Read({.name = "Gone", .path = "/no/such", .kind = kind});
    CHECK(response.outcome() == OUTCOME_NOT_FOUND);
    CHECK(response.areas(0).problem() == "This directory does not exist.");
    CHECK_THAT(response.message(),
               Catch::StartsWith("Gone: ") && Catch::Contains("\"/no/such\""));
  }
}

TEST_CASE("storage area: reports why there is no quota", "[backend]") {
  for (const QuotaCall ask :
       {Fails<ESRCH>, Fails<ENOSYS>, Fails<EOPNOTSUPP>, Fails<ENODEV>}) {
    CHECK(Read(QuotaOf("/"), ask).areas(0).problem() ==
          "This file system has no quota for you.");
  }
  CHECK(Read(QuotaOf("/"), Fails<EPERM>).areas(0).problem() ==
        "You do not have permission to read this directory.");
  CHECK(Read(QuotaOf("/"), Fails<EIO>).areas(0).problem() ==
        "The usage cannot be read.");
}

TEST_CASE("storage area: /proc has no quota", "[backend]") {
  // The real call: /proc never has any.
  CHECK(Read(QuotaOf("/proc")).areas(0).problem() ==
        "This file system has no quota for you.");
}

TEST_CASE("storage area: reads the quota of the user or the group",
          "[backend]") {
  static int asked_type;
  static uint32_t asked_id;
  const QuotaCall ask = [](int fd, int type, uint32_t id, struct dqblk* quota) {
    struct stat info {};
    if (fstat(fd, &info) != 0 || !S_ISDIR(info.st_mode)) return -1;
    asked_type = type;
    asked_id = id;
    quota->dqb_curspace = 4096;
    quota->dqb_bhardlimit = 8;
    return 0;
  };
  const TempDir dir;
  AreaToRead area = QuotaOf(dir.path());
  area.id = 20001;
  const StorageResponse response = Read(area, ask);
  CHECK(response.outcome() == OUTCOME_OK);
  CHECK(response.message().empty());
  CHECK(response.areas(0).used_bytes() == 4096);
  CHECK(response.areas(0).limit_bytes() == 8192);
  CHECK(asked_type == USRQUOTA);
  CHECK(asked_id == 20001);
  area.of_group = true;
  area.id = 30000;
  Read(area, ask);
  CHECK(asked_type == GRPQUOTA);
  CHECK(asked_id == 30000);
}

TEST_CASE("storage area: figures of a file system are shared", "[backend]") {
  const TempDir dir;
  const StorageResponse response =
      Read({.name = "Tmp", .path = dir.path(), .kind = Kind::kFilesystem});
  CHECK(response.areas(0).problem().empty());
  CHECK(response.areas(0).shared());
  CHECK(response.areas(0).limit_bytes() >= response.areas(0).used_bytes());
  CHECK(response.areas(0).limit_bytes() > 0);
}

TEST_CASE(
    "storage area: reads a program's output, or reports that it is invalid",
    "[backend]") {
  AreaToRead area{.name = "Work",
                  .path = "/work",
                  .kind = Kind::kCommand,
                  .command = {"/bin/echo", "used_bytes=5"}};
  CHECK(Read(area).areas(0).used_bytes() == 5);
  area.command = {"/bin/echo", "sorry\x1b[31m"};
  const StorageResponse response = Read(area);
  CHECK(response.areas(0).problem() == "The usage cannot be read.");
  CHECK_THAT(response.message(),
             Catch::Contains("sorry") && !Catch::Contains("\x1b"));
  area.command = {"/usr/bin/no-such-program"};
  CHECK(Read(area).areas(0).problem() ==
        "The program that reports the usage cannot be run.");
}

}  // namespace
}  // namespace carme::storage_reader
