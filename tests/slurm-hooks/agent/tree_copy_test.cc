#include "slurm-hooks/file_tree/tree_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "common/display_text.h"
#include "common/file.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "slurm-hooks/agent/runtime/staging.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::agent {
namespace {

using node::CopyProgress;
using node::CopyTree;
using node::MeasureTree;

void Put(const std::string& path, const std::string& content,
         mode_t mode = 0644) {
  REQUIRE_THAT(WriteFile(path, content, mode), IsOk());
}
std::string Got(const std::string& path) {
  return ReadFile(path, 64 << 20).value_or("(nothing)");
}
mode_t ModeOf(const std::string& path) {
  struct stat info {};
  REQUIRE(lstat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}
absl::Status Copy(const std::string& from, const std::string& to,
                  CopyProgress* progress) {
  return CopyTree(from, to, 022, progress);
}

TEST_CASE("copy: reports missing sources and invalid names", "[agent]") {
  TempDir dir;
  CopyProgress progress;
  const absl::Status missing =
      Copy(dir.File("none"), dir.File("to"), &progress);
  CHECK(absl::IsNotFound(missing));
  CHECK(missing.message().find(dir.File("none")) != absl::string_view::npos);
  CHECK(absl::IsNotFound(MeasureTree(dir.File("none"), &progress)));
  Put(dir.File("file"), "x");
  for (const std::string& to : {std::string("relative"), dir.File("."),
                                dir.File(".."), std::string("/")}) {
    INFO(to);
    CHECK(absl::IsInvalidArgument(Copy(dir.File("file"), to, &progress)));
  }
}

TEST_CASE("copy: does not follow a link in place of a copied directory",
          "[agent]") {
  TempDir dir;
  REQUIRE(mkdir(dir.File("tree").c_str(), 0755) == 0);
  Put(dir.File("tree/file"), "mine");
  REQUIRE(mkdir(dir.File("elsewhere").c_str(), 0755) == 0);
  REQUIRE(symlink("elsewhere", dir.File("copy").c_str()) == 0);
  CopyProgress progress;
  CHECK_FALSE(Copy(dir.File("tree"), dir.File("copy"), &progress).ok());
  CHECK_FALSE(std::filesystem::exists(dir.File("elsewhere/file")));
}

TEST_CASE("copy: a tree with its links, times and permissions", "[agent]") {
  TempDir dir;
  REQUIRE(mkdir(dir.File("tree").c_str(), 0750) == 0);
  REQUIRE(mkdir(dir.File("tree/below").c_str(), 0755) == 0);
  Put(dir.File("tree/program"), "#!", 0755);
  Put(dir.File("tree/below/data"), std::string(3 << 20, 'd'));
  REQUIRE(chmod(dir.File("tree/program").c_str(), 04755) == 0);
  REQUIRE(symlink("/no/such", dir.File("tree/link").c_str()) == 0);
  REQUIRE(mkfifo(dir.File("tree/pipe").c_str(), 0600) == 0);
  const timespec times[] = {{1000, 0}, {2000, 0}};
  REQUIRE(utimensat(AT_FDCWD, dir.File("tree/program").c_str(), times, 0) == 0);

  CopyProgress measured;
  REQUIRE_THAT(MeasureTree(dir.File("tree"), &measured), IsOk());
  CHECK(measured.bytes == (3 << 20) + 2);
  CHECK(measured.files == 3);
  CopyProgress progress;
  REQUIRE_THAT(Copy(dir.File("tree"), dir.File("new/place/tree"), &progress),
               IsOk());
  CHECK(progress.bytes == measured.bytes);
  CHECK(progress.left_out == 1);
  const std::string copy = dir.File("new/place/tree");
  CHECK(Got(copy + "/below/data") == std::string(3 << 20, 'd'));
  CHECK(ModeOf(dir.File("new")) == 0755);
  CHECK(ModeOf(copy) == 0750);
  CHECK(ModeOf(copy + "/program") == 0755);
  struct stat info {};
  REQUIRE(stat((copy + "/program").c_str(), &info) == 0);
  CHECK(info.st_mtim.tv_sec == 2000);
  CHECK(std::filesystem::read_symlink(copy + "/link") == "/no/such");
  CHECK_FALSE(std::filesystem::exists(copy + "/pipe"));
}

TEST_CASE("copy: merges into directories and replaces files", "[agent]") {
  TempDir dir;
  REQUIRE(mkdir(dir.File("tree").c_str(), 0755) == 0);
  Put(dir.File("tree/file"), "new");
  REQUIRE(mkdir(dir.File("copy").c_str(), 0755) == 0);
  Put(dir.File("copy/file"), "old and longer");
  Put(dir.File("copy/other"), "stays");
  CopyProgress progress;
  REQUIRE_THAT(Copy(dir.File("tree"), dir.File("copy/"), &progress), IsOk());
  CHECK(Got(dir.File("copy/file")) == "new");
  CHECK(Got(dir.File("copy/other")) == "stays");
  for (const auto& entry :
       std::filesystem::directory_iterator(dir.File("copy"))) {
    CHECK(entry.path().filename().string().find("part") == std::string::npos);
  }
}

TEST_CASE("copy: a cancelled copy leaves no partial file", "[agent]") {
  TempDir dir;
  Put(dir.File("file"), std::string(1 << 20, 'x'));
  CopyProgress progress;
  progress.cancel = true;
  CHECK(absl::IsCancelled(Copy(dir.File("file"), dir.File("copy"), &progress)));
  CHECK_FALSE(std::filesystem::exists(dir.File("copy")));
}

TEST_CASE("copy: a link in the source's own name is followed", "[agent]") {
  TempDir dir;
  Put(dir.File("file"), "content");
  REQUIRE(symlink("file", dir.File("link").c_str()) == 0);
  CopyProgress progress;
  REQUIRE_THAT(Copy(dir.File("link"), dir.File("copy"), &progress), IsOk());
  CHECK(Got(dir.File("copy")) == "content");
}

TEST_CASE("staging: paths of people and amounts for them", "[agent]") {
  CHECK(StagePath("/data", "/scratch/7", "/home/ada") == "/data");
  CHECK(StagePath("~/data", "/scratch/7", "/home/ada") == "/home/ada/data");
  CHECK(StagePath("data", "/scratch/7", "/home/ada") == "/scratch/7/data");
  CHECK(FormatBytes(0) == "0 bytes");
  CHECK(FormatBytes(999) == "999 bytes");
  CHECK(FormatBytes(1000) == "1.0 kB");
  CHECK(FormatBytes(123'456'789) == "123 MB");
  CHECK(FormatBytes(1'250'000'000) == "1.2 GB");
}

TEST_CASE("staging: reports its start and its end", "[agent]") {
  const TempDir dir;
  REQUIRE(mkdir(dir.File("scratch").c_str(), 0700) == 0);
  Put(dir.File("words"), "words");
  auto loop = std::move(net::EventLoop::Create()).value();
  const SystemClock clock;
  std::vector<std::pair<carme::v1::AppState, DisplayText>> said;
  Staging staging(*loop, clock,
                  {.home = dir.File(""), .scratch = dir.File("scratch")},
                  [&](const std::string& app, carme::v1::AppState state,
                      const DisplayText& detail) {
                    CHECK(app == kStageIn);
                    said.emplace_back(state, detail);
                  });
  absl::Status staged = absl::UnknownError("");
  const auto run = [&]() -> net::Task<void> {
    std::vector<StagingItem> items = {{dir.File("words"), "copied"}};
    staged = co_await staging.Run(kStageIn, std::move(items));
    loop->Stop();
  };
  loop->Spawn(run());
  loop->Run();
  CHECK_THAT(staged, IsOk());
  CHECK(Got(dir.File("scratch/copied")) == "words");
  REQUIRE(said.size() >= 2);
  CHECK(said.front().first == carme::v1::APP_STATE_STARTING);
  CHECK(said.back().first == carme::v1::APP_STATE_ENDED);
  CHECK(said.back().second.text.find("1 file, 5 bytes") == 0);
  CHECK(said.back().second.code == "AGENT_FILE_COPIED");
}

TEST_CASE("staging: names the cause and the direction of a failed copy",
          "[agent]") {
  const TempDir dir;
  auto loop = std::move(net::EventLoop::Create()).value();
  const SystemClock clock;
  DisplayText last;
  Staging staging(*loop, clock,
                  {.home = dir.File(""), .scratch = dir.File("scratch")},
                  [&](const std::string&, carme::v1::AppState,
                      const DisplayText& detail) { last = detail; });
  absl::Status staged;
  const auto run = [&]() -> net::Task<void> {
    std::vector<StagingItem> items = {{dir.File("none"), "copied"}};
    DisplayText remark = "started before the time limit";
    staged =
        co_await staging.Run(kStageOut, std::move(items), std::move(remark));
    loop->Stop();
  };
  loop->Spawn(run());
  loop->Run();
  CHECK(last.text == absl::StrCat("not copied from the node: ",
                                  std::string(staged.message()),
                                  "; started before the time limit"));
  REQUIRE(last.parameters.size() == 2);
  CHECK(last.parameters[0].value.code == "AGENT_NOT_COPIED_FROM_NODE");
}

}  // namespace
}  // namespace carme::agent
