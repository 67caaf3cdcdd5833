#include "slurm-hooks/agent/environment/image_build.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "common/net/event_loop.h"
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

// A node with a program that records how it is called, in place of Apptainer.
class RecipeBuild {
 public:
  RecipeBuild() {
    for (const char* name : {"home", "scratch", "run"}) {
      REQUIRE(mkdir(dir_.File(name).c_str(), 0700) == 0);
    }
    REQUIRE_THAT(WriteFile(dir_.File("base.sif"), SmallestSif(), 0600), IsOk());
    REQUIRE_THAT(
        WriteFile(
            dir_.File("apptainer"),
            absl::StrCat("#!/bin/sh\necho \"$*\" >> ", dir_.File("calls"),
                         "\nif [ \"$4\" = --sandbox ]; then mkdir \"$5\"; "
                         "else [ -d base ] && [ -f pip.txt ] && printf "
                         "'################################SIF_MAGIC"
                         "\\0rest' > \"$5\"; fi\n"),
            0755),
        IsOk());
    recipe_.set_base_path(dir_.File("base.sif"));
    recipe_.set_base_sha256(MeasureImage(dir_.File("base.sif"))->sha256);
    recipe_.set_pip_index_url("https://pip.example/simple");
    recipe_.mutable_recipe()->add_pip_packages("torch>=2.7");
  }

  absl::StatusOr<ImageFileInfo> Run() {
    JobFacts facts;
    facts.environment.apptainer = dir_.File("apptainer");
    facts.environment.scratch = dir_.File("scratch");
    facts.environment.directory = dir_.File("run");
    facts.account = {.name = "ada", .home = dir_.File("home"), .shell = "/"};
    ImageBuildPlan plan = PlanOf(v1::IMAGE_SOURCE_DEFINITION, "");
    plan.recipe = recipe_;
    const auto loop = net::EventLoop::Create().value();
    absl::StatusOr<ImageFileInfo> made;
    std::atomic<bool> ended = false;
    std::optional<ImageBuild> build;
    build.emplace(*loop, facts, plan, [&](absl::StatusOr<ImageFileInfo> file) {
      made = std::move(file);
      ended = true;
      loop->Stop();
    });
    // In place of SIGCHLD.
    std::thread children([&] {
      while (!ended) {
        loop->Post([&] { build->OnChild(); });
        absl::SleepFor(absl::Milliseconds(10));
      }
    });
    loop->Post([&] { build->Begin(); });
    loop->Run();
    children.join();
    build.reset();
    return made;
  }

  TempDir dir_;
  v1::ImageRecipePlan recipe_;
};

TEST_CASE("image build: a changed base is refused before anything runs",
          "[agent]") {
  RecipeBuild site;
  site.recipe_.set_base_sha256(std::string(64, 'a'));
  const auto made = site.Run();
  CHECK(absl::IsFailedPrecondition(made.status()));
  CHECK_FALSE(ReadFile(site.dir_.File("calls")).ok());
}

TEST_CASE("image build: packages are added to the unpacked base", "[agent]") {
  RecipeBuild site;
  const auto made = site.Run();
  REQUIRE_THAT(made, IsOk());
  CHECK(made->path == site.dir_.File("home/carme-images/x.sif"));
  const std::string recipe = site.dir_.File("scratch/recipe");
  const std::string calls = ReadFile(site.dir_.File("calls")).value();
  CHECK_THAT(calls, Catch::StartsWith(absl::StrCat(
                        "--nocolor build --force --sandbox ", recipe, "/base ",
                        site.dir_.File("base.sif"), "\n")));
  CHECK_THAT(calls,
             Catch::Contains("--ignore-fakeroot-command") &&
                 Catch::EndsWith(absl::StrCat(" ", recipe, "/image.def\n")));
}

}  // namespace
}  // namespace carme::agent
