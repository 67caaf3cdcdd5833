#include "backend/privileged/storage/areas.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/status_matchers.h"

namespace carme::storage_reader {
namespace {

using Kind = StorageAreaConfig::Kind;

StorageUser Ada() {
  StorageUser user;
  user.account = {.name = "ada",
                  .uid = 20001,
                  .gid = 20001,
                  .home = "/home/ada",
                  .groups = {20001, 30000, 30001},
                  .in_allowed_group = true};
  user.groups = {{30001, "prj-z"}, {30000, "prj-a"}, {20001, "ada"}};
  return user;
}

TEST_CASE("storage areas: leaves out groups with invalid names", "[backend]") {
  StorageUser user = Ada();
  user.groups = {{1, "prj-../etc"}, {2, "prj-a b"}, {3, "prj-"}, {4, "prj-b"}};
  const StorageConfig config{
      .areas = {{.name = "{group}",
                 .path = "/project/{group}",
                 .group_prefix = "prj-"},
                {.name = "-", .path = "/{group}", .group_prefix = "-"}}};
  user.groups.push_back({5, "--uid"});
  const auto areas = AreasFor(config, user);
  REQUIRE(areas.size() == 2);
  CHECK(areas[0].path == "/project/prj-");
  CHECK(areas[1].path == "/project/prj-b");
}

TEST_CASE("storage areas: at most sixteen", "[backend]") {
  StorageUser user = Ada();
  for (uint32_t gid = 0; gid < 100; ++gid) {
    user.groups.push_back({gid, "prj-" + std::to_string(gid)});
  }
  const StorageConfig config{.areas = {{.name = "{group}",
                                        .path = "/project/{group}",
                                        .group_prefix = "prj-"}}};
  CHECK(AreasFor(config, user).size() == kMaxStorageAreas);
}

TEST_CASE("storage areas: replaces placeholders", "[backend]") {
  const StorageConfig config{
      .areas = {{.name = "Home", .path = "{home}/x"},
                {.name = "Work",
                 .path = "/groups/{user}",
                 .kind = Kind::kCommand,
                 .command = {"/usr/bin/q", "--uid={uid}", "{user}{user}"}}}};
  const auto areas = AreasFor(config, Ada());
  REQUIRE(areas.size() == 2);
  CHECK(areas[0].path == "/home/ada/x");
  CHECK(areas[0].id == 20001);
  CHECK_FALSE(areas[0].of_group);
  CHECK(areas[1].path == "/groups/ada");
  CHECK(areas[1].command ==
        std::vector<std::string>{"/usr/bin/q", "--uid=20001", "adaada"});
}

TEST_CASE("storage areas: one for each group, sorted by name", "[backend]") {
  const StorageConfig config{.areas = {{.name = "Project {group}",
                                        .path = "/project/{group}/{gid}",
                                        .group_prefix = "prj-"}}};
  const auto areas = AreasFor(config, Ada());
  REQUIRE(areas.size() == 2);
  CHECK(areas[0].name == "Project prj-a");
  CHECK(areas[0].path == "/project/prj-a/30000");
  CHECK(areas[0].of_group);
  CHECK(areas[0].id == 30000);
  CHECK(areas[1].name == "Project prj-z");
  CHECK(NeedsGroups(config));
  CHECK_FALSE(NeedsGroups({}));
}

TEST_CASE("storage areas: a user survives encoding and decoding", "[backend]") {
  const StorageUser user = Ada();
  const std::string bytes = EncodeStorageUser(user);
  const auto decoded = DecodeStorageUser(bytes);
  REQUIRE_THAT(decoded, IsOk());
  CHECK(decoded->account.name == "ada");
  CHECK(decoded->account.uid == 20001);
  CHECK(decoded->account.gid == 20001);
  CHECK(decoded->account.home == "/home/ada");
  CHECK(decoded->account.groups == user.account.groups);
  REQUIRE(decoded->groups.size() == 3);
  CHECK(decoded->groups[0].name == "prj-z");
  CHECK(decoded->groups[0].gid == 30001);
  for (size_t length = 0; length < bytes.size(); ++length) {
    CHECK_FALSE(DecodeStorageUser(bytes.substr(0, length)).ok());
  }
  CHECK_FALSE(DecodeStorageUser(bytes + "x").ok());
}

}  // namespace
}  // namespace carme::storage_reader
