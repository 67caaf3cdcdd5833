// One's own notifications as a gateway sees them: real guard, real SQLite.
#include <grpcpp/client_context.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/notifications/delivery/notifications.h"
#include "backend/notifications/event.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/notification.grpc.pb.h"
#include "tests/backend/rpc/guarded_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;
using Service = v1::NotificationService;

class EverFresh : public FixedSessions {
 public:
  absl::StatusOr<Session> Authenticate(std::string_view token,
                                       std::string_view address) override {
    absl::StatusOr<Session> session =
        FixedSessions::Authenticate(token, address);
    if (session.ok()) session->reauthenticated_until = absl::InfiniteFuture();
    return session;
  }
};

// No mail server listens, and the clock is advanced by hand.
struct Site {
  FakeClock clock;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  std::unique_ptr<AuditLog> audit =
      AuditLog::Open(database.get(), &clock).value();
  FakeDirectory directory;
  UserStore users{database.get(), &clock};
  std::unique_ptr<Notifications> notifications;
  EverFresh sessions;
  std::unique_ptr<GuardedServer> server;
  std::unique_ptr<Service::Stub> stub;
  Uid uid;

  explicit Site(bool offered = true) {
    uid = sessions.Authenticate("token-of-ada", "")->uid;
    NotificationsConfig config;
    if (offered) {
      config.mail = {.server = "smtp://127.0.0.1:1",
                     .ca_file = "",
                     .plain = true,
                     .user = "",
                     .password_file = "",
                     .from = "carme@example.org"};
      config.webhooks.offered = true;
    }
    const Person ada{.username = "ada",
                     .display_name = "Ada",
                     .uid = uid,
                     .role = Role::kUser,
                     .groups = {},
                     .mail = "ada@example.org"};
    REQUIRE_THAT(users.RecordLogin(ada), IsOk());
    directory.SetPerson("ada", ada);
    notifications =
        Notifications::Open({.database = database.get(),
                             .clock = &clock,
                             .users = &users,
                             .directory = &directory,
                             .portal_url = "https://carme.example.org",
                             .sender_name = "Carme"},
                            config)
            .value();
    server = std::make_unique<GuardedServer>(
        &sessions, NewNotificationService(notifications.get(), audit.get()),
        "notification");
    stub = Service::NewStub(server->Connect(Port::kClients, kFrontendNames));
  }
  void Post(Uid who, EventKind kind, const std::string& text) {
    REQUIRE_THAT(database->Transact([&](Database& db) {
      return PostEvent(db, {.uid = who, .kind = kind, .text = text},
                       clock.Now());
    }),
                 IsOk());
  }
  template <typename Method, typename Request, typename Response>
  Code Call(Method method, const Request& request, Response* response) {
    grpc::ClientContext context;
    context.AddMetadata("carme-session", "token-of-ada");
    context.set_deadline(
        absl::ToChronoTime(absl::Now() + testing::kWaitTimeout));
    return ((*stub).*method)(&context, request, response).error_code();
  }
  v1::ListNotificationsResponse List() {
    v1::ListNotificationsResponse response;
    REQUIRE(Call(&Service::Stub::ListNotifications,
                 v1::ListNotificationsRequest(), &response) == Code::OK);
    return response;
  }
  v1::ChannelSettings ChannelOf(v1::Channel channel) {
    v1::GetChannelsResponse response;
    REQUIRE(Call(&Service::Stub::GetChannels, v1::GetChannelsRequest(),
                 &response) == Code::OK);
    for (const v1::ChannelSettings& one : response.channels()) {
      if (one.channel() == channel) return one;
    }
    return {};
  }
  Code SetWebhook(const std::string& url, std::string* secret = nullptr) {
    v1::SetWebhookRequest request;
    request.set_url(url);
    v1::SetWebhookResponse response;
    const Code code = Call(&Service::Stub::SetWebhook, request, &response);
    if (secret != nullptr) *secret = response.secret();
    return code;
  }
  Code Test(v1::Channel channel) {
    v1::TestChannelRequest request;
    request.set_channel(channel);
    v1::TestChannelResponse response;
    return Call(&Service::Stub::TestChannel, request, &response);
  }
  Code Choose(v1::Channel channel, const std::vector<int>& kinds) {
    v1::SetNotificationPreferencesRequest request;
    request.set_channel(channel);
    for (const int kind : kinds) {
      request.add_kinds(static_cast<v1::NotificationKind>(kind));
    }
    v1::SetNotificationPreferencesResponse response;
    return Call(&Service::Stub::SetNotificationPreferences, request, &response);
  }
};

