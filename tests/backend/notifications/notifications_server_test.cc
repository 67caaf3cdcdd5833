// The whole way from an event to a mail server and a webhook, with threads.
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "backend/notifications/delivery/notifications.h"
#include "common/log.h"
#include "tests/backend/notifications/listening_program.h"
#include "tests/backend/notifications/notification_fixture.h"
#include "tests/support/fake_directory.h"
#include "tests/support/signals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"

namespace carme::backend {
namespace {

using testing::WaitFor;

struct Site {
  NotificationFixture fixture;
  TestAuthority authority;
  IssuedCertificate own = authority.Issue("mail", "IP:127.0.0.1");
  Person ada{.username = "ada",
             .display_name = "Ada",
             .uid = kAda,
             .role = Role::kUser,
             .groups = {},
             .mail = "ada@example.org"};
  NotificationsConfig config;
  absl::Mutex mutex;  // of ada, while there are couriers

  FakeDirectory directory{[this](const std::string&) {
    absl::MutexLock lock(&mutex);
    return ada;
  }};
  UserStore users{fixture.database.get(), &fixture.clock};

  Site() {
    SetLogLevel(LogLevel::kError);
    REQUIRE_THAT(users.RecordLogin(ada), IsOk());
  }
  ListeningProgram Sink(std::vector<std::string> words = {}) {
    words.insert(words.end(), {"--certificate", own.certificate_file, "--key",
                               own.key_file});
    return {CARME_MAIL_SINK, words};
  }
  void Use(const ListeningProgram& sink) {
    config.mail.server = absl::StrCat("smtp://127.0.0.1:", sink.port());
    config.mail.ca_file = authority.ca_file();
    config.mail.from = "carme@example.org";
  }
  std::unique_ptr<Notifications> Open() {
    return Notifications::Open({.database = fixture.database.get(),
                                .clock = &fixture.clock,
                                .users = &users,
                                .directory = &directory,
                                .portal_url = "https://carme.example.org",
                                .sender_name = "Carme"},
                               config)
        .value();
  }
  // The newest of ada's, by e-mail.
  InboxDelivery Newest() { return fixture.Of(kAda).at(0).deliveries.at(0); }
  bool NewestIs(DeliveryState state) {
    return WaitFor([&] { return Newest().state == state; });
  }
};

std::string MessageIdIn(const std::string& mail) {
  const size_t at = mail.find("Message-ID: ");
  return mail.substr(at, mail.find('\r', at) - at);
}

TEST_CASE("notifications: without a configuration no message is sent",
          "[backend]") {
  Site site;
  const auto notifications = site.Open();
  site.fixture.Fail(kAda, "a");
  CHECK(site.fixture.Of(kAda).at(0).deliveries.empty());
  CHECK_FALSE(notifications->Offers(v1::CHANNEL_MAIL));
  CHECK_FALSE(notifications->Offers(v1::CHANNEL_WEBHOOK));
}

TEST_CASE("notifications: other users cannot read the mail password",
          "[backend]") {
  Site site;
  TempDir dir;
  REQUIRE_THAT(WriteFile(dir.File("password"), "word\n", 0644), IsOk());
  site.config.mail = {.server = "smtp://127.0.0.1",
                      .ca_file = "",
                      .user = "carme",
                      .password_file = dir.File("password"),
                      .from = "carme@example.org"};
  CHECK(absl::IsPermissionDenied(
      Notifications::Open({.database = site.fixture.database.get(),
                           .clock = &site.fixture.clock,
                           .users = &site.users,
                           .directory = &site.directory,
                           .portal_url = "",
                           .sender_name = ""},
                          site.config)
          .status()));
}

TEST_CASE("notifications: the page shows a missing address", "[backend]") {
  Site site;
  const ListeningProgram sink = site.Sink();
  site.Use(sink);
  for (const char* address : {"", "ada@example.org\r\nBcc: eve@example.org"}) {
    site.ada.mail = address;
    const auto notifications = site.Open();
    site.fixture.Fail(kAda, "a");
    CHECK(site.NewestIs(v1::DELIVERY_STATE_GIVEN_UP));
    CHECK(absl::StrContains(site.Newest().problem, "mail address"));
    CHECK(absl::IsNotFound(notifications->AddressOf(kAda).status()));
  }
  CHECK(sink.Got().empty());
}

TEST_CASE("notifications: wait for a user unknown to the directory",
          "[backend]") {
  Site site;
  const ListeningProgram sink = site.Sink();
  site.Use(sink);
  const auto notifications = site.Open();
  site.fixture.Fail(kBob, "bob's");
  CHECK(WaitFor([&] {
    return !site.fixture.Of(kBob).at(0).deliveries.at(0).problem.empty();
  }));
  CHECK(site.fixture.Of(kBob).at(0).deliveries.at(0).state ==
        v1::DELIVERY_STATE_WAITING);
  CHECK(notifications->HealthOf(v1::CHANNEL_MAIL)->last_problem.text ==
        "your account is not in the directory");
}

TEST_CASE("notifications: an event is mailed to the directory's address",
          "[backend]") {
  Site site;
  const ListeningProgram sink = site.Sink();
  site.Use(sink);
  const auto notifications = site.Open();
  site.fixture.Fail(kAda, "Your job \"Größe\" has failed.");
  REQUIRE(site.NewestIs(v1::DELIVERY_STATE_SENT));
  REQUIRE(sink.Got().size() == 1);
  CHECK(absl::StrContains(sink.Got()[0], "<ada@example.org>"));
  CHECK(notifications->HealthOf(v1::CHANNEL_MAIL)->outbox.last_sent);
}

TEST_CASE("notifications: a mail without response is repeated with its id",
          "[backend]") {
  Site site;
  const ListeningProgram sink = site.Sink({"--hang-ups", "1"});
  site.Use(sink);
  const auto notifications = site.Open();
  site.fixture.Fail(kAda, "a");
  REQUIRE(WaitFor([&] { return !site.Newest().problem.empty(); }));
  site.fixture.clock.Advance(absl::Minutes(2));
  REQUIRE(site.NewestIs(v1::DELIVERY_STATE_SENT));
  const auto got = sink.Got();
  REQUIRE(got.size() == 2);
  CHECK(MessageIdIn(got[0]).size() > 20);
  CHECK(MessageIdIn(got[0]) == MessageIdIn(got[1]));
}

TEST_CASE("notifications: one process's rest is the next one's", "[backend]") {
  Site site;
  {
    // No server listens there.
    site.config.mail = {.server = "smtp://127.0.0.1:1",
                        .ca_file = site.authority.ca_file(),
                        .user = "",
                        .password_file = "",
                        .from = "carme@example.org"};
    const auto notifications = site.Open();
    site.fixture.Fail(kAda, "a");
    REQUIRE(WaitFor([&] { return !site.Newest().problem.empty(); }));
  }
  const ListeningProgram sink = site.Sink();
  site.Use(sink);
  site.fixture.clock.Advance(absl::Minutes(2));
  const auto notifications = site.Open();
  REQUIRE(site.NewestIs(v1::DELIVERY_STATE_SENT));
  CHECK(sink.Got().size() == 1);
}

constexpr char kKilled[] = "notifications: the process that is killed";

// This program again, to run one case of it: a backend that sends a mail.
struct Sender {
  Sender(const std::string& database, int port, const std::string& ca_file) {
    setenv("CARME_TEST_DATABASE", database.c_str(), 1);
    setenv("CARME_TEST_PORT", absl::StrCat(port).c_str(), 1);
    setenv("CARME_TEST_CA", ca_file.c_str(), 1);
    std::string program = "/proc/self/exe";
    std::string words = kKilled;
    char* arguments[] = {program.data(), words.data(), nullptr};
    REQUIRE(posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments,
                        environ) == 0);
  }
  ~Sender() { Kill(); }
  void Kill() {
    if (pid == 0) return;
    testing::Signal(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    pid = 0;
  }
  pid_t pid = 0;
};

struct Stored {
  explicit Stored(const std::string& path)
      : database(Database::Open(path, Migrations()).value()) {
    REQUIRE_THAT(users.RecordLogin(ada), IsOk());
  }
  std::unique_ptr<Notifications> Open(int port, const std::string& ca_file) {
    NotificationsConfig config;
    config.mail.server = absl::StrCat("smtp://127.0.0.1:", port);
    config.mail.ca_file = ca_file;
    config.mail.from = "carme@example.org";
    return Notifications::Open({.database = database.get(),
                                .clock = &clock,
                                .users = &users,
                                .directory = &directory,
                                .portal_url = "https://carme.example.org",
                                .sender_name = "Carme"},
                               config)
        .value();
  }
  InboxDelivery Newest() {
    return Inbox(database.get(), &clock)
        .List(kAda, 0, 1)
        .value()
        .events.at(0)
        .deliveries.at(0);
  }
  const Person ada{.username = "ada",
                   .display_name = "Ada",
                   .uid = kAda,
                   .role = Role::kUser,
                   .groups = {},
                   .mail = "ada@example.org"};
  std::unique_ptr<Database> database;
  SystemClock clock;
  FakeDirectory directory{[this](const std::string&) { return ada; }};
  UserStore users{database.get(), &clock};
};

// Hidden by the dot; run by another case only.
TEST_CASE(kKilled, "[.]") {
  const char* path = getenv("CARME_TEST_DATABASE");
  REQUIRE(path != nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Stored stored(path);
  const auto notifications = stored.Open(std::atoi(getenv("CARME_TEST_PORT")),
                                         getenv("CARME_TEST_CA"));
  REQUIRE_THAT(stored.database->Transact([&](Database& db) {
    return PostEvent(db,
                     {.uid = kAda,
                      .kind = v1::NOTIFICATION_KIND_JOB_FAILED,
                      .text = "Your job has failed."},
                     stored.clock.Now());
  }),
               IsOk());
  while (true) pause();
}

TEST_CASE(
    "notifications: after a kill between sending and recording the same mail "
    "is sent again",
    "[backend]") {
  Site site;
  const ListeningProgram sink = site.Sink({"--stalls", "1"});
  const TempDir dir;
  const std::string path = dir.File("carme.db");
  Sender sender(path, sink.port(), site.authority.ca_file());
  // The server has the mail but has not confirmed it: the backend ends here.
  REQUIRE(WaitFor([&] { return sink.Got().size() == 1; }));
  sender.Kill();
  {
    Stored stored(path);
    CHECK(stored.Newest().state == v1::DELIVERY_STATE_WAITING);
    const auto next = stored.Open(sink.port(), site.authority.ca_file());
    REQUIRE(WaitFor(
        [&] { return stored.Newest().state == v1::DELIVERY_STATE_SENT; }));
  }
  const std::vector<std::string> got = sink.Got();
  REQUIRE(got.size() == 2);
  CHECK(MessageIdIn(got[0]).size() > 20);
  CHECK(MessageIdIn(got[0]) == MessageIdIn(got[1]));
  // And never again.
  Stored stored(path);
  Outbox outbox(stored.database.get(), &stored.clock);
  REQUIRE_THAT(outbox.Recover(), IsOk());
  CHECK_FALSE(outbox.TakeDue(v1::CHANNEL_MAIL, 1000).value());
}

TEST_CASE("notifications: a reused uid does not get the old webhook",
          "[backend]") {
  Site site;
  const ListeningProgram receiver(CARME_HOOK_RECEIVER, {});
  const std::string place = absl::StrCat("127.0.0.1:", receiver.port());
  site.config.webhooks.offered = true;
  site.config.webhooks.rules.internal = {place};
  const auto notifications = site.Open();
  Preferences& preferences = notifications->preferences();
  REQUIRE_THAT(preferences.SetWebhook(kAda, "ada",
                                      absl::StrCat("http://", place, "/"), "s"),
               IsOk());
  {
    absl::MutexLock lock(&site.mutex);
    site.ada.username = "zoe";
  }
  CHECK_FALSE(preferences.WebhookOf(kAda, "zoe").value());
  site.fixture.Fail(kAda, "zoe's");
  REQUIRE(site.NewestIs(v1::DELIVERY_STATE_GIVEN_UP));
  CHECK(receiver.Got().empty());
  // It is no longer called for any user.
  CHECK_FALSE(preferences.WebhookOf(kAda, "ada").value());
  site.fixture.Fail(kAda, "zoe's second");
  CHECK(site.fixture.Of(kAda).at(0).deliveries.empty());
}

TEST_CASE("notifications: a webhook is called until its owner removes it",
          "[backend]") {
  Site site;
  const ListeningProgram receiver(CARME_HOOK_RECEIVER, {});
  const std::string place = absl::StrCat("127.0.0.1:", receiver.port());
  site.config.webhooks.offered = true;
  site.config.webhooks.rules.internal = {place};
  const auto notifications = site.Open();
  Preferences& preferences = notifications->preferences();
  REQUIRE_THAT(preferences.SetWebhook(kAda, "ada",
                                      absl::StrCat("http://", place, "/"), "s"),
               IsOk());
  site.fixture.Fail(kAda, "a");
  REQUIRE(site.NewestIs(v1::DELIVERY_STATE_SENT));
  CHECK(receiver.Got().size() == 1);
  REQUIRE_THAT(preferences.RemoveWebhook(kAda), IsOk());
  site.fixture.Fail(kAda, "b");
  CHECK(site.fixture.Of(kAda).at(0).deliveries.empty());
}

}  // namespace
}  // namespace carme::backend
