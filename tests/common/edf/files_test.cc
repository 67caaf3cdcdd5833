#include "common/edf/files.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "common/edf/render.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme {
namespace {

TEST_CASE("files: a file that is too long is refused", "[edf]") {
  const TempDir directory;
  const std::string path = directory.File("long.toml");
  REQUIRE_THAT(WriteFile(path, std::string(300 << 10, '\n'), 0644), IsOk());
  const EdfResult result =
      RenderEdf(path, {.files = RealEdfFiles(), .variables = {}, .cwd = "/"});
  REQUIRE(result.problems.list().size() == 1);
  CHECK(result.problems.list()[0].number == EdfNumber::kLimit);
}

TEST_CASE("files: distinguishes files, directories and missing ones", "[edf]") {
  const TempDir directory;
  const EdfFiles files = RealEdfFiles();
  const std::string path = directory.File("x.toml");
  CHECK(files.kind(path) == EdfFileKind::kMissing);
  REQUIRE_THAT(WriteFile(path, "image = \"a\"", 0644), IsOk());
  CHECK(files.kind(path) == EdfFileKind::kRegular);
  CHECK(files.kind(path + "/x") == EdfFileKind::kMissing);
  CHECK(files.kind(directory.path()) == EdfFileKind::kOther);
  // reading one would wait for a writer
  REQUIRE(mkfifo(directory.File("fifo.toml").c_str(), 0600) == 0);
  CHECK(files.kind(directory.File("fifo.toml")) == EdfFileKind::kOther);
}

TEST_CASE("files: an environment in a real file", "[edf]") {
  const TempDir directory;
  const std::string path = directory.File("x.toml");
  REQUIRE_THAT(WriteFile(path, "image = \"./a.sqsh\"", 0644), IsOk());
  const EdfResult result = RenderEdf(
      "x.toml",
      {.files = RealEdfFiles(), .variables = {}, .cwd = directory.path()});
  REQUIRE(result.edf);
  CHECK(result.path == path);
  CHECK(result.edf->image.path == directory.File("a.sqsh"));
}

}  // namespace
}  // namespace carme