TEST_CASE("notification service: a user cannot read or mark events of others",
          "[backend]") {
  Site site;
  site.Post(Uid(site.uid.value() + 1), v1::NOTIFICATION_KIND_JOB_FAILED,
            "bob's");
  CHECK(site.List().notifications().empty());
  CHECK(site.List().unread() == 0);
  v1::MarkReadRequest request;
  request.add_ids(1);
  request.set_up_to(1000);
  v1::MarkReadResponse response;
  CHECK(site.Call(&Service::Stub::MarkRead, request, &response) == Code::OK);
  CHECK(site.notifications->inbox()
            .List(Uid(site.uid.value() + 1), 0, 1)
            ->unread == 1);
}

TEST_CASE("notification service: a request without sense is refused",
          "[backend]") {
  Site site;
  for (const auto& [token, size] :
       {std::pair("", 101), std::pair("", -1), std::pair("-1", 0)}) {
    v1::ListNotificationsRequest request;
    request.set_page_token(token);
    request.set_page_size(size);
    v1::ListNotificationsResponse response;
    CHECK(site.Call(&Service::Stub::ListNotifications, request, &response) ==
          Code::INVALID_ARGUMENT);
  }
  v1::MarkReadRequest many;
  for (int i = 0; i < 101; ++i) many.add_ids(i);
  v1::MarkReadResponse marked;
  CHECK(site.Call(&Service::Stub::MarkRead, many, &marked) ==
        Code::INVALID_ARGUMENT);
  CHECK(site.Choose(v1::CHANNEL_UNSPECIFIED, {}) == Code::INVALID_ARGUMENT);
  CHECK(site.Choose(v1::CHANNEL_MAIL, {24}) == Code::INVALID_ARGUMENT);
  CHECK(site.Choose(v1::CHANNEL_MAIL, {0}) == Code::INVALID_ARGUMENT);
  CHECK(site.Test(v1::CHANNEL_UNSPECIFIED) == Code::INVALID_ARGUMENT);
  CHECK(site.SetWebhook("https://127.0.0.1/") == Code::INVALID_ARGUMENT);
  CHECK(site.SetWebhook("http://example.org/") == Code::INVALID_ARGUMENT);
}

TEST_CASE("notification service: refuses disabled channels", "[backend]") {
  Site site(/*offered=*/false);
  CHECK(site.Choose(v1::CHANNEL_MAIL, {1}) == Code::FAILED_PRECONDITION);
  CHECK(site.SetWebhook("https://example.org/") == Code::FAILED_PRECONDITION);
  CHECK(site.Test(v1::CHANNEL_MAIL) == Code::FAILED_PRECONDITION);
  CHECK(site.ChannelOf(v1::CHANNEL_MAIL).channel() == v1::CHANNEL_UNSPECIFIED);
}

TEST_CASE("notification service: lists in pages, the newest first",
          "[backend]") {
  Site site;
  for (const char* text : {"1", "2", "3"}) {
    site.Post(site.uid, v1::NOTIFICATION_KIND_JOB_STARTED, text);
  }
  v1::ListNotificationsRequest request;
  request.set_page_size(2);
  v1::ListNotificationsResponse page;
  REQUIRE(site.Call(&Service::Stub::ListNotifications, request, &page) ==
          Code::OK);
  REQUIRE(page.notifications_size() == 2);
  CHECK(page.notifications(0).text() == "3");
  CHECK(page.notifications(1).text() == "2");
  request.set_page_token(page.next_page_token());
  REQUIRE(site.Call(&Service::Stub::ListNotifications, request, &page) ==
          Code::OK);
  REQUIRE(page.notifications_size() == 1);
  CHECK(page.notifications(0).text() == "1");
  CHECK(page.next_page_token().empty());
}

TEST_CASE("notification service: lists events with their delivery state",
          "[backend]") {
  Site site;
  site.Post(site.uid, v1::NOTIFICATION_KIND_JOB_STARTED, "started");
  site.Post(site.uid, v1::NOTIFICATION_KIND_ACCOUNT, "a code was used");
  v1::ListNotificationsResponse list = site.List();
  REQUIRE(list.notifications_size() == 2);
  const v1::Notification& newest = list.notifications(0);
  CHECK(newest.text() == "a code was used");
  CHECK(newest.kind() == v1::NOTIFICATION_KIND_ACCOUNT);
  CHECK(newest.at().seconds() == absl::ToUnixSeconds(site.clock.Now()));
  CHECK_FALSE(newest.read());
  REQUIRE(newest.deliveries_size() == 1);
  CHECK(newest.deliveries(0).channel() == v1::CHANNEL_MAIL);
  CHECK(newest.deliveries(0).state() == v1::DELIVERY_STATE_WAITING);
  CHECK(list.notifications(1).deliveries().empty());
  v1::MarkReadRequest request;
  request.set_up_to(list.notifications(1).id());
  v1::MarkReadResponse response;
  REQUIRE(site.Call(&Service::Stub::MarkRead, request, &response) == Code::OK);
  CHECK(response.unread() == 1);
  list = site.List();
  CHECK_FALSE(list.notifications(0).read());
  CHECK(list.notifications(1).read());
}

