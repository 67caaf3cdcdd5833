#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backend/carmectl/setup/site/answer_rules.h"
#include "backend/carmectl/setup/site/config_template.h"
#include "backend/carmectl/setup/site/site_answers.h"
#include "tests/support/status_matchers.h"

namespace carme::carmectl {
namespace {

const SetupQuestion& FindQuestion(std::string_view table,
                                  std::string_view key) {
  for (const SetupQuestion& question : SetupQuestions()) {
    if (question.table == table && question.key == key) return question;
  }
  FAIL("no question " << key);
  return SetupQuestions().front();
}

// The example with one text replaced.
absl::StatusOr<SiteAnswers> ParseExample(const std::string& from,
                                         const std::string& to) {
  const std::string text = FormatAnswers(ExampleAnswers());
  REQUIRE(text.find(from) != std::string::npos);
  return ParseAnswers(absl::StrReplaceAll(text, {{from, to}}), "site.toml");
}

TEST_CASE("setup: refuses unknown keys of answers, by line", "[carmectl]") {
  const auto parsed =
      ParseAnswers("[portal]\nhost = \"a.example.org\"\nnmae = 1\n", "s.toml");
  CHECK_THAT(parsed, StatusIs(absl::StatusCode::kInvalidArgument, "s.toml:3"));
  CHECK_THAT(parsed, StatusIs(absl::StatusCode::kInvalidArgument, "nmae"));
}

TEST_CASE("setup: reports all errors of answers at once", "[carmectl]") {
  const auto parsed = ParseAnswers(
      "[portal]\nhost = \"no name\"\n[hosts]\ndmz = [\"x\"]\n", "s.toml");
  CHECK_THAT(parsed, StatusIs(absl::StatusCode::kInvalidArgument, "no name"));
  CHECK_THAT(parsed, StatusIs(absl::StatusCode::kInvalidArgument, "dmz"));
}

TEST_CASE("setup: refuses a password in an LDAP address without showing it",
          "[carmectl]") {
  const auto parsed =
      ParseExample("ldaps://ldap1.example.org", "ldaps://cn:hunter2@ldap1");
  CHECK_THAT(parsed, StatusIs(absl::StatusCode::kInvalidArgument,
                              "a password does not belong in an address"));
  CHECK(parsed.status().message().find("hunter2") == std::string::npos);
}

TEST_CASE("setup: refuses half of the answers about clusters", "[carmectl]") {
  const struct {
    const char* lines;
    const char* refusal;
  } refused[] = {
      {"further = [\"beta\"]", "name is missing"},
      {"name = \"alpha\"\nfurther = [\"beta\", \"beta\"]", "twice"},
      {"name = \"alpha\"\nfurther = [\"alpha\"]", "nor this one"},
      {"name = \"beta\"\nidentity_backend = \"head:9443\"",
       "must all be given"},
      {"name = \"beta\"\nidentity_ca = \"/ca.pem\"", "must all be given"},
      {"name = \"beta\"\nfurther = [\"gamma\"]\n"
       "identity_backend = \"head:9443\"",
       "exclude each other"},
  };
  for (const auto& each : refused) {
    CAPTURE(each.lines);
    const auto parsed =
        ParseAnswers(absl::StrCat("[cluster]\n", each.lines, "\n"), "s.toml");
    CHECK_THAT(parsed,
               StatusIs(absl::StatusCode::kInvalidArgument, each.refusal));
  }
}

TEST_CASE("setup: refuses answers with odd characters", "[carmectl]") {
  const struct {
    const char* table;
    const char* key;
    const char* text;
  } refused[] = {
      {"portal", "host", "carme.example.org\nx = 1"},
      {"portal", "host", "carme.example.org/path"},
      {"portal", "host", "carme.example.org:0"},
      {"portal", "host", "carme.example.org:99999"},
      {"portal", "host", "carme"},
      {"portal", "host", ""},
      {"portal", "certificate", "relative.pem"},
      {"portal", "certificate", "/a/../b"},
      {"cluster", "name", "a b"},
      {"cluster", "further", "beta/"},
      {"cluster", "identity_backend", "head-alpha"},
      {"cluster", "identity_backend", "head-alpha:0"},
      {"cluster", "identity_backend", "head alpha:9443"},
      {"cluster", "issuer_key", "c2hvcnQ"},
      {"hosts", "backend", "head;reboot"},
      {"hosts", "backend", "300.1.1.1"},
      {"hosts", "backend_address", "head"},
      {"hosts", "dmz", "10.0.0.1 } accept"},
      {"hosts", "nodes", "10.0.0.1/8"},
      {"directory", "url", "http://ldap.example.org"},
      {"directory", "url", "ldaps://ldap.example.org/dc=x"},
      {"directory", "kind", "nis"},
      {"directory", "user_base", "people"},
      {"directory", "bind_dn", "cn=a\x1b[2J"},
      {"directory", "bind_dn", "cn=\xe2\x80\xae"},
      {"directory", "allowed_group", "users)(cn=*"},
      {"slurm", "feature", "a-b"},
      {"jobs", "homes", "/home\nExecStart=/bin/sh"},
      {"jobs", "homes", "/home \"quoted\""},
      {"jobs", "node_system", "maybe"},
  };
  for (const auto& each : refused) {
    CAPTURE(each.key, each.text);
    SiteAnswers answers = ExampleAnswers();
    CHECK_THAT(
        SetAnswer(FindQuestion(each.table, each.key), each.text, &answers),
        StatusIs(absl::StatusCode::kInvalidArgument, ""));
    CHECK(FormatAnswers(answers) == FormatAnswers(ExampleAnswers()));
  }
}

TEST_CASE("setup: refuses answers that do not fit together", "[carmectl]") {
  CHECK_THAT(
      ParseExample("jobs_domain = \"jobs.example.net\"", "jobs_domain = \"\""),
      StatusIs(absl::StatusCode::kInvalidArgument, "jobs_host"));
  CHECK_THAT(ParseExample("jobs.example.net", "example.org"),
             StatusIs(absl::StatusCode::kInvalidArgument, "jobs_domain"));
  CHECK_THAT(ParseExample("certificate = \"\"", "certificate = \"/a.pem\""),
             StatusIs(absl::StatusCode::kInvalidArgument, "certificate"));
  CHECK_THAT(ParseExample("start_tls = false", "start_tls = true"),
             StatusIs(absl::StatusCode::kInvalidArgument, "start_tls"));
  CHECK_THAT(ParseExample("/etc/ssl/certs/ca-certificates.crt", ""),
             StatusIs(absl::StatusCode::kInvalidArgument, "ca_file"));
  CHECK_THAT(ParseExample("/root/carme-ldap-password", ""),
             StatusIs(absl::StatusCode::kInvalidArgument, "bind_dn"));
  CHECK_THAT(ParseExample("node_system = true", "node_system = false"),
             StatusIs(absl::StatusCode::kInvalidArgument, "image"));
}

TEST_CASE("setup: reads the answers that it writes", "[carmectl]") {
  SiteAnswers answers = ExampleAnswers();
  answers.bind_dn = "cn=\"a\\b\", é,dc=x";
  answers.node_system = true;
  const std::string text = FormatAnswers(answers);
  const auto parsed = ParseAnswers(text, "site.toml");
  REQUIRE_THAT(parsed, IsOk());
  CHECK(parsed->bind_dn == answers.bind_dn);
  CHECK(FormatAnswers(*parsed) == text);
}

TEST_CASE("setup: takes typed lists and flags", "[carmectl]") {
  SiteAnswers answers;
  REQUIRE_THAT(SetAnswer(FindQuestion("hosts", "nodes"),
                         " 10.1.0.0/16, 10.2.0.7 2001:db8::/32 ", &answers),
               IsOk());
  CHECK(answers.node_networks ==
        std::vector<std::string>{"10.1.0.0/16", "10.2.0.7", "2001:db8::/32"});
  REQUIRE_THAT(SetAnswer(FindQuestion("jobs", "node_system"), "no", &answers),
               IsOk());
  CHECK_FALSE(answers.node_system);
}

TEST_CASE("setup: a value cannot add a key to a file", "[carmectl]") {
  ConfigTemplate file("a = \"\"\n[t]\n#b = 1\n");
  file.Set("", "a", std::string("x\"\nadmin = true\n[t]\n"));
  file.Set("[t]", "b", std::vector<std::string>{"'", "\\", "]"});
  REQUIRE_THAT(file.status(), IsOk());
  CHECK(file.text() ==
        "a = \"x\\\"\\nadmin = true\\n[t]\\n\"\n[t]\nb = [\"'\", \"\\\\\", "
        "\"]\"]\n");
}

TEST_CASE("setup: fails for a key that a template lacks", "[carmectl]") {
  ConfigTemplate file("a = 1\n[t]\nb = 1\n");
  file.Set("", "b", true);
  CHECK_THAT(file.status(),
             StatusIs(absl::StatusCode::kInternal, "no key \"b\""));
}

}  // namespace
}  // namespace carme::carmectl
