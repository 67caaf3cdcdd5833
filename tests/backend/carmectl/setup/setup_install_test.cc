#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <string>

#include "absl/time/clock.h"
#include "backend/carmectl/setup/prepared_install.h"
#include "common/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::carmectl {
namespace {

class InstallFixture {
 public:
  InstallFixture() {
    umask(0022);
    std::filesystem::create_directories(dir_.File("etc/carme"));
    options.root = dir_.path();
    options.set_owners = false;
    options.now = absl::Now();
    files = {{SetupHost::kHead, "/etc/carme/a.toml", "new a"},
             {SetupHost::kHead, "/etc/carme/b.key", "new b", 0400}};
  }
  absl::Status Install() {
    auto install = PreparedInstall::Prepare(files, SetupHost::kHead, options);
    if (!install.ok()) return install.status();
    const absl::Status committed = install->Commit();
    copies = install->copies();
    return committed;
  }
  void Put(const std::string& name, const std::string& text) {
    REQUIRE_THAT(WriteFile(dir_.File(name), text, 0644), IsOk());
  }
  std::string Get(const std::string& name) const {
    return ReadFile(name[0] == '/' ? name : dir_.File(name)).value_or("none");
  }
  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& each :
         std::filesystem::recursive_directory_iterator(dir_.path())) {
      names.insert(
          std::filesystem::relative(each.path(), dir_.path()).string());
    }
    return names;
  }
  std::string File(const std::string& name) const { return dir_.File(name); }

  InstallOptions options;
  std::vector<SetupFile> files;
  std::vector<std::string> copies;

 private:
  TempDir dir_;
};

TEST_CASE("setup: a configured file is not replaced", "[carmectl]") {
  InstallFixture site;
  site.Put("etc/carme/b.key", "old b");
  CHECK_THAT(site.Install(),
             StatusIs(absl::StatusCode::kAlreadyExists, "b.key"));
  CHECK(site.Names() ==
        std::set<std::string>{"etc", "etc/carme", "etc/carme/b.key"});
  CHECK(site.Get("etc/carme/b.key") == "old b");
}

TEST_CASE("setup: --replace keeps a copy", "[carmectl]") {
  InstallFixture site;
  site.Put("etc/carme/b.key", "old b");
  site.options.replace = true;
  REQUIRE_THAT(site.Install(), IsOk());
  CHECK(site.Get("etc/carme/b.key") == "new b");
  REQUIRE(site.copies.size() == 1);
  CHECK(site.Get(site.copies[0]) == "old b");
  CHECK(site.Names().size() == 5);
}

TEST_CASE("setup: a file that is not configured is replaced", "[carmectl]") {
  InstallFixture site;
  site.Put("etc/carme/a.toml", "configured = false\nx = 1\n");
  REQUIRE_THAT(site.Install(), IsOk());
  CHECK(site.Get("etc/carme/a.toml") == "new a");
  CHECK(site.copies.empty());
  struct stat info {};
  REQUIRE(stat(site.File("etc/carme/b.key").c_str(), &info) == 0);
  CHECK((info.st_mode & 07777) == 0400);
  CHECK_THAT(site.Install(), IsOk());
}

TEST_CASE("setup: links and directories in the place of a file are refused",
          "[carmectl]") {
  InstallFixture site;
  site.Put("target", "old");
  site.options.replace = true;
  std::filesystem::create_symlink(site.File("target"),
                                  site.File("etc/carme/b.key"));
  CHECK_THAT(site.Install(),
             StatusIs(absl::StatusCode::kFailedPrecondition, "is a link"));
  CHECK(site.Get("target") == "old");
  CHECK(site.Get("etc/carme/a.toml") == "none");
}

TEST_CASE("setup: a directory that is a link is refused", "[carmectl]") {
  InstallFixture site;
  std::filesystem::create_directories(site.File("elsewhere"));
  std::filesystem::remove(site.File("etc/carme"));
  std::filesystem::create_directory_symlink(site.File("elsewhere"),
                                            site.File("etc/carme"));
  CHECK_THAT(site.Install(),
             StatusIs(absl::StatusCode::kFailedPrecondition, "is a link"));
}

TEST_CASE("setup: a directory of others is refused", "[carmectl]") {
  InstallFixture site;
  REQUIRE(chmod(site.File("etc/carme").c_str(), 0777) == 0);
  CHECK_THAT(site.Install(),
             StatusIs(absl::StatusCode::kPermissionDenied, "mode 777"));
}

TEST_CASE("setup: an install that is not committed leaves nothing",
          "[carmectl]") {
  InstallFixture site;
  site.files.push_back({SetupHost::kHead, "/etc/unit.d/c.conf", "c"});
  site.Put("etc/carme/a.toml", "old");
  site.options.replace = true;
  const std::set<std::string> before = site.Names();
  {
    const auto install =
        PreparedInstall::Prepare(site.files, SetupHost::kHead, site.options);
    REQUIRE_THAT(install, IsOk());
    CHECK(site.Names().size() > before.size());
  }
  CHECK(site.Names() == before);
}

TEST_CASE("setup: a missing account is named with its package", "[carmectl]") {
  InstallFixture site;
  site.options.set_owners = true;
  site.files = {
      {SetupHost::kHead, "/etc/carme/x", "", 0400, "carme-none", "carme-none"}};
  CHECK_THAT(site.Install(),
             StatusIs(absl::StatusCode::kNotFound, "install carme-none"));
  CHECK(site.Get("etc/carme/x") == "none");
}

}  // namespace
}  // namespace carme::carmectl
