#include "backend/privileged/authz/policy.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::impersonator {
namespace {

struct Row {
  const char* what;
  uid_t uid;
  gid_t gid;
  uint32_t claimed;
  bool in_group;
  const char* name;
  const char* refusal;  // a part of the message; "" when allowed
};

constexpr Row kTruthTable[] = {
    {"root", 0, 0, 0, true, "root", "is root"},
    {"root by another name", 0, 100, 0, true, "toor", "is root"},
    {"root's group", 20001, 0, 20001, true, "ada", "root's group"},
    {"a person claimed to be root", 20001, 20001, 0, true, "ada", "is root"},
    {"another uid", 20001, 20001, 20002, true, "ada", "expected 20002"},
    {"a system user", 999, 999, 999, true, "www", "min_uid 1000"},
    {"one below the bound", 999, 1, 999, true, "x", "min_uid 1000"},
    {"a refused user", 20002, 20002, 20002, true, "bob", "denied_users"},
    {"outside the group", 20001, 20001, 20001, false, "ada", "carme-users"},
    {"all wrong but the uid", 20002, 1, 20002, false, "bob", "denied_users"},
    {"a person", 20001, 20001, 20001, true, "ada", ""},
    {"at the bound", 1000, 1000, 1000, true, "ada", ""},
};

TEST_CASE("policy: truth table", "[backend]") {
  PrivilegedPolicy policy;
  policy.allowed_group = "carme-users";
  policy.denied_users = {"bob", "backup"};
  for (const Row& row : kTruthTable) {
    INFO(row.what);
    Account account;
    account.name = row.name;
    account.uid = row.uid;
    account.gid = row.gid;
    account.in_allowed_group = row.in_group;
    const absl::Status may = MayActAs(policy, account, Uid(row.claimed));
    CHECK(may.ok() == (*row.refusal == '\0'));
    if (may.ok()) continue;
    CHECK(absl::IsPermissionDenied(may));
    CHECK_THAT(std::string(may.message()), Catch::Contains(row.refusal));
    CHECK_THAT(std::string(may.message()), Catch::Contains(row.name));
  }
}

}  // namespace
}  // namespace carme::impersonator
