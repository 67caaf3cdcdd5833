#include "frontend/static_site.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::frontend {
namespace {

class Folder {
 public:
  void Write(const std::string& name, const std::string& content) const {
    const std::filesystem::path path = folder_.File(name);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  const std::string& path() const { return folder_.path(); }

 private:
  TempDir folder_;
};

std::string Header(const HttpResponse& response, const std::string& name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return value;
  }
  return "";
}

HttpRequest Get(const std::string& path, const std::string& encoding = "",
                const std::string& known = "") {
  HttpRequest request{.method = "GET", .path = path};
  if (!encoding.empty()) request.headers.Add("accept-encoding", encoding);
  if (!known.empty()) request.headers.Add("if-none-match", known);
  return request;
}

TEST_CASE("site: refuses a folder without an index", "[frontend]") {
  const Folder folder;
  CHECK_THAT(StaticSite::Load("/nonexistent"),
             StatusIs(absl::StatusCode::kNotFound));
  CHECK_THAT(StaticSite::Load(folder.path()),
             StatusIs(absl::StatusCode::kNotFound));
}

TEST_CASE("site: the page has the names of the clusters if there are several",
          "[frontend]") {
  const Folder folder;
  folder.Write("index.html", "no head");
  const std::vector<PageField> fields = {{"carme-clusters", "alpha,beta"}};
  CHECK_THAT(StaticSite::Load(folder.path(), fields),
             StatusIs(absl::StatusCode::kFailedPrecondition, "</head>"));
  folder.Write("index.html", "<head></head><p>");
  folder.Write("index.html.br", "compressed");
  folder.Write("index.html.gz", "compressed");
  const auto one = StaticSite::Load(folder.path(), {{"carme-clusters", ""}});
  REQUIRE_THAT(one, IsOk());
  CHECK(one->Answer(Get("/"))->body == "<head></head><p>");
  CHECK(one->Answer(Get("/", "br"))->body == "compressed");
  const auto two = StaticSite::Load(folder.path(), fields);
  REQUIRE_THAT(two, IsOk());
  for (const char* encoding : {"", "br", "gzip"}) {
    CAPTURE(encoding);
    CHECK(two->Answer(Get("/", encoding))->body ==
          "<head><meta name=\"carme-clusters\" content=\"alpha,beta\">"
          "</head><p>");
  }
}

TEST_CASE("site: a field of the page cannot end its attribute", "[frontend]") {
  const Folder folder;
  folder.Write("index.html", "<head></head>");
  const auto site = StaticSite::Load(folder.path(),
                                     {{"carme-documentation", "https://a/?b&c"},
                                      {"carme-support", "\"><script>"}});
  REQUIRE_THAT(site, IsOk());
  CHECK(site->Answer(Get("/"))->body ==
        "<head><meta name=\"carme-documentation\" "
        "content=\"https://a/?b&amp;c\"><meta name=\"carme-support\" "
        "content=\"&quot;&gt;&lt;script&gt;\"></head>");
}

TEST_CASE("site: without its page, an unknown address has no page",
          "[frontend]") {
  const Folder folder;
  folder.Write("index.html", "x");
  const auto site = StaticSite::Load(folder.path());
  REQUIRE_THAT(site, IsOk());
  CHECK_FALSE(site->NotFound(Get("/missing")));
}

TEST_CASE("site: the page of an unknown address is never one that is known",
          "[frontend]") {
  const Folder folder;
  folder.Write("index.html", "x");
  folder.Write("not-found.html", "not found");
  folder.Write("not-found.de.html", "nicht gefunden");
  const auto site = StaticSite::Load(folder.path());
  REQUIRE_THAT(site, IsOk());
  const std::string etag =
      Header(*site->Answer(Get("/not-found.html")), "ETag");
  const auto page = site->NotFound(Get("/missing", "", etag));
  REQUIRE(page);
  CHECK(page->status == 404);
  CHECK(page->body == "not found");
  CHECK(Header(*page, "Cache-Control") == "no-store");
  HttpRequest german = Get("/missing");
  german.headers.Add("accept-language", "de-DE,de;q=0.9,en;q=0.5");
  CHECK(site->NotFound(german)->body == "nicht gefunden");
}

TEST_CASE("site: a file that is added replaces one of the folder",
          "[frontend]") {
  const Folder folder;
  folder.Write("index.html", "x");
  folder.Write("manifest.webmanifest", "old");
  const auto site = StaticSite::Load(
      folder.path(), {},
      {{"/manifest.webmanifest", "{}"}, {"/branding/logo.svg", "<svg/>"}});
  REQUIRE_THAT(site, IsOk());
  const auto manifest = site->Answer(Get("/manifest.webmanifest"));
  CHECK(manifest->body == "{}");
  CHECK(Header(*manifest, "Content-Type") == "application/manifest+json");
  CHECK(Header(*site->Answer(Get("/branding/logo.svg")), "Content-Type") ==
        "image/svg+xml");
}

TEST_CASE("site: refuses links", "[frontend]") {
  const Folder folder;
  folder.Write("index.html", "x");
  std::filesystem::create_symlink("/etc/passwd", folder.path() + "/p.txt");
  CHECK_THAT(StaticSite::Load(folder.path()),
             StatusIs(absl::StatusCode::kFailedPrecondition));
  std::filesystem::remove(folder.path() + "/p.txt");
  std::filesystem::create_directory_symlink("/etc", folder.path() + "/etc");
  CHECK_FALSE(StaticSite::Load(folder.path()).ok());
}

TEST_CASE("site: refuses too many bytes or files", "[frontend]") {
  const Folder folder;
  folder.Write("index.html", std::string(17 << 20, 'x'));
  folder.Write("other.js", std::string(17 << 20, 'x'));
  CHECK_THAT(StaticSite::Load(folder.path()),
             StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST_CASE("site: only its files are reachable", "[frontend]") {
  const Folder folder;
  folder.Write("index.html", "x");
  folder.Write("assets/a-1.js", "a");
  folder.Write("assets/a-1.js.gz", "z");
  folder.Write(".secret", "s");
  folder.Write(".git/config", "s");
  const auto site = StaticSite::Load(folder.path());
  REQUIRE_THAT(site, IsOk());
  for (const char* path :
       {"", "//", "/.", "/../etc/passwd", "/assets", "/assets/",
        "/assets/../index.html", "/assets/..%2findex.html",
        "/%2e%2e/etc/passwd", "/.secret", "/.git/config", "/index.html/",
        "/INDEX.HTML", "/assets/a-1.js.gz", "/etc/passwd", "index.html"}) {
    CAPTURE(path);
    CHECK_FALSE(site->Answer(Get(path)).has_value());
  }
  CHECK(site->Answer(Get("/"))->body == "x");
  CHECK(site->Answer(Get("/assets/a-1.js"))->body == "a");
}

TEST_CASE("site: serves a content coding that the client accepts",
          "[frontend]") {
  const Folder folder;
  folder.Write("index.html", "plain");
  folder.Write("index.html.br", "small");
  folder.Write("index.html.gz", "medium");
  folder.Write("icon.svg", "<svg/>");
  const auto site = StaticSite::Load(folder.path() + "/");
  const auto page = site->Answer(Get("/", "gzip, deflate, br"));
  CHECK(page->body == "small");
  CHECK(Header(*page, "Content-Encoding") == "br");
  CHECK(Header(*page, "Vary") == "Accept-Encoding");
  CHECK(Header(*page, "Content-Type") == "text/html; charset=utf-8");
  CHECK(site->Answer(Get("/", "gzip"))->body == "medium");
  const auto plain = site->Answer(Get("/", "br;q=0"));
  CHECK(plain->body == "plain");
  CHECK(Header(*plain, "Content-Encoding").empty());
  CHECK(Header(*plain, "Vary") == "Accept-Encoding");
  CHECK(Header(*plain, "ETag") != Header(*page, "ETag"));
  const auto icon = site->Answer(Get("/icon.svg", "br"));
  CHECK(icon->body == "<svg/>");
  CHECK(Header(*icon, "Vary").empty());
}

TEST_CASE("site: hashed names are cached for a year, the page is revalidated",
          "[frontend]") {
  const Folder folder;
  folder.Write("index.html", "page");
  folder.Write("assets/main-abc.css", "a");
  const auto site = StaticSite::Load(folder.path());
  CHECK(Header(*site->Answer(Get("/assets/main-abc.css")), "Cache-Control") ==
        "public, max-age=31536000, immutable");
  const auto page = site->Answer(Get("/"));
  CHECK(Header(*page, "Cache-Control") == "no-cache");
  const auto again = site->Answer(Get("/", "", Header(*page, "ETag")));
  CHECK(again->status == 304);
  CHECK(again->body.empty());
  CHECK(site->Answer(Get("/", "", "\"other\""))->status == 200);
}

}  // namespace
}  // namespace carme::frontend
