#include "slurm-hooks/mount/images/user_images.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <string>

#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::mount {
namespace {

MountPlan PlanOf(const std::string& path) {
  REQUIRE_THAT(WriteFile(path, "hsqs", 0644), IsOk());
  MountPlan plan;
  plan.image = UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  plan.image_path = path;
  plan.image_is_file = true;
  return plan;
}

TEST_CASE("user images: can be disabled", "[edf]") {
  TempDir directory;
  MountConfig config;
  config.user_images = false;
  MountPlan plan = PlanOf(directory.File("a.sqsh"));
  UserImages images(config, -1, {20001, 20001}, Deadline(60));
  const absl::Status status = images.Serve(&plan);
  CHECK(absl::IsPermissionDenied(status));
  CHECK(std::string(status.message()).find("it is not one of the site's") !=
        std::string::npos);
}

TEST_CASE("user images: images in a directory of the site are not served",
          "[edf]") {
  TempDir directory;
  MountConfig config;
  config.images = {directory.File("site")};
  REQUIRE(mkdir(config.images[0].c_str(), 0755) == 0);
  MountPlan plan = PlanOf(config.images[0] + "/a.sqsh");
  UserImages images(config, -1, {20001, 20001}, Deadline(60));
  CHECK_THAT(images.Serve(&plan), IsOk());
  CHECK(images.servers().empty());
  CHECK_FALSE(plan.served.valid());
}

}  // namespace
}  // namespace carme::mount
