#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "tests/slurm-hooks/files/files_app.h"

namespace carme::files {
namespace {

namespace fs = std::filesystem;

std::string Content(const std::string& path) {
  return ReadFile(path, 64 << 20).value_or("(none)");
}

mode_t ModeOf(const std::string& path) {
  struct stat info {};
  REQUIRE(stat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

size_t CountFiles(const std::string& directory) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(directory)) {
    ++count;
  }
  return count;
}

TEST_CASE("files: does not overwrite what changed or exists", "[files]") {
  const FilesApp app;
  const std::string path = app.HomeFile("notes");
  const std::string target = "/api/file?path=" + path;
  CHECK(
      app.Request("PUT", target, "x", {{"If-Match", "\"old\""}}).result_int() ==
      412);
  REQUIRE(app.Request("PUT", target, "one").result_int() == 201);
  CHECK(app.Request("PUT", target, "two", {{"If-None-Match", "*"}})
            .result_int() == 409);
  const std::string etag(app.Get(target)["ETag"]);
  REQUIRE(
      app.Request("PUT", target, "three", {{"If-Match", etag}}).result_int() ==
      200);
  CHECK(app.Request("PUT", target, "four", {{"If-Match", etag}}).result_int() ==
        412);
  CHECK(Content(path) == "three");
  CHECK(CountFiles(app.home()) == 1);  // no temporary file remains
}

TEST_CASE("files: refuses to write folders and devices", "[files]") {
  const FilesApp app;
  CHECK(app.Request("PUT", "/api/file?path=" + app.home(), "x").result_int() ==
        422);
  CHECK(app.Request("PUT", "/api/file?path=/", "x").result_int() == 422);
  REQUIRE(mkfifo(app.HomeFile("pipe").c_str(), 0600) == 0);
  CHECK(app.Request("PUT", "/api/file?path=" + app.HomeFile("pipe"), "x")
            .result_int() == 403);
  CHECK(app.Request("PUT", "/api/file?path=" + app.HomeFile("none/x"), "x")
            .result_int() == 404);
}

TEST_CASE("files: keeps permissions, and writes through links", "[files]") {
  const FilesApp app;
  const std::string path = app.HomeFile("run.sh");
  std::ofstream(path) << "old";
  REQUIRE(chmod(path.c_str(), 0750) == 0);
  fs::create_symlink(path, app.HomeFile("link"));
  REQUIRE(app.Request("PUT", "/api/file?path=" + app.HomeFile("link"), "new")
              .result_int() == 200);
  CHECK(Content(path) == "new");
  CHECK(ModeOf(path) == 0750);
  CHECK(fs::is_symlink(app.HomeFile("link")));
}

TEST_CASE("files: gives no set-user-id bit of an older file", "[files]") {
  const FilesApp app;
  const std::string path = app.HomeFile("tool");
  std::ofstream(path) << "old";
  REQUIRE(chmod(path.c_str(), 06777) == 0);
  REQUIRE(app.Request("PUT", "/api/file?path=" + path, "new").result_int() ==
          200);
  CHECK(ModeOf(path) == 0777);
}

TEST_CASE("files: creates files with the umask, also many at once", "[files]") {
  const FilesApp app;
  std::vector<std::thread> clients;
  for (int client = 0; client < 4; ++client) {
    clients.emplace_back([&app, client] {
      for (int i = 0; i < 50; ++i) {
        app.Exchange(absl::StrCat(
            "PUT /api/file?path=", app.HomeFile(absl::StrCat(client, "-", i)),
            " HTTP/1.1\r\nHost: job.test\r\nOrigin: https://job.test\r\n"
            "Connection: close\r\nContent-Length: 1\r\n\r\nx"));
      }
    });
  }
  for (std::thread& client : clients) client.join();
  std::set<mode_t> modes;
  for (const auto& entry : fs::directory_iterator(app.home())) {
    modes.insert(ModeOf(entry.path()));
  }
  CHECK(CountFiles(app.home()) == 200);
  // That of carme-files: its parent gives it a umask for private files.
  CHECK(modes == std::set<mode_t>{0600});
}

TEST_CASE("files: returns large files unchanged, and ranges of them",
          "[files]") {
  const FilesApp app;
  std::string content;
  for (int i = 0; content.size() < (8 << 20); ++i) {
    absl::StrAppend(&content, i, "\n");
  }
  const std::string target = "/api/file?path=" + app.HomeFile("large");
  REQUIRE(app.Request("PUT", target, content).result_int() == 201);
  CHECK(app.Get(target).body() == content);
  const auto part = app.Get(target, {{"Range", "bytes=1000-1999"}});
  CHECK(part.result_int() == 206);
  CHECK(part.body() == content.substr(1000, 1000));
  CHECK(part["Content-Range"] ==
        absl::StrCat("bytes 1000-1999/", content.size()));
  CHECK(app.Get(target, {{"Range", "bytes=-10"}}).body() ==
        content.substr(content.size() - 10));
  CHECK(
      app.Get(target, {{"Range", absl::StrCat("bytes=", content.size(), "-")}})
          .result_int() == 416);
  CHECK(app.Get(target, {{"Range", "bytes=0-9"}, {"If-Range", "\"other\""}})
            .result_int() == 200);
}

TEST_CASE("files: returns an empty file", "[files]") {
  const FilesApp app;
  const std::string target = "/api/file?path=" + app.HomeFile("empty");
  REQUIRE(app.Request("PUT", target).result_int() == 201);
  CHECK(app.Get(target).body().empty());
  CHECK(app.Get(target, {{"Range", "bytes=0-"}}).result_int() == 416);
}

TEST_CASE("files: resumes an upload where it stopped", "[files]") {
  const FilesApp app;
  const std::string path = app.HomeFile("data");
  const std::string upload = "path=" + path + "&upload=abc123";
  const auto put = [&](const std::string& body, const std::string& range) {
    return app.Request("PUT", "/api/file?" + upload, body,
                       {{"Content-Range", range}});
  };
  CHECK(put("x", "bytes 0-1/4").result_int() == 400);
  CHECK(put("xx", "bytes 3-4/4").result_int() == 400);
  CHECK(put("xx", "nonsense").result_int() == 400);
  CHECK(put("cd", "bytes 2-3/4").result_int() == 404);  // never begun
  CHECK(put("ab", "bytes 0-1/4").result_int() == 202);
  CHECK(app.Get("/api/upload?" + upload).body() == "{\"received\":2}");
  const auto gap = put("d", "bytes 3-3/4");
  CHECK(gap.result_int() == 409);
  CHECK(gap.body().find("\"received\":2") != std::string::npos);
  CHECK_FALSE(fs::exists(path));
  CHECK(put("cd", "bytes 2-3/4").result_int() == 201);
  CHECK(Content(path) == "abcd");
  CHECK(app.Get("/api/upload?" + upload).body() == "{\"received\":0}");
  CHECK(CountFiles(app.home()) == 1);
}

TEST_CASE("files: keeps the bytes of a part that was cut off", "[files]") {
  const FilesApp app;
  const std::string upload =
      absl::StrCat("path=", app.HomeFile("data"), "&upload=abc");
  app.Exchange(absl::StrCat(
      "PUT /api/file?", upload,
      " HTTP/1.1\r\nHost: job.test\r\nOrigin: https://job.test\r\n"
      "Connection: close\r\nContent-Range: bytes 0-9/20\r\nContent-Length: "
      "10\r\n\r\n01234"));
  CHECK(app.Get("/api/upload?" + upload).body() == "{\"received\":5}");
  CHECK(app.Request("PUT", "/api/file?" + upload, "567890123456789",
                    {{"Content-Range", "bytes 5-19/20"}})
            .result_int() == 201);
  CHECK(Content(app.HomeFile("data")) == "01234567890123456789");
}

TEST_CASE("files: refuses a part that is shorter than it says", "[files]") {
  const FilesApp app;
  const std::string upload =
      absl::StrCat("path=", app.HomeFile("data"), "&upload=abc");
  const std::string response = app.Exchange(
      absl::StrCat("PUT /api/file?", upload,
                   " HTTP/1.1\r\nHost: job.test\r\nOrigin: https://job.test\r\n"
                   "Connection: close\r\nContent-Range: bytes 0-99/100\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"));
  CHECK(response.starts_with("HTTP/1.1 400"));
  CHECK_FALSE(fs::exists(app.HomeFile("data")));
  CHECK(app.Get("/api/upload?" + upload).body() == "{\"received\":0}");
}

TEST_CASE("files: does not append to a link that others made", "[files]") {
  const FilesApp app;
  std::ofstream(app.HomeFile("other")) << "";
  fs::create_hard_link(app.HomeFile("other"),
                       app.HomeFile(".carme-upload-abc"));
  CHECK(app.Request("PUT",
                    absl::StrCat("/api/file?path=", app.HomeFile("data"),
                                 "&upload=abc"),
                    "ab", {{"Content-Range", "bytes 0-1/4"}})
            .result_int() == 403);
  CHECK(Content(app.HomeFile("other")).empty());
}

TEST_CASE("files: forgets an upload on request", "[files]") {
  const FilesApp app;
  const std::string upload =
      absl::StrCat("path=", app.HomeFile("data"), "&upload=abc");
  REQUIRE(app.Request("PUT", "/api/file?" + upload, "ab",
                      {{"Content-Range", "bytes 0-1/4"}})
              .result_int() == 202);
  CHECK(app.Request("DELETE", "/api/upload?" + upload).result_int() == 204);
  CHECK(app.Request("DELETE", "/api/upload?" + upload).result_int() == 204);
  CHECK(CountFiles(app.home()) == 0);
  CHECK(app.Request("DELETE", "/api/upload?path=/a&upload=../x").result_int() ==
        400);
}

TEST_CASE("files: sends a folder as a tar file", "[files]") {
  const FilesApp app;
  fs::create_directories(app.HomeFile("-results/run"));
  std::ofstream(app.HomeFile("-results/run/loss.csv")) << "1,2\n";
  const auto archive = app.Get("/api/archive?path=" + app.HomeFile("-results"));
  REQUIRE(archive.result_int() == 200);
  CHECK(archive["Content-Disposition"] ==
        "attachment; filename*=UTF-8''-results.tar");
  const std::string file = app.HomeFile("archive.tar");
  std::ofstream(file) << archive.body();
  fs::create_directory(app.HomeFile("out"));
  REQUIRE(system(absl::StrCat("tar -xf ", file, " -C ", app.HomeFile("out"))
                     .c_str()) == 0);
  CHECK(Content(app.HomeFile("out/-results/run/loss.csv")) == "1,2\n");
}

TEST_CASE("files: lists places, folders, links and sizes", "[files]") {
  const FilesApp app;
  std::ofstream(app.HomeFile("a.txt")) << "12345";
  fs::create_directory(app.HomeFile("folder"));
  fs::create_symlink("folder", app.HomeFile("link"));
  fs::create_symlink("nowhere", app.HomeFile("broken"));
  const std::string list = app.Get("/api/list?path=" + app.home()).body();
  CHECK(list.find(R"("name":"a.txt","raw":"a.txt","kind":"file","size":5)") !=
        std::string::npos);
  CHECK(list.find(R"("name":"folder","raw":"folder","kind":"folder")") !=
        std::string::npos);
  CHECK(list.find(R"("name":"link","raw":"link","kind":"folder")") !=
        std::string::npos);
  CHECK(list.find(R"("link":"nowhere")") != std::string::npos);
  CHECK(list.find(R"("owner":"ada")") != std::string::npos);
  const std::string places = app.Get("/api/places").body();
  CHECK(places.find(absl::StrCat("{\"name\":\"home\",\"path\":\"", app.home(),
                                 "\"")) != std::string::npos);
  CHECK(places.find("{\"name\":\"Data\",\"path\":\"/usr\"") !=
        std::string::npos);
  CHECK(places.find("\"scratch\"") == std::string::npos);
}

TEST_CASE("files: finds files by a part of their names", "[files]") {
  const FilesApp app;
  fs::create_directories(app.HomeFile("deep/deeper"));
  std::ofstream(app.HomeFile("deep/deeper/Model-Final.pt")) << "x";
  fs::create_symlink("/", app.HomeFile("root"));  // is not followed
  const std::string found =
      app.Get("/api/search?name=model&path=" + app.home()).body();
  CHECK(found.find(app.HomeFile("deep/deeper/Model-Final.pt")) !=
        std::string::npos);
  CHECK(found.find("\"complete\":true") != std::string::npos);
  CHECK(app.Get("/api/search?name=passwd&path=" + app.home()).body() ==
        "{\"entries\":[],\"complete\":true}");
}

}  // namespace
}  // namespace carme::files
