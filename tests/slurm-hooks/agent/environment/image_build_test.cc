#include "slurm-hooks/agent/environment/image_build.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::agent {
namespace {

// 32 bytes, the mark, and no more.
std::string SmallestSif() {
  return std::string(32, '#') + std::string("SIF_MAGIC\0", 10) + "rest";
}

ImageBuildPlan PlanOf(v1::ImageSource source, const std::string& path) {
  return {.name = "ada/x:1", .source = source, .path = path, .output = "x.sif"};
}

TEST_CASE("image build: refuses links", "[agent]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("x.sif"), SmallestSif(), 0600), IsOk());
  REQUIRE(symlink(dir.File("x.sif").c_str(), dir.File("link").c_str()) == 0);
  const auto made = MeasureImage(dir.File("link"));
  CHECK(absl::IsFailedPrecondition(made.status()));
  CHECK_THAT(std::string(made.status().message()),
             Catch::Contains("is a link"));
  CHECK(absl::IsFailedPrecondition(
      FindImageSource(PlanOf(v1::IMAGE_SOURCE_SIF, dir.File("link")), "/")
          .status()));
}

TEST_CASE(
    "image build: refuses other files than SIF, without waiting for a FIFO",
    "[agent]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("short"), "#!/bin/sh", 0600), IsOk());
  REQUIRE_THAT(WriteFile(dir.File("text"), std::string(100, 'x'), 0600),
               IsOk());
  REQUIRE(mkfifo(dir.File("fifo").c_str(), 0600) == 0);
  for (const char* name : {"short", "text", "fifo"}) {
    INFO(name);
    CHECK(absl::IsFailedPrecondition(MeasureImage(dir.File(name)).status()));
  }
  CHECK(absl::IsFailedPrecondition(MeasureImage(dir.path()).status()));
  CHECK(absl::IsNotFound(MeasureImage(dir.File("none")).status()));
}

TEST_CASE("image build: refuses a readable file of another user", "[agent]") {
  TempDir dir;
  // Root gives a file away; everybody else is not root.
  std::string theirs = "/etc/passwd";
  if (getuid() == 0) {
    theirs = dir.File("x.sif");
    REQUIRE_THAT(WriteFile(theirs, SmallestSif(), 0644), IsOk());
    REQUIRE(chown(theirs.c_str(), 20002, 20002) == 0);
  }
  for (const absl::Status& status :
       {MeasureImage(theirs).status(),
        FindImageSource(PlanOf(v1::IMAGE_SOURCE_DEFINITION, theirs), "/")
            .status()}) {
    CHECK(absl::IsFailedPrecondition(status));
    CHECK_THAT(std::string(status.message()),
               Catch::Contains(": expected yours"));
  }
}

TEST_CASE("image build: refuses a source of the wrong kind", "[agent]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("x"), "x", 0600), IsOk());
  const auto find = [&](v1::ImageSource source, const std::string& path) {
    return FindImageSource(PlanOf(source, path), dir.path());
  };
  CHECK_FALSE(find(v1::IMAGE_SOURCE_OCI_DIRECTORY, dir.File("x")).ok());
  CHECK_FALSE(find(v1::IMAGE_SOURCE_OCI_ARCHIVE, dir.path()).ok());
  CHECK_FALSE(find(v1::IMAGE_SOURCE_DEFINITION, "~/none").ok());
  CHECK(*find(v1::IMAGE_SOURCE_OCI_ARCHIVE, "~/x") == dir.File("x"));
  CHECK(*find(v1::IMAGE_SOURCE_OCI_DIRECTORY, dir.path()) == dir.path());
}

TEST_CASE("image build: hashes a SIF in place", "[agent]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("x.sif"), SmallestSif(), 0600), IsOk());
  const auto made = MeasureImage(dir.File("x.sif"));
  INFO(made.status().ToString());
  REQUIRE_THAT(made, IsOk());
  CHECK(made->path == dir.File("x.sif"));
  CHECK(made->size_bytes == 46);
  CHECK(made->sha256.size() == 64);
}

}  // namespace
}  // namespace carme::agent
