#include "backend/images/image_rules.h"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

TEST_CASE("image rules: refuses malformed ids", "[backend]") {
  for (const char* id : {"", "base", ":1", "base:", "a/b:1", "base:1:2",
                         "base :1", "../x:1", "b\xc3\xa4se:1"}) {
    INFO(id);
    CHECK_FALSE(IsImageId(id));
  }
  CHECK_FALSE(IsImageId(std::string(127, 'a') + ":1"));
  CHECK(IsImageId("base_2.1-x+y:2026.11"));
}

TEST_CASE("image rules: folders that Apptainer would misread are refused",
          "[backend]") {
  for (const char* path :
       {"", "data", "/a:b", "/a,b", "/a\"b", "/a\nb", "/a\x1b[0m"}) {
    INFO(path);
    CHECK_FALSE(IsImageFolder(path));
  }
  CHECK(IsImageFolder("/data/{user}"));
}

TEST_CASE("image rules: each setting that is wrong is named", "[backend]") {
  std::vector<App> apps;
  apps.emplace_back().id = "jupyter";
  struct Row {
    const char* named;
    std::function<void(Image*)> spoil;
  };
  const Row rows[] = {
      {"description", [](Image* i) { i->description = "a\nb"; }},
      {"description", [](Image* i) { i->description.assign(201, 'x'); }},
      {"app \"code\" is not offered",
       [](Image* i) { i->apps.emplace_back("code"); }},
      {"mount",
       [](Image* i) {
         i->mounts = {{"/a", "b", false}};
       }},
      {"mounts: expected at most 32",
       [](Image* i) {
         i->mounts.resize(33, {"/a", "/a", true});
       }},
      {"variable \"1A\"",
       [](Image* i) {
         i->environment = {{"1A", "x"}};
       }},
      {"variable \"A=B\"",
       [](Image* i) {
         i->environment = {{"A=B", "x"}};
       }},
      {"variable \"SLURM_JOB_ID\" is Slurm's or Carme's",
       [](Image* i) {
         i->environment = {{"SLURM_JOB_ID", "3"}};
       }},
      {"variable \"CARME_SCRATCH\"",
       [](Image* i) {
         i->environment = {{"CARME_SCRATCH", "/x"}};
       }},
      {"variable \"A\"",
       [](Image* i) {
         i->environment = {{"A", "x\ny"}};
       }},
      {"driver", [](Image* i) { i->driver = "new"; }},
      {"cuda", [](Image* i) { i->cuda = "12,4"; }},
  };
  for (const Row& row : rows) {
    Image image;
    row.spoil(&image);
    INFO(row.named);
    const absl::Status status = CheckImageSettings(image, apps);
    CHECK_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    CHECK_THAT(std::string(status.message()), Catch::Contains(row.named));
  }
  Image image;
  image.apps = {"jupyter"};
  image.mounts = {{"/data/{user}", "/data", true}};
  image.environment = {{"OMP_NUM_THREADS", "4"}};
  image.driver = "550.54";
  CHECK_THAT(CheckImageSettings(image, apps), IsOk());
}

}  // namespace
}  // namespace carme::backend
