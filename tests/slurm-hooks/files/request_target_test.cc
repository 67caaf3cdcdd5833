#include "slurm-hooks/files/request_target.h"

#include <catch2/catch.hpp>
#include <string>

#include "slurm-hooks/files/file_error.h"
#include "slurm-hooks/web_app/page_assets.h"
#include "tests/support/status_matchers.h"

namespace carme::files {
namespace {

std::string PathIn(const std::string& query) {
  const auto target = RequestTarget::Parse("/api/list?" + query);
  if (!target.ok()) return "refused";
  const auto path = target->FilePath();
  return path.ok() ? *path : "refused";
}

TEST_CASE("files: refuses targets with invalid paths", "[files]") {
  for (const std::string query :
       {"", "path=", "path=home", "path=/a/../b", "path=/a/.", "path=/a%00b",
        "path=/%2e%2e/etc", "path=/a&path=/b", "path=%zz", "path=/a%4",
        "p%61th=/a&path=/b", "name=/a"}) {
    CAPTURE(query);
    CHECK(PathIn(query) == "refused");
  }
  CHECK(PathIn("path=/" + std::string(4096, 'a')) == "refused");
}

TEST_CASE("files: reads paths of any bytes", "[files]") {
  CHECK(PathIn("path=/") == "/");
  CHECK(PathIn("path=/home/ada/") == "/home/ada");
  CHECK(PathIn("path=//home///ada") == "/home/ada");
  CHECK(PathIn("path=/a%20b%2Fc%FF") == "/a b/c\xff");
  CHECK(PathIn("x=1&path=/...") == "/...");
  CHECK(PathIn("path=/a+b") == "/a+b");
}

TEST_CASE("files: encodes what it decodes", "[files]") {
  std::string all = "/";
  for (int byte = 1; byte < 256; ++byte) {
    if (byte != '/') all += static_cast<char>(byte);
  }
  CHECK(PathIn("path=" + PercentEncode(all)) == all);
}

TEST_CASE("files: splits paths into folder and name", "[files]") {
  CHECK(FileName("/home/ada") == "ada");
  CHECK(ParentPath("/home/ada") == "/home");
  CHECK(ParentPath("/home") == "/");
  CHECK(FileName("/").empty());
}

TEST_CASE("files: keeps the code of an error", "[files]") {
  CHECK(ErrorCodeOf(FileErrno(EDQUOT, "write")).name == "no_space");
  CHECK(ErrorCodeOf(FileErrno(EXDEV, "rename")).name == "other_file_system");
  CHECK(ErrorCodeOf(FileErrno(EIO, "read")).http_status == 500);
  CHECK(ErrorCodeOf(FileError(kChanged, "x")).http_status == 412);
  CHECK(ErrorCodeOf(absl::NotFoundError("x")).name == "not_found");
}

TEST_CASE("files: embeds a page with all that it refers to", "[files]") {
  const web_app::PageAsset* page = web_app::FindPageAsset("/");
  REQUIRE(page != nullptr);
  size_t found = 0;
  for (size_t at = page->bytes.find("/assets/"); at != page->bytes.npos;
       at = page->bytes.find("/assets/", at + 1)) {
    const size_t end = page->bytes.find('"', at);
    CHECK(web_app::FindPageAsset(page->bytes.substr(at, end - at)) != nullptr);
    ++found;
  }
  CHECK(found > 0);
}

}  // namespace
}  // namespace carme::files
