// A real domain controller: login, accounts, groups, uids.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/ldap/ldap_connection.h"
#include "backend/identity/ldap/ldap_groups.h"
#include "tests/backend/identity/ldap/ldap_checks.h"
#include "tests/backend/identity/ldap/samba_domain.h"
#include "tests/support/servers/private_host.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr char kDomainUsers[] = "CN=Domain Users,CN=Users,DC=site,DC=test";

LdapConfig Allowing(const std::string& group,
                    NestedGroups nested = NestedGroups::kInChain) {
  LdapConfig config = Samba().Config();
  config.allowed_group = group;
  config.nested_groups = nested;
  config.member_of = nested != NestedGroups::kInChain;
  return config;
}

// The filter matches all users, so that Carme must refuse them.
LdapConfig WithoutFilter() {
  LdapConfig config = Samba().Config();
  config.user_filter = "(&(objectClass=user)(sAMAccountName=%s))";
  return config;
}

// With the right password; for the log.
std::string Reason(const LdapConfig& config, const std::string& name) {
  const absl::Status status = Check(config, name).status();
  INFO(name);
  CHECK_THAT(status, StatusIs(kNo));
  return std::string(status.message());
}

TEST_CASE("samba: a wrong password and an unknown name are one refusal",
          "[backend]") {
  const LdapConfig config = Samba().Config();
  CHECK_THAT(Check(config, "ada", "wrong"), StatusIs(kNo));
  CHECK_THAT(Check(config, "nobody", "wrong"), StatusIs(kNo));
  CHECK_THAT(Check(config, "*", "password of ada"), StatusIs(kNo));
  CHECK_THAT(Check(config, "ada", ""), StatusIs(kNo));
  for (const std::string name : {"disabled", "left", "expired", "reset"}) {
    INFO(name);
    CHECK_THAT(Check(config, name, "wrong"), StatusIs(kNo));
    CHECK_THAT(Check(WithoutFilter(), name, "wrong"), StatusIs(kNo));
  }
}

TEST_CASE("samba: an account that was withdrawn is refused", "[backend]") {
  CHECK(Reason(Samba().Config(), "disabled") == "unknown user");
  CHECK(Reason(WithoutFilter(), "disabled") == "account disabled");
  CHECK(Reason(Samba().Config(), "left") == "account expired");
  for (const std::string name : {"disabled", "left"}) {
    INFO(name);
    CHECK_THAT(LookUp(WithoutFilter(), name),
               StatusIs(absl::StatusCode::kNotFound));
  }
  CHECK_THAT(LookUp(Samba().Config(), "ada"), IsOk());
}

TEST_CASE("samba: an account that guesses locked is refused", "[backend]") {
  const LdapConfig config = Samba().Config();
  CHECK(CodeOf(config, "locked") == kYes);
  for (int guess = 0; guess < 3; ++guess) {
    CHECK_THAT(Check(config, "locked", "wrong"), StatusIs(kNo));
  }
  CHECK(absl::StrContains(Reason(config, "locked"), "account locked"));
  CHECK_THAT(LookUp(config, "locked"), IsOk());  // its sessions go on
}

TEST_CASE("samba: refuses accounts of computers", "[backend]") {
  LdapConfig config = Samba().Config();
  config.user_base = SambaServer::kBase;
  CHECK_THAT(LookUp(config, "DC1$"), StatusIs(absl::StatusCode::kNotFound));
}

TEST_CASE("samba: an account has its one name, however it is typed",
          "[backend]") {
  const LdapConfig config = Samba().Config();
  for (const std::string typed :
       {"Grace", "grace", "GRACE", "Grace@site.test", "GRACE@Site.Test"}) {
    INFO(typed);
    const auto check = Check(config, typed, "password of Grace");
    REQUIRE_THAT(check, IsOk());
    CHECK(check->person.username == "Grace");
    CHECK(check->person.display_name == "Dr. Grace");
    CHECK(check->person.uid == Uid(20002));
    CHECK_FALSE(check->must_change);
    CHECK(check->message.empty());
  }
  for (const std::string typed :
       {"SITE\\Grace", "Grace@other.test", "Dr. Grace"}) {
    INFO(typed);
    CHECK_THAT(Check(config, typed, "password of Grace"), StatusIs(kNo));
  }
}

TEST_CASE("samba: refuses a missing or duplicate uid", "[backend]") {
  CHECK(Reason(Samba().Config(), "nouid") == "the entry has no uidNumber");
  CHECK(Reason(Samba().Config(), "twin") ==
        "two entries have the same uidNumber");
}

