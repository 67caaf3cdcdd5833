#include "backend/privileged/storage/figures.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::storage_reader {
namespace {

using Format = StorageAreaConfig::Format;
using privileged::v1::StorageArea;

absl::Status Read(const std::string& output, Format format, StorageArea* area) {
  return FillFromOutput(output, format, 20001, area);
}

TEST_CASE("storage figures: refuses invalid output", "[backend]") {
  StorageArea area;
  for (const std::string output :
       {"", "used_bytes", "used_bytes=", "used_bytes=-1", "used_bytes=1 GiB",
        "used_bytes=99999999999999999999", "limit_bytes=5",
        "used_bytes=1\nsize=2", "used_bytes=1=2", "error: no such user",
        "used_bytes=1\ngrace_ends_unix_s=18446744073709551615"}) {
    INFO(output);
    CHECK(absl::IsInvalidArgument(Read(output, Format::kPlain, &area)));
  }
  for (const std::string output :
       {"", "name,id,size,hard,files,hard\n",
        "name,id,size,hard,files,hard\nada,20001,1,2,3\n",
        "name,id,size,hard,files,hard\nada,20002,1,2,3,4\n",
        "name,id,size,hard,files,hard\nada,20001,x,2,3,4\n",
        "name,id,size,hard,files,hard\nada,20001,1,none,3,4\n"}) {
    INFO(output);
    CHECK(absl::IsInvalidArgument(Read(output, Format::kBeegfs, &area)));
  }
}

TEST_CASE("storage figures: reads the line of the id from beegfs-ctl",
          "[backend]") {
  StorageArea area;
  REQUIRE_THAT(Read("name,id,size,hard,files,hard\n"
                    "bob,20002,9,9,9,9\n"
                    "ada,20001,1073741824,10737418240,1000,unlimited\n"
                    "ada,20001,5,5,5,5\n",
                    Format::kBeegfs, &area),
               IsOk());
  CHECK(area.used_bytes() == uint64_t{1} << 30);
  CHECK(area.limit_bytes() == uint64_t{10} << 30);
  CHECK(area.used_files() == 1000);
  CHECK(area.limit_files() == 0);
}

TEST_CASE("storage figures: reads all lines of a plain program", "[backend]") {
  StorageArea area;
  REQUIRE_THAT(Read("used_bytes=1\nsoft_limit_bytes=2\nlimit_bytes=3\n\n"
                    " used_files=4\nsoft_limit_files=5\nlimit_files=6 \n"
                    "grace_ends_unix_s=1800000000",
                    Format::kPlain, &area),
               IsOk());
  CHECK(area.used_bytes() == 1);
  CHECK(area.soft_limit_bytes() == 2);
  CHECK(area.limit_bytes() == 3);
  CHECK(area.used_files() == 4);
  CHECK(area.soft_limit_files() == 5);
  CHECK(area.limit_files() == 6);
  CHECK(area.grace_ends_unix_s() == 1800000000);
}

TEST_CASE("storage figures: leaves out blocks reserved for root", "[backend]") {
  struct statfs found {};
  found.f_frsize = 4096;
  found.f_blocks = 1000;
  found.f_bfree = 400;
  found.f_bavail = 300;
  found.f_files = 50;
  found.f_ffree = 20;
  StorageArea area;
  FillFromFileSystem(found, &area);
  CHECK(area.shared());
  CHECK(area.used_bytes() == 600 * 4096);
  CHECK(area.limit_bytes() == 900 * 4096);
  CHECK(area.used_files() == 30);
  CHECK(area.limit_files() == 50);
  found.f_bfree = 2000;  // more than there is: some say so
  FillFromFileSystem(found, &area);
  CHECK(area.used_bytes() == 0);
}

TEST_CASE("storage figures: quota limits are in KiB, usage in bytes",
          "[backend]") {
  struct dqblk found {};
  found.dqb_curspace = 12345;
  found.dqb_bsoftlimit = 100;
  found.dqb_bhardlimit = 200;
  found.dqb_curinodes = 7;
  found.dqb_isoftlimit = 8;
  found.dqb_ihardlimit = 9;
  found.dqb_btime = 1800000000;  // old: it is below the limit by now
  StorageArea area;
  FillFromQuota(found, &area);
  CHECK_FALSE(area.shared());
  CHECK(area.used_bytes() == 12345);
  CHECK(area.soft_limit_bytes() == 102400);
  CHECK(area.limit_bytes() == 204800);
  CHECK(area.used_files() == 7);
  CHECK(area.soft_limit_files() == 8);
  CHECK(area.limit_files() == 9);
  CHECK(area.grace_ends_unix_s() == 0);
}

TEST_CASE("storage figures: the earlier end of the grace time counts",
          "[backend]") {
  struct dqblk found {};
  found.dqb_curspace = 102401;
  found.dqb_bsoftlimit = 100;
  found.dqb_btime = 1800000500;
  found.dqb_curinodes = 9;
  found.dqb_isoftlimit = 8;
  found.dqb_itime = 1800000000;
  StorageArea area;
  FillFromQuota(found, &area);
  CHECK(area.grace_ends_unix_s() == 1800000000);
  found.dqb_curinodes = 8;
  FillFromQuota(found, &area);
  CHECK(area.grace_ends_unix_s() == 1800000500);
}

TEST_CASE("storage figures: saturate at the maximum", "[backend]") {
  struct dqblk found {};
  found.dqb_bhardlimit = UINT64_MAX;
  StorageArea area;
  FillFromQuota(found, &area);
  CHECK(area.limit_bytes() == UINT64_MAX);
}

}  // namespace
}  // namespace carme::storage_reader