TEST_CASE("notification service: shows chosen and mandatory events",
          "[backend]") {
  Site site;
  CHECK(site.ChannelOf(v1::CHANNEL_MAIL).address() == "ada@example.org");
  REQUIRE(site.Choose(v1::CHANNEL_MAIL, {1, 3}) == Code::OK);
  const v1::ChannelSettings mail = site.ChannelOf(v1::CHANNEL_MAIL);
  CHECK(std::vector<int>(mail.chosen().begin(), mail.chosen().end()) ==
        std::vector<int>{1, 3, 23});
  REQUIRE(site.Choose(v1::CHANNEL_WEBHOOK, {}) == Code::OK);
  CHECK(site.ChannelOf(v1::CHANNEL_WEBHOOK).chosen().empty());
}

TEST_CASE(
    "notification service: repeated changes of a webhook displace no "
    "notifications",
    "[backend]") {
  Site site;
  for (int i = 0; i < 5; ++i) {
    REQUIRE(site.SetWebhook("https://example.org/a") == Code::OK);
  }
  CHECK(site.SetWebhook("https://example.org/b") == Code::RESOURCE_EXHAUSTED);
  CHECK(site.ChannelOf(v1::CHANNEL_WEBHOOK).address() ==
        "https://example.org/a");
  CHECK(site.List().notifications_size() == 5);
}

TEST_CASE(
    "notification service: a webhook's secret is shown once, and its "
    "change is audited",
    "[backend]") {
  Site site;
  CHECK(site.Test(v1::CHANNEL_WEBHOOK) == Code::FAILED_PRECONDITION);
  std::string first, second;
  REQUIRE(site.SetWebhook("https://example.org/a", &first) == Code::OK);
  REQUIRE(site.SetWebhook("https://example.org/b", &second) == Code::OK);
  CHECK(first.size() > 40);
  CHECK(first != second);
  CHECK(site.ChannelOf(v1::CHANNEL_WEBHOOK).address() ==
        "https://example.org/b");
  CHECK(site.notifications->preferences()
            .WebhookOf(site.uid, "ada")
            .value()
            ->secret == second);
  // The owner notices a change by a stolen session.
  CHECK(site.List().notifications(0).kind() == v1::NOTIFICATION_KIND_ACCOUNT);
  CHECK(site.List().notifications(0).text().find("example.org") !=
        std::string::npos);
  v1::RemoveWebhookResponse removed;
  REQUIRE(site.Call(&Service::Stub::RemoveWebhook, v1::RemoveWebhookRequest(),
                    &removed) == Code::OK);
  CHECK(site.ChannelOf(v1::CHANNEL_WEBHOOK).address().empty());
  int64_t entries = 0;
  REQUIRE_THAT(site.database->Query([&](Database& db) -> absl::Status {
    Statement read = db.Prepare(
                           "SELECT count(*) FROM audit WHERE act "
                           "IN ('set-webhook', 'remove-webhook')")
                         .value();
    REQUIRE(read.Step().value());
    entries = read.Int(0);
    return absl::OkStatus();
  }),
               IsOk());
  CHECK(entries == 3);
}

TEST_CASE("notification service: sends a test a minute and reports its result",
          "[backend]") {
  Site site;
  REQUIRE(site.Test(v1::CHANNEL_MAIL) == Code::OK);
  CHECK(site.Test(v1::CHANNEL_MAIL) == Code::RESOURCE_EXHAUSTED);
  CHECK(site.List().notifications(0).kind() == v1::NOTIFICATION_KIND_TEST);
  CHECK(testing::WaitFor([&] {
    return !site.List().notifications(0).deliveries(0).problem().empty();
  }));
  // Ada is not support: this tests the handler, not the access.
  const auto health = site.notifications->HealthOf(v1::CHANNEL_MAIL);
  REQUIRE_THAT(health, IsOk());
  CHECK(health->outbox.waiting == 1);
  CHECK(health->last_problem.text ==
        "the mail server did not accept the message");
}

}  // namespace
}  // namespace carme::backend