TEST_CASE("samba: the uid that the name service has", "[backend]") {
  LdapConfig config = Samba().Config();
  config.uid_source = UidSource::kNss;
  // As sssd or winbind would answer, by files of the test's own.
  CoverPath("/etc/nsswitch.conf",
            Samba().WriteFile("nsswitch.conf", "passwd: files\n"));
  CoverPath("/etc/passwd",
            Samba().WriteFile("passwd",
                              "root:x:0:0::/root:/bin/sh\n"
                              "nouid:x:31001:100::/home/nouid:/bin/sh\n"
                              "ada:x:0:0::/home/ada:/bin/sh\n"));
  const auto check = Check(config, "NoUid", "password of nouid");
  REQUIRE_THAT(check, IsOk());
  CHECK(check->person.username == "nouid");
  CHECK(check->person.uid == Uid(31001));
  CHECK(CodeOf(config, "ada") == kNo);
  CHECK(CodeOf(config, "Grace") == kNo);
  CHECK_THAT(LookUp(config, "Grace"), StatusIs(kUnclear));
}

TEST_CASE("samba: groups in groups count when they are asked for",
          "[backend]") {
  CHECK(CodeOf(Allowing("level-3", NestedGroups::kOff), "deep") == kNo);
  CHECK(CodeOf(Allowing("level-3", NestedGroups::kWalk), "deep") == kYes);
  CHECK(CodeOf(Allowing("level-3"), "ada") == kNo);
  const auto deep = Check(Allowing("level-3"), "deep");
  REQUIRE_THAT(deep, IsOk());
  CHECK(Sorted(deep->person.groups) ==
        std::vector<std::string>{"everybody", "level-0", "level-1", "level-2",
                                 "level-3"});
}

TEST_CASE("samba: a role by nesting alone", "[backend]") {
  LdapConfig config = Allowing("*");
  config.admin_group = "level-3";
  const auto deep = LookUp(config, "deep");
  REQUIRE_THAT(deep, IsOk());
  CHECK(deep->role == Role::kAdmin);
  CHECK(LookUp(config, "ada")->role == Role::kUser);
}

TEST_CASE("samba: a group of that name elsewhere does not count", "[backend]") {
  CHECK(CodeOf(Allowing("elsewhere"), "ada") == kNo);
  CHECK(CodeOf(Allowing("CN=elsewhere,OU=Services,DC=site,DC=test"), "ada") ==
        kYes);
}

TEST_CASE("samba: the primary group counts, and the groups that it is in",
          "[backend]") {
  // memberOf leaves it out.
  CHECK(CodeOf(Allowing(kDomainUsers, NestedGroups::kOff), "ada") == kNo);
  for (const std::string group : {kDomainUsers, "everybody"}) {
    INFO(group);
    CHECK(CodeOf(Allowing(group), "ada") == kYes);
    CHECK(CodeOf(Allowing(group), "guest1") == kNo);
  }
  CHECK(CodeOf(Allowing("CN=Domain Guests,CN=Users,DC=site,DC=test"),
               "guest1") == kYes);
}

TEST_CASE("samba: a user in more groups than one response holds", "[backend]") {
  for (const auto nested : {NestedGroups::kInChain, NestedGroups::kOff}) {
    LdapConfig config = Allowing("group-1999", nested);
    config.group_base = absl::StrCat("OU=Many,", SambaServer::kBase);
    const auto many = Check(config, "many");
    REQUIRE_THAT(many, IsOk());
    CHECK(many->person.groups.size() == kManyGroups);
    CHECK(CodeOf(config, "ada") == kNo);
  }
}

TEST_CASE("samba: values that come in parts are put together", "[backend]") {
  const LdapConfig config = Samba().Config();
  auto connection = LdapConnection::Open(config, config.url);
  REQUIRE_THAT(connection, IsOk());
  REQUIRE_THAT((*connection)->Bind(config.bind_dn, "password of carme"),
               IsOk());
  const auto found =
      (*connection)
          ->Search(SambaServer::DnOf("many"), LdapScope::kBase,
                   "(objectClass=*)", {"memberOf;range=0-99", "cn"}, 1);
  REQUIRE_THAT(found, IsOk());
  REQUIRE(found->size() == 1);
  CHECK(found->front().values.size() == 2);
  CHECK(found->front().values.at("memberof").size() == kManyGroups);
}

TEST_CASE("samba: referrals lead nowhere", "[backend]") {
  LdapConfig config = Samba().Config();
  config.user_base = SambaServer::kBase;  // the answer refers to other parts
  CHECK(CodeOf(config, "ada") == kYes);
  config.user_base = "OU=People,DC=other,DC=test";  // a domain elsewhere
  CHECK(CodeOf(config, "ada") == kUnclear);
}

}  // namespace
}  // namespace carme::backend
