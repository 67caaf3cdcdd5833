#include "slurm-hooks/spank/step_groups.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme {
namespace {

constexpr char kHybrid[] =
    "24 23 0:20 / /proc rw,nosuid - proc proc rw\n"
    "30 29 0:26 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu\n"
    "31 29 0:27 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n"
    "32 29 0:28 /site /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

TEST_CASE("step's groups: only those by which Slurm tracks are joined",
          "[edf]") {
  for (const char* line :
       {"", "3:cpu:/slurm/job_1", "6:freezer:/", "0::/",
        "6:freezer:", "0::/elsewhere/job_1", "2:freezer:/a\n"}) {
    INFO(line);
    CHECK(GroupDirectory(line, "").empty());
  }
  CHECK(GroupDirectory("3:cpu:/slurm/job_1", kHybrid).empty());
  CHECK(GroupDirectory("6:freezer:/", kHybrid).empty());
  CHECK(GroupDirectory("0::/elsewhere/job_1", kHybrid).empty());
}

TEST_CASE("step's groups: they are found where they are mounted", "[edf]") {
  CHECK(GroupDirectory("6:freezer:/slurm/job_1/step_0", kHybrid) ==
        "/sys/fs/cgroup/freezer/slurm/job_1/step_0");
  CHECK(GroupDirectory("0::/site/slurm/step_0/user/task_0", kHybrid) ==
        "/sys/fs/cgroup/unified/slurm/step_0/user/task_0");
}

}  // namespace
}  // namespace carme
