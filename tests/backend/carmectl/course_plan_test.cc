#include "backend/carmectl/portal/course_plan.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backend/carmectl/portal/account_list.h"
#include "backend/carmectl/portal/csv_reader.h"
#include "backend/carmectl/portal/portal_options.h"
#include "tests/support/status_matchers.h"

namespace carme::carmectl {
namespace {

std::string Fault(const std::string& csv) {
  return std::string(ParseCourse(csv).status().message());
}

TEST_CASE("course: every fault of a file is reported with its line",
          "[backend]") {
  const std::string fault = Fault(
      "project,username,email,role,expires,colour,limit.gpus,limit.fun\n"
      ",ada,,,,,,\n"
      "A,ada,,teacher,,,,\n"
      "A,ADA,,,never,,,\n"
      "A,bob,,owner,2026-12-31,,1,\n"
      "A,cyn,,owner,2026-11-30,,2,\n"
      "A,,,manager,,,-1,\n");
  for (const char* part :
       {"line 1: unknown column \"colour\"", "line 1: unknown limit \"fun\"",
        "line 2: expected a project",
        "line 3: role is \"teacher\": expected member, manager or owner",
        "line 4: time is \"never\"", "line 4: \"ADA\" is in this project twice",
        "line 6: another line of this project has another end",
        "line 6: another line of this project has another limit.gpus",
        "line 6: a second owner: line 5 has the first",
        "line 7: a role without a person",
        "line 7: limit.gpus is \"-1\": expected 0 to 1000000000"}) {
    INFO(part << " in\n" << fault);
    CHECK(fault.find(part) != std::string::npos);
  }
  CHECK(Fault("username\nada\n") ==
        "line 1: expected a column \"project\"\n"
        "line 2: expected a project");
  CHECK(Fault("") == "the file has no line of headings");
}

TEST_CASE("course: lines of one project become one", "[backend]") {
  const auto plan = ParseCourse(
      "\xEF\xBB\xBF"
      "Project,Username,email,role,expires,templates,limit.gpus,"
      "member.jobs\r\n"
      "# a comment\r\n"
      "\"Physics, 2026\",ada,,Owner,2026-12-31,small; large,16,2\r\n"
      "\r\n"
      "\"Physics, 2026\",,bob@example.org,,,small,,\r\n"
      "Chem,ada,,,,,,\r\n");
  REQUIRE_THAT(plan, IsOk());
  REQUIRE(plan->size() == 2);
  const CourseProject& physics = plan->front();
  CHECK(physics.name == "Physics, 2026");
  CHECK(physics.line == 3);
  CHECK(*physics.expires_at == absl::FromUnixSeconds(1798761600));
  CHECK_FALSE(physics.account);
  CHECK(physics.templates == std::vector<std::string>{"small", "large"});
  CHECK(physics.limits.at(v1::LIMIT_METRIC_GPUS) == 16);
  CHECK(physics.member_limits.at(v1::LIMIT_METRIC_JOBS) == 2);
  REQUIRE(physics.members.size() == 2);
  CHECK(physics.members[0].place == v1::PROJECT_ROLE_OWNER);
  CHECK(physics.members[1].email == "bob@example.org");
  CHECK(physics.members[1].place == v1::PROJECT_ROLE_MEMBER);
  CHECK(physics.members[1].line == 5);
}

TEST_CASE("csv: refuses an invalid table and names the line", "[backend]") {
  for (const auto& [text, fault] :
       {std::pair{"a,b\n1\n", "line 2: 1 cells: expected 2 as in the headings"},
        {"a,a\n", "line 1: heading \"a\" is there twice"},
        {"a,\n", "line 1: a heading is empty"},
        {"a\n\"x\n", "line 2: a quote is not closed"},
        {"a\n\x1b[2J\n", "line 2: control characters: expected text"}}) {
    INFO(text);
    CHECK(ReadCsv(text).status().message() == fault);
  }
  const auto table = ReadCsv("a,b\n\"1,\"\"2\",  3 \n");
  REQUIRE_THAT(table, IsOk());
  CHECK(table->rows[0].Get("a") == "1,\"2");
  CHECK(table->rows[0].Get("b") == "3");
  CHECK(table->rows[0].Get("c").empty());
}

TEST_CASE("ldif: names that no account can have are refused", "[backend]") {
  const AccountListOptions options{.base = "ou=people,dc=example,dc=org",
                                   .first_uid = 30000};
  for (const char* rows : {"a b\n", "ada\nada\n", "x\ndn: evil\n"}) {
    CHECK_FALSE(LdifOf(options, std::string("username\n") + rows).ok());
  }
  CHECK_FALSE(LdifOf(options, "username,uid\nada,30000\nbob,\n").ok());
  CHECK_FALSE(LdifOf({.base = "o=x"}, "username\nada\n").ok());
  const auto ldif = LdifOf(options,
                           "username,name,email\n"
                           "ada,Ada Lovelace,ada@example.org\n"
                           "b+b,J\xC3\xB6rg M\xC3\xBCller,\n");
  REQUIRE_THAT(ldif, IsOk());
  CHECK(*ldif ==
        "dn: uid=ada,ou=people,dc=example,dc=org\n"
        "objectClass: inetOrgPerson\nobjectClass: posixAccount\n"
        "uid: ada\ncn: Ada Lovelace\nsn: Lovelace\nmail: ada@example.org\n"
        "uidNumber: 30000\ngidNumber: 30000\nhomeDirectory: /home/ada\n"
        "loginShell: /bin/bash\n\n"
        "dn: uid=b\\+b,ou=people,dc=example,dc=org\n"
        "objectClass: inetOrgPerson\nobjectClass: posixAccount\n"
        "uid: b+b\ncn:: SsO2cmcgTcO8bGxlcg==\nsn:: TcO8bGxlcg==\n"
        "uidNumber: 30001\ngidNumber: 30001\nhomeDirectory: /home/b+b\n"
        "loginShell: /bin/bash\n\n");
}

TEST_CASE(
    "portal client: an address that is not https, or no token, is refused",
    "[backend]") {
  CHECK_FALSE(
      PortalClient::Create({.portal = "http://a", .token = "carme_x"}).ok());
  CHECK_FALSE(PortalClient::Create({.portal = "https://a"}).ok());
  CHECK_FALSE(
      PortalClient::Create({.portal = "https://a", .token = "session"}).ok());
  CHECK_THAT(PortalClient::Create({.portal = "https://a/", .token = "carme_x"}),
             IsOk());
}

TEST_CASE("portal client: an error has its code, message and violations",
          "[backend]") {
  const absl::Status no = PortalError(502, "<html>");
  CHECK(absl::IsUnavailable(no));
  const absl::Status status = PortalError(
      400,
      R"({"code":"invalid_argument","message":"two faults","details":[
        {"type":"google.rpc.BadRequest","value":"","debug":{"fieldViolations":
        [{"field":"spec.nodes","description":"nodes is 9\u001b[2J"}]}}]})");
  CHECK(absl::IsInvalidArgument(status));
  CHECK(status.GetPayload(kPortalPayload));
  CHECK(std::string(status.message()).find("two faults\n  spec.nodes: nodes") ==
        0);
  CHECK(status.message().find('\x1b') == absl::string_view::npos);
}

TEST_CASE("portal client: tables are in columns and show no control characters",
          "[backend]") {
  CHECK(FormatTable({{"A", "B"}, {"J\xC3\xB6rg", ""}, {"x", "y"}}) ==
        "A     B\nJ\xC3\xB6rg  -\nx     y\n");
  CHECK(FormatTable({{"a\x1b[2Jb"}}).find('\x1b') == std::string::npos);
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  CHECK(*ParseMoment("2h", now) == now + absl::Hours(2));
  CHECK(*ParseMoment("2027-01-15T10:00:00Z", now) == now + absl::Hours(2));
  CHECK_FALSE(ParseMoment("tomorrow", now).ok());
  CHECK(*ParseDuration("90") == absl::Minutes(90));
  CHECK(*ParseDuration("2h") == absl::Hours(2));
  CHECK(*ParseDuration("1d") == absl::Hours(24));
  for (const char* text : {"", "0", "-5", "2x", "inf"}) {
    INFO(text);
    CHECK_FALSE(ParseDuration(text).ok());
  }
}

}  // namespace
}  // namespace carme::carmectl
