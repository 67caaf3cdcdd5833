#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "tests/slurm-hooks/files/files_app.h"

namespace carme::files {
namespace {

namespace fs = std::filesystem;

std::string PairTarget(const std::string& operation, const std::string& from,
                       const std::string& to) {
  return absl::StrCat("/api/", operation, "?path=", from, "&to=", to);
}

TEST_CASE("files: refuses copies that would replace or recurse", "[files]") {
  const FilesApp app;
  fs::create_directory(app.HomeFile("a"));
  std::ofstream(app.HomeFile("b")) << "b";
  for (const std::string operation : {"copy", "move"}) {
    CAPTURE(operation);
    CHECK(app.Request("POST", PairTarget(operation, app.HomeFile("a"),
                                         app.HomeFile("b")))
              .result_int() == 409);
    CHECK(app.Request("POST", PairTarget(operation, app.HomeFile("a"),
                                         app.HomeFile("a/inside")))
              .result_int() == 400);
    CHECK(app.Request("POST", PairTarget(operation, app.HomeFile("none"),
                                         app.HomeFile("c")))
              .result_int() == 404);
    CHECK(app.Request("POST", PairTarget(operation, app.HomeFile("b"),
                                         app.HomeFile("none/c")))
              .result_int() == 404);
  }
  CHECK(app.Request("POST", "/api/delete?path=/").result_int() == 403);
  CHECK(app.Request("POST", "/api/tasks/cancel?id=9").result_int() == 404);
}

TEST_CASE("files: copies, moves and deletes folders", "[files]") {
  const FilesApp app;
  fs::create_directories(app.HomeFile("a/sub"));
  std::ofstream(app.HomeFile("a/sub/file")) << "content";
  CHECK(app.Request("POST",
                    PairTarget("copy", app.HomeFile("a"), app.HomeFile("b")))
            .body() == "{\"task\":\"1\"}");
  CHECK(app.AwaitTasks().find(R"("state":"done","files":1,"bytes":7)") !=
        std::string::npos);
  CHECK(ReadFile(app.HomeFile("b/sub/file")).value_or("") == "content");
  REQUIRE(app.Request("POST",
                      PairTarget("move", app.HomeFile("b"), app.HomeFile("c")))
              .result_int() == 202);
  app.AwaitTasks();
  CHECK_FALSE(fs::exists(app.HomeFile("b")));
  CHECK(fs::exists(app.HomeFile("c/sub/file")));
  REQUIRE(app.Request("POST", "/api/delete?path=" + app.HomeFile("c"))
              .result_int() == 202);
  app.AwaitTasks();
  CHECK_FALSE(fs::exists(app.HomeFile("c")));
}

TEST_CASE("files: moves between file systems", "[files]") {
  const FilesApp app;
  const std::string other =
      absl::StrCat("/dev/shm/carme-files-test-", getpid());
  fs::create_directories(app.HomeFile("a"));
  std::ofstream(app.HomeFile("a/file")) << "content";
  CHECK(app.Request("POST", PairTarget("rename", app.HomeFile("a"), other))
            .result_int() == 422);
  REQUIRE(app.Request("POST", PairTarget("move", app.HomeFile("a"), other))
              .result_int() == 202);
  app.AwaitTasks();
  CHECK(ReadFile(other + "/file").value_or("") == "content");
  CHECK_FALSE(fs::exists(app.HomeFile("a")));
  fs::remove_all(other);
}

TEST_CASE("files: never follows links when it deletes", "[files]") {
  const FilesApp app;
  fs::create_directories(app.HomeFile("kept"));
  std::ofstream(app.HomeFile("kept/file")) << "content";
  fs::create_directory(app.HomeFile("a"));
  fs::create_directory_symlink(app.HomeFile("kept"), app.HomeFile("a/link"));
  fs::create_directory_symlink(app.HomeFile("kept"), app.HomeFile("link"));
  app.Request("POST", "/api/delete?path=" + app.HomeFile("a"));
  app.Request("POST", "/api/delete?path=" + app.HomeFile("link"));
  app.AwaitTasks();
  CHECK_FALSE(fs::exists(app.HomeFile("a")));
  CHECK_FALSE(fs::is_symlink(app.HomeFile("link")));
  CHECK(fs::exists(app.HomeFile("kept/file")));
}

TEST_CASE("files: refuses a copy into itself by a link", "[files]") {
  const FilesApp app;
  fs::create_directories(app.HomeFile("a/sub"));
  fs::create_directory_symlink(app.HomeFile("a/sub"), app.HomeFile("link"));
  CHECK(app.Request("POST", PairTarget("copy", app.HomeFile("a"),
                                       app.HomeFile("link/x")))
            .result_int() == 400);
}

TEST_CASE("files: copies that run at the same time do not mix", "[files]") {
  const FilesApp app;
  const std::string a(16 << 20, 'a'), b(16 << 20, 'b');
  std::ofstream(app.HomeFile("a")) << a;
  std::ofstream(app.HomeFile("b")) << b;
  fs::create_directory(app.HomeFile("out"));
  for (int round = 0; round < 4; ++round) {
    const std::string to = absl::StrCat(app.HomeFile("out/"), round);
    REQUIRE(app.Request("POST", PairTarget("copy", app.HomeFile("a"), to + "a"))
                .result_int() == 202);
    REQUIRE(app.Request("POST", PairTarget("copy", app.HomeFile("b"), to + "b"))
                .result_int() == 202);
    CHECK(app.AwaitTasks().find("failed") == std::string::npos);
    CHECK((ReadFile(to + "a", 64 << 20).value_or("") == a));
    CHECK((ReadFile(to + "b", 64 << 20).value_or("") == b));
  }
}

TEST_CASE("files: moves a link between file systems as a link", "[files]") {
  const FilesApp app;
  const std::string other =
      absl::StrCat("/dev/shm/carme-files-link-", getpid());
  fs::create_symlink("/etc/passwd", app.HomeFile("link"));
  REQUIRE(app.Request("POST", PairTarget("move", app.HomeFile("link"), other))
              .result_int() == 202);
  app.AwaitTasks();
  CHECK(fs::is_symlink(other));
  CHECK_FALSE(fs::is_symlink(app.HomeFile("link")));
  fs::remove(other);
}

TEST_CASE("files: keeps a folder of which a pipe cannot be moved", "[files]") {
  const FilesApp app;
  const std::string other =
      absl::StrCat("/dev/shm/carme-files-pipe-", getpid());
  fs::create_directory(app.HomeFile("a"));
  REQUIRE(mkfifo(app.HomeFile("a/pipe").c_str(), 0600) == 0);
  app.Request("POST", PairTarget("move", app.HomeFile("a"), other));
  CHECK(app.AwaitTasks().find("\"state\":\"failed\"") != std::string::npos);
  CHECK(fs::exists(app.HomeFile("a/pipe")));
  fs::remove_all(other);
}

TEST_CASE("files: leaves nothing of a copy that failed", "[files]") {
  const FilesApp app;
  std::string deep = app.HomeFile("a");
  for (int depth = 0; depth < 250; ++depth) absl::StrAppend(&deep, "/d");
  fs::create_directories(deep);
  REQUIRE(app.Request("POST",
                      PairTarget("copy", app.HomeFile("a"), app.HomeFile("b")))
              .result_int() == 202);
  const std::string tasks = app.AwaitTasks();
  CHECK(tasks.find("\"state\":\"failed\"") != std::string::npos);
  CHECK(tasks.find("lies deeper than") != std::string::npos);
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry :
       fs::directory_iterator(app.home())) {
    ++count;
  }
  CHECK(count == 1);
}

}  // namespace
}  // namespace carme::files
