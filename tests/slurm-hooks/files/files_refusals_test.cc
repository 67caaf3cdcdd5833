#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/slurm-hooks/files/files_app.h"

namespace carme::files {
namespace {

namespace fs = std::filesystem;

bool HasCode(const FilesApp::Response& response, const std::string& code) {
  return response.body().find("\"code\":\"" + code + "\"") != std::string::npos;
}

TEST_CASE("files: refuses changes from pages of other origins", "[files]") {
  const FilesApp app;
  const std::string path = app.HomeFile("new");
  for (const std::string origin : {"https://evil.test", "http://job.test",
                                   "https://job.test:444", "null", ""}) {
    CAPTURE(origin);
    const FilesApp::Headers headers = {{"Origin", origin}};
    CHECK(app.Request("PUT", "/api/file?path=" + path, "x", headers)
              .result_int() == 403);
    CHECK(app.Request("POST", "/api/folder?path=" + path, "", headers)
              .result_int() == 403);
    CHECK(app.Request("POST", "/api/delete?path=" + app.home(), "", headers)
              .result_int() == 403);
    CHECK(app.Request("DELETE", "/api/upload?path=" + path + "&upload=a", "",
                      headers)
              .result_int() == 403);
  }
  CHECK_FALSE(fs::exists(path));
  CHECK(fs::exists(app.home()));
}

TEST_CASE("files: refuses invalid requests", "[files]") {
  const FilesApp app;
  for (const std::string target :
       {"/api/list", "/api/list?path=relative", "/api/list?path=/a/../b",
        "/api/file?path=%00", "/api/search?path=/"}) {
    CAPTURE(target);
    CHECK(app.Get(target).result_int() == 400);
  }
  CHECK(app.Get("/api/nothing").result_int() == 404);
  CHECK(app.Get("/../../etc/passwd").result_int() == 404);
  CHECK(app.Request("POST", "/api/file?path=/a").result_int() == 404);
  CHECK(app.Request("PATCH", "/api/file?path=/a").result_int() == 405);
  CHECK(app.Exchange("HEAD / HTTP/1.1\r\nHost: job.test\r\nConnection: "
                     "close\r\n\r\n")
            .ends_with("\r\n\r\n"));
  CHECK(app.Exchange("nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
  CHECK(app.Exchange("GET / HTTP/1.1\r\nX: " + std::string(64 * 1024, 'x'))
            .starts_with("HTTP/1.1 400"));
}

TEST_CASE("files: reports why a file cannot be read", "[files]") {
  const FilesApp app;
  CHECK(
      HasCode(app.Get("/api/file?path=" + app.HomeFile("none")), "not_found"));
  CHECK(HasCode(app.Get("/api/file?path=" + app.home()), "is_folder"));
  CHECK(HasCode(app.Get("/api/list?path=/etc/passwd"), "not_folder"));
  CHECK(HasCode(app.Get("/api/archive?path=/etc/passwd"), "not_folder"));
  REQUIRE(mkfifo(app.HomeFile("pipe").c_str(), 0600) == 0);
  CHECK(
      HasCode(app.Get("/api/file?path=" + app.HomeFile("pipe")), "forbidden"));
  CHECK(HasCode(app.Get("/api/view?path=/dev/zero"), "forbidden"));
}

TEST_CASE("files: never replaces a file by a rename or a new folder",
          "[files]") {
  const FilesApp app;
  std::ofstream(app.HomeFile("a")) << "a";
  std::ofstream(app.HomeFile("b")) << "b";
  const auto renamed =
      app.Request("POST", absl::StrCat("/api/rename?path=", app.HomeFile("a"),
                                       "&to=", app.HomeFile("b")));
  CHECK(renamed.result_int() == 409);
  CHECK(HasCode(renamed, "exists"));
  CHECK(app.Request("POST", "/api/folder?path=" + app.HomeFile("b"))
            .result_int() == 409);
  CHECK(HasCode(
      app.Request("POST", "/api/folder?path=" + app.HomeFile("none/below")),
      "not_found"));
  CHECK(app.Get("/api/file?path=" + app.HomeFile("b")).body() == "b");
}

TEST_CASE("files: shows hostile names as text and addresses them by bytes",
          "[files]") {
  const FilesApp app;
  const std::string name = "<img src=x>\"\n\xff";
  std::ofstream(app.HomeFile(name)) << "content";
  const std::string list = app.Get("/api/list?path=" + app.home()).body();
  CHECK(list.find(R"("name":"<img src=x>\"\u000a?")") != std::string::npos);
  const size_t begin = list.find("\"raw\":\"") + 7;
  const std::string raw = list.substr(begin, list.find('"', begin) - begin);
  CHECK(raw == "%3Cimg%20src%3Dx%3E%22%0A%FF");
  const auto file =
      app.Get(absl::StrCat("/api/file?path=", app.home(), "/", raw));
  CHECK(file.body() == "content");
  CHECK(file["Content-Disposition"] ==
        "attachment; filename*=UTF-8''%3Cimg%20src%3Dx%3E%22%0A%FF");
}

TEST_CASE("files: serves no file of the user that could run as a page",
          "[files]") {
  const FilesApp app;
  for (const std::string name : {"a.html", "a.svg", "a.js", "a.xhtml", "a"}) {
    CAPTURE(name);
    std::ofstream(app.HomeFile(name)) << "<script>alert(1)</script>";
    const auto download = app.Get("/api/file?path=" + app.HomeFile(name));
    CHECK(download["Content-Type"] == "application/octet-stream");
    CHECK(download["Content-Disposition"].starts_with("attachment"));
    const auto view = app.Get("/api/view?path=" + app.HomeFile(name));
    CHECK(view["Content-Security-Policy"].starts_with("sandbox; "));
    CHECK(view["X-Content-Type-Options"] == "nosniff");
    CHECK(view["Content-Type"] ==
          (name == "a.svg" ? "image/svg+xml" : "text/plain; charset=utf-8"));
    CHECK(view["Cross-Origin-Resource-Policy"] == "same-origin");
  }
}

TEST_CASE("files: serves requests after many connections", "[files]") {
  const FilesApp app;
  for (int i = 0; i < 200; ++i) {
    CHECK(app.Get("/ready").result_int() == 200);
  }
}

TEST_CASE("files: removes its socket when it is terminated", "[files]") {
  FilesApp app;
  app.Terminate();
  const auto end = app.AwaitEnd();
  REQUIRE(end.has_value());
  CHECK_FALSE(fs::exists(app.socket()));
}

}  // namespace
}  // namespace carme::files
