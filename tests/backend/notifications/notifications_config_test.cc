#include "backend/notifications/delivery/notifications_config.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/match.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

absl::Status Read(const std::string& text, NotificationsConfig* config) {
  absl::StatusOr<ConfigFile> file = ConfigFile::Parse(text, "backend.toml");
  REQUIRE_THAT(file, IsOk());
  ReadNotificationsConfig(file->root(), config);
  return file->Finish();
}

std::string FaultOf(const std::string& text) {
  NotificationsConfig config;
  return std::string(Read(text, &config).message());
}

TEST_CASE("notifications config: without tables no channel is enabled",
          "[backend]") {
  NotificationsConfig config;
  REQUIRE_THAT(Read("", &config), IsOk());
  CHECK_FALSE(config.mail.offered());
  CHECK_FALSE(config.webhooks.offered);
}

TEST_CASE("notifications config: a mail server is one, and mails are from one",
          "[backend]") {
  for (const char* server :
       {"mail.example.org", "http://mail.example.org", "smtp://", "smtp://a b",
        "smtp://u:p@mail.example.org", "smtp://mail/path", "smtp://mail:0",
        "smtp://mail:65536", "smtp://mail:x", "smtp://[::1"}) {
    CAPTURE(server);
    CHECK(absl::StrContains(
        FaultOf(std::string("[mail]\nfrom = \"a@b\"\nserver = \"") + server +
                "\"\n"),
        "server"));
  }
  for (const char* server : {"smtp://mail.example.org", "smtps://mail:465",
                             "smtp://192.0.2.1:587", "smtp://[::1]:25"}) {
    CAPTURE(server);
    CHECK(FaultOf(std::string("[mail]\nfrom = \"a@b\"\nserver = \"") + server +
                  "\"\n")
              .empty());
  }
  CHECK(
      absl::StrContains(FaultOf("[mail]\nserver = \"smtp://mail\"\n"), "from"));
  CHECK(absl::StrContains(
      FaultOf("[mail]\nserver = \"smtp://mail\"\nfrom = \"Carme <a@b>\"\n"),
      "from"));
}

TEST_CASE("notifications config: without TLS only to this host", "[backend]") {
  const std::string rest = "from = \"a@b\"\nplain = true\nserver = ";
  for (const char* server :
       {"\"smtp://mail.example.org\"", "\"smtp://127.0.0.1.example.org\"",
        "\"smtps://localhost\""}) {
    CAPTURE(server);
    CHECK(absl::StrContains(FaultOf("[mail]\n" + rest + server), "plain"));
  }
  CHECK(FaultOf("[mail]\n" + rest + "\"smtp://127.0.0.1:25\"").empty());
}

TEST_CASE("notifications config: a user has a password file", "[backend]") {
  const std::string rest = "[mail]\nserver = \"smtp://mail\"\nfrom = \"a@b\"\n";
  CHECK(absl::StrContains(FaultOf(rest + "user = \"carme\"\n"), "user"));
  CHECK(absl::StrContains(FaultOf(rest + "password_file = \"/x\"\n"), "user"));
}

TEST_CASE("notifications config: a webhook's rules are read or refused",
          "[backend]") {
  for (const char* own : {"chat.example.org", "CHAT.example.org:80",
                          "http://chat:80", "chat:0", "chat:80/x"}) {
    CAPTURE(own);
    CHECK(absl::StrContains(
        FaultOf(std::string("[webhooks]\ninternal = [\"") + own + "\"]\n"),
        "internal"));
  }
  CHECK(absl::StrContains(
      FaultOf("[webhooks]\ndenied_networks = [\"10.0.0.1/8\"]\n"),
      "denied_networks"));
  NotificationsConfig config;
  REQUIRE_THAT(Read("[webhooks]\noffered = true\ninternal = [\"chat:80\"]\n"
                    "denied_networks = [\"141.89.0.0/16\"]\nper_hour = 5\n",
                    &config),
               IsOk());
  CHECK(config.webhooks.offered);
  CHECK(config.webhooks.rules.internal.size() == 1);
  CHECK(config.webhooks.rules.denied.size() == 1);
  CHECK(config.webhooks.per_hour == 5);
}

}  // namespace
}  // namespace carme::backend
