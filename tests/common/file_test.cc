#include "common/file.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme {
namespace {

class TempDir {
 public:
  TempDir() { REQUIRE(mkdtemp(path_.data()) != nullptr); }
  ~TempDir() {
    unlink(File().c_str());
    rmdir(path_.c_str());
  }
  std::string File() const { return path_ + "/file"; }

 private:
  std::string path_ = "/tmp/carme-file-test-XXXXXX";
};

TEST_CASE("file: a missing one is NOT_FOUND and is named", "[common]") {
  const auto content = ReadFile("/nonexistent/x");
  CHECK_THAT(content, StatusIs(absl::StatusCode::kNotFound));
  CHECK(std::string(content.status().message()).find("\"/nonexistent/x\"") !=
        std::string::npos);
}

TEST_CASE("file: one that is too long is refused", "[common]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File(), std::string(100, 'x'), 0600), IsOk());
  CHECK_THAT(ReadFile(dir.File(), 99),
             StatusIs(absl::StatusCode::kResourceExhausted));
  CHECK_THAT(ReadFile(dir.File(), 100), IsOk());
}

TEST_CASE("file: a secret that others may read is refused", "[common]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File(), "secret\n", 0600), IsOk());
  REQUIRE(chmod(dir.File().c_str(), 0644) == 0);
  CHECK_THAT(ReadSecretFile(dir.File()),
             StatusIs(absl::StatusCode::kPermissionDenied));
  REQUIRE(chmod(dir.File().c_str(), 0640) == 0);
  CHECK(ReadSecretFile(dir.File()).value() == "secret");
}

TEST_CASE("file: writing replaces the whole content", "[common]") {
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File(), "long content", 0600), IsOk());
  REQUIRE_THAT(WriteFile(dir.File(), "short", 0600), IsOk());
  CHECK(ReadFile(dir.File()).value() == "short");
}

}  // namespace
}  // namespace carme
