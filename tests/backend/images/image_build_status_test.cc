#include "backend/images/image_build_status.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

using State = ImageBuildStatus::State;
using absl::StatusCode;

const absl::Time kNow = absl::FromUnixSeconds(2000);

TEST_CASE("image build: refuses an invalid status file", "[backend]") {
  const struct {
    std::string text;
    const char* message;
  } rows[] = {
      {"", "state is missing"},
      {"step=1\nsteps=2\n", "state is missing"},
      {"state=complete\n", "invalid line \"state=complete\""},
      {"state=building\nno key\n", "invalid line \"no key\""},
      {"state=building\nstep=-1\n", "invalid line \"step=-1\""},
      {"state=building\nstep=99999999999\n", "invalid line"},
      {"state=building\nstep=3\nsteps=2\n", "step is beyond steps"},
      {"state=building\npercent=101\n", "invalid line \"percent=101\""},
      {"state=building\nupdated_at=soon\n", "invalid line"},
      {"state=building\nupdated_at=999999999999999\n", "invalid line"},
      {"state=ready\nsha256=../../etc/passwd\n", "invalid line"},
      {"state=building\n\x1b[2J\n", "invalid line \"?[2J\""},
  };
  for (const auto& row : rows) {
    INFO(row.text);
    CHECK_THAT(ParseImageBuildStatus(row.text).status(),
               StatusIs(StatusCode::kInvalidArgument, row.message));
  }
}

TEST_CASE("image build: reads a status file", "[backend]") {
  const ImageBuildStatus building =
      ParseImageBuildStatus(
          "state=building\nstep=1\nsteps=3\npercent=40\nother=x\n"
          "message=installing packages\nstarted_at=1000\nupdated_at=1900\n")
          .value();
  CHECK(building.state == State::kBuilding);
  CHECK(building.step == 1);
  CHECK(building.steps == 3);
  CHECK(building.percent == 40);
  CHECK(building.message == "installing packages");
  CHECK(building.started_at == absl::FromUnixSeconds(1000));
  CHECK(building.updated_at == absl::FromUnixSeconds(1900));
  const std::string digest(64, 'a');
  CHECK(ParseImageBuildStatus("state=ready\nsha256=" + digest)->sha256 ==
        digest);
  CHECK(ParseImageBuildStatus("state=failed\nmessage=disk full\n")->state ==
        State::kFailed);
}

TEST_CASE("image build: a message cannot deceive a terminal or page",
          "[backend]") {
  const ImageBuildStatus build =
      ParseImageBuildStatus("state=failed\nmessage=a\x1b[31m\xe2\x80\xae" +
                            std::string(1000, 'b'))
          .value();
  CHECK(build.message.size() <= 200);
  CHECK(build.message.starts_with("a?[31m?b"));
}

TEST_CASE("image build: a build without progress has failed", "[backend]") {
  TempDir dir;
  const std::string path = dir.File("status");
  const auto state = [&](const std::string& text) {
    REQUIRE_THAT(WriteFile(path, text, 0644), IsOk());
    return ReadImageBuildStatus(path, kNow).value();
  };
  CHECK(state("state=building\nupdated_at=1401\n").state == State::kBuilding);
  const ImageBuildStatus stale = state("state=building\nupdated_at=1399\n");
  CHECK(stale.state == State::kFailed);
  CHECK(stale.message ==
        "the build reports no progress since 1970-01-01 00:23 UTC");
  CHECK(state("state=building\n").state == State::kFailed);
  CHECK(state("state=ready\nupdated_at=1\n").state == State::kReady);
}

TEST_CASE("image build: refuses a file that others control", "[backend]") {
  TempDir dir;
  const std::string path = dir.File("status");
  const auto status = [&] { return ReadImageBuildStatus(path, kNow).status(); };
  CHECK_THAT(status(), StatusIs(StatusCode::kNotFound));
  REQUIRE_THAT(WriteFile(path, "state=ready\n", 0644), IsOk());
  CHECK_THAT(status(), IsOk());

  REQUIRE(chmod(path.c_str(), 0666) == 0);
  CHECK_THAT(status(), StatusIs(StatusCode::kFailedPrecondition,
                                "can be written by other users"));
  REQUIRE(chmod(path.c_str(), 0664) == 0);
  CHECK_THAT(status(), StatusIs(StatusCode::kFailedPrecondition));
  REQUIRE(chmod(path.c_str(), 0644) == 0);

  const std::string real = dir.File("real");
  REQUIRE(rename(path.c_str(), real.c_str()) == 0);
  REQUIRE(symlink(real.c_str(), path.c_str()) == 0);
  CHECK_THAT(status(), StatusIs(StatusCode::kFailedPrecondition, "is a link"));

  REQUIRE(unlink(path.c_str()) == 0);
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK_THAT(status(), StatusIs(StatusCode::kFailedPrecondition,
                                "is not a regular file"));
  REQUIRE(unlink(path.c_str()) == 0);
  REQUIRE(mkdir(path.c_str(), 0700) == 0);
  CHECK_THAT(status(), StatusIs(StatusCode::kFailedPrecondition));
}

TEST_CASE("image build: refuses a status file that is too long", "[backend]") {
  TempDir dir;
  const std::string path = dir.File("status");
  REQUIRE_THAT(WriteFile(path, "state=ready\n" + std::string(4085, '\n'), 0644),
               IsOk());
  CHECK_THAT(ReadImageBuildStatus(path, kNow).status(),
             StatusIs(StatusCode::kResourceExhausted, "longer than 4096"));
}

}  // namespace
}  // namespace carme::backend
