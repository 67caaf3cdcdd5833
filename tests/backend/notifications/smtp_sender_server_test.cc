// Mails to a real mail server that keeps them: TLS, passwords, refusals.
#include <atomic>
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/notifications/delivery/smtp_sender.h"
#include "common/log.h"
#include "tests/backend/notifications/listening_program.h"
#include "tests/support/held_port.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_authority.h"

namespace carme::backend {
namespace {

constexpr char kText[] =
    "From: carme@example.org\r\nTo: ada@example.org\r\nSubject: x\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n\r\nbody\r\n.\r\n..dots\r\n";

struct Site {
  TestAuthority authority;
  IssuedCertificate own = authority.Issue("mail", "DNS:localhost,IP:127.0.0.1");
  std::atomic<bool> stopping = false;

  Site() { SetLogLevel(LogLevel::kError); }
  ListeningProgram Sink(std::vector<std::string> words = {}) {
    words.insert(words.end(), {"--certificate", own.certificate_file, "--key",
                               own.key_file});
    return {CARME_MAIL_SINK, words};
  }
  MailConfig ConfigOf(const ListeningProgram& sink) const {
    return {.server = absl::StrCat("smtp://127.0.0.1:", sink.port()),
            .ca_file = authority.ca_file(),
            .plain = false,
            .user = "",
            .password_file = "",
            .from = "carme@example.org"};
  }
  absl::Status Send(const MailConfig& config,
                    const std::string& to = "ada@example.org",
                    const std::string& password = "") {
    return SmtpSender(config, password, &stopping).Send(to, kText);
  }
};

TEST_CASE("smtp: a server with a wrong identity gets nothing", "[backend]") {
  Site site;
  const ListeningProgram sink = site.Sink();
  MailConfig config = site.ConfigOf(sink);
  const TestAuthority other;
  config.ca_file = other.ca_file();
  CHECK(absl::IsUnavailable(site.Send(config)));
  CHECK(sink.Got().empty());
}

TEST_CASE("smtp: a certificate for another name gets nothing", "[backend]") {
  Site site;
  site.own = site.authority.Issue("mail", "DNS:mail.example.org");
  const ListeningProgram sink = site.Sink();
  CHECK(absl::IsUnavailable(site.Send(site.ConfigOf(sink))));
  CHECK(sink.Got().empty());
}

TEST_CASE("smtp: a server without TLS gets nothing, unless that is allowed",
          "[backend]") {
  Site site;
  const ListeningProgram sink(CARME_MAIL_SINK, {});
  MailConfig config = site.ConfigOf(sink);
  CHECK(absl::IsUnavailable(site.Send(config)));
  CHECK(sink.Got().empty());
  config.plain = true;
  CHECK_THAT(site.Send(config), IsOk());
  CHECK(sink.Got().size() == 1);
}

TEST_CASE("smtp: a missing server is UNAVAILABLE", "[backend]") {
  Site site;
  const testing::HeldPort nobody;
  CHECK(absl::IsUnavailable(
      site.Send({.server = absl::StrCat("smtp://127.0.0.1:", nobody.number()),
                 .ca_file = site.authority.ca_file(),
                 .user = "",
                 .password_file = "",
                 .from = "carme@example.org"})));
}

TEST_CASE("smtp: an address without a mailbox is the address's fault",
          "[backend]") {
  Site site;
  const ListeningProgram sink = site.Sink({"--refuse", "gone@example.org"});
  CHECK(absl::IsInvalidArgument(
      site.Send(site.ConfigOf(sink), "gone@example.org")));
  CHECK(sink.Got().empty());
  CHECK_THAT(site.Send(site.ConfigOf(sink)), IsOk());
}

TEST_CASE("smtp: the text arrives as it is, dots and all", "[backend]") {
  Site site;
  const ListeningProgram sink = site.Sink();
  REQUIRE_THAT(site.Send(site.ConfigOf(sink)), IsOk());
  REQUIRE(sink.Got().size() == 1);
  CHECK(sink.Got()[0] == kText);
}

TEST_CASE("smtp: TLS from the first byte", "[backend]") {
  Site site;
  const ListeningProgram sink = site.Sink({"--smtps"});
  MailConfig config = site.ConfigOf(sink);
  config.server = absl::StrCat("smtps://localhost:", sink.port());
  CHECK_THAT(site.Send(config), IsOk());
  CHECK(sink.Got().size() == 1);
}

TEST_CASE("smtp: a wrong password is the site's fault, a right one opens",
          "[backend]") {
  Site site;
  const ListeningProgram sink =
      site.Sink({"--user", "carme", "--password", "right one"});
  MailConfig config = site.ConfigOf(sink);
  CHECK(absl::IsUnavailable(site.Send(config)));  // none at all
  config.user = "carme";
  config.password_file = "/read/already";
  CHECK(absl::IsUnavailable(site.Send(config, "ada@example.org", "wrong")));
  CHECK(sink.Got().empty());
  CHECK_THAT(site.Send(config, "ada@example.org", "right one"), IsOk());
}

TEST_CASE("smtp: a program that stops breaks it off", "[backend]") {
  Site site;
  const ListeningProgram sink = site.Sink();
  site.stopping = true;
  CHECK(absl::IsCancelled(site.Send(site.ConfigOf(sink))));
}

}  // namespace
}  // namespace carme::backend
