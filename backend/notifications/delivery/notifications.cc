#include "backend/notifications/delivery/notifications.h"

#include <curl/curl.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/notifications/delivery/mail_address.h"
#include "backend/notifications/delivery/mail_text.h"
#include "backend/notifications/delivery/messages.h"
#include "common/file.h"
#include "common/ids.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Each change sends a notification. Many changes would push older ones out of
// the list, such as that of a login from a new address.
constexpr char kWebhookKey[] = "webhook:";
constexpr int64_t kMaxWebhooks = 5;
constexpr absl::Duration kWebhooksWithin = absl::Hours(1);

absl::StatusOr<int64_t> WebhooksSince(Database& db, Uid uid, absl::Time now) {
  ASSIGN_OR_RETURN(Statement row,
                   db.Prepare("SELECT count(*) FROM events WHERE uid = ? AND "
                              "key LIKE ? AND at > ?"));
  RETURN_IF_ERROR(row.Bind(1, static_cast<int64_t>(uid.value()))
                      .Bind(2, absl::StrCat(kWebhookKey, "%"))
                      .Bind(3, absl::ToUnixMicros(now - kWebhooksWithin))
                      .Step()
                      .status());
  return row.Int(0);
}

// A webhook that does not respond blocks a thread for ten seconds.
constexpr int kWebhookThreads = 2;

// UNAVAILABLE, so that it is retried: a directory that was restored empty
// returns "not found" for every user.
absl::Status Unknown(const absl::Status& status) {
  if (status.ok()) return status;
  return MakeError(absl::IsNotFound(status)
                       ? delivery_messages::kRecipientUnknown
                       : delivery_messages::kDirectoryUnavailable);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Notifications>> Notifications::Open(
    Parts parts, const NotificationsConfig& config) {
  std::string password;
  if (!config.mail.password_file.empty()) {
    ASSIGN_OR_RETURN(password, ReadSecretFile(config.mail.password_file));
  }
  std::unique_ptr<Notifications> self(
      new Notifications(std::move(parts), config, std::move(password)));
  std::vector<Channel> offered;
  for (const Channel channel : kChannels) {
    if (self->Offers(channel)) offered.push_back(channel);
  }
  RETURN_IF_ERROR(self->preferences_.Offer(offered));
  RETURN_IF_ERROR(self->outbox_.Recover());
  if (!offered.empty()) self->Start();
  return self;
}

Notifications::Notifications(Parts parts, const NotificationsConfig& config,
                             std::string password)
    : parts_(std::move(parts)),
      config_(config),
      inbox_(parts_.database, parts_.clock),
      preferences_(parts_.database),
      outbox_(parts_.database, parts_.clock),
      smtp_(config_.mail, std::move(password), &stopping_),
      webhook_(config_.webhooks, &stopping_) {}

Notifications::~Notifications() {
  stopping_ = true;
  webhook_worker_.reset();
  mail_worker_.reset();
}

void Notifications::Start() {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  if (Offers(v1::CHANNEL_MAIL)) {
    mail_worker_ = std::make_unique<DeliveryWorker>(
        DeliveryWorker::Parts{.outbox = &outbox_,
                              .clock = parts_.clock,
                              .channel = v1::CHANNEL_MAIL,
                              .per_hour = config_.mail.per_hour,
                              .threads = 1,
                              .send = [this](const OutboundMessage& message) {
                                return SendMail(message);
                              }});
  }
  if (Offers(v1::CHANNEL_WEBHOOK)) {
    webhook_worker_ = std::make_unique<DeliveryWorker>(
        DeliveryWorker::Parts{.outbox = &outbox_,
                              .clock = parts_.clock,
                              .channel = v1::CHANNEL_WEBHOOK,
                              .per_hour = config_.webhooks.per_hour,
                              .threads = kWebhookThreads,
                              .send = [this](const OutboundMessage& message) {
                                return CallWebhook(message);
                              }});
  }
}

bool Notifications::Offers(Channel channel) const {
  return channel == v1::CHANNEL_MAIL ? config_.mail.offered()
                                     : config_.webhooks.offered;
}

// Looked up for each message, so that a changed address or a removed account
// takes effect at once.
absl::StatusOr<Person> Notifications::ReadyToMail(Uid uid) const {
  absl::StatusOr<Person> person = LookUp(uid, parts_.users, parts_.directory);
  RETURN_IF_ERROR(Unknown(person.status()));
  if (person->mail.empty()) {
    return MakeError(delivery_messages::kMailAddressMissing);
  }
  if (!IsMailAddress(person->mail)) {
    return MakeError(delivery_messages::kMailAddressInvalid);
  }
  return person;
}

absl::StatusOr<std::string> Notifications::AddressOf(Uid uid) const {
  ASSIGN_OR_RETURN(const Person person, ReadyToMail(uid));
  return person.mail;
}

absl::Status Notifications::SendMail(const OutboundMessage& message) const {
  ASSIGN_OR_RETURN(const Person person, ReadyToMail(message.uid));
  const MailHead head{.from = config_.mail.from,
                      .from_name = parts_.sender_name,
                      .to = person.mail,
                      .to_name = person.display_name,
                      .portal_url = parts_.portal_url,
                      .now = parts_.clock->Now()};
  return smtp_.Send(person.mail, MailText(head, message));
}

absl::Status Notifications::CallWebhook(const OutboundMessage& message) {
  const absl::StatusOr<Person> person =
      LookUp(message.uid, parts_.users, parts_.directory);
  RETURN_IF_ERROR(Unknown(person.status()));
  ASSIGN_OR_RETURN(const std::optional<Webhook> webhook,
                   preferences_.WebhookOf(message.uid, person->username));
  if (!webhook) {
    RETURN_IF_ERROR(
        preferences_.RemoveForeignWebhook(message.uid, person->username));
    return MakeError(delivery_messages::kWebhookRemoved);
  }
  return webhook_.Send(*webhook, message, parts_.clock->Now());
}

absl::Status Notifications::SetWebhook(Uid uid, const std::string& owner,
                                       const WebhookTarget& target,
                                       const std::string& secret) {
  const Event event{
      .uid = uid,
      .kind = v1::NOTIFICATION_KIND_ACCOUNT,
      .text = MakeText(delivery_messages::kWebhookSet, {{"host", target.host}}),
      .key = absl::StrCat(kWebhookKey, NewRequestId())};
  return parts_.database->Transact([&](Database& db) -> absl::Status {
    const absl::Time now = parts_.clock->Now();
    ASSIGN_OR_RETURN(const int64_t lately, WebhooksSince(db, uid, now));
    if (lately >= kMaxWebhooks) {
      return MakeError(delivery_messages::kWebhookChangedTooOften);
    }
    RETURN_IF_ERROR(WriteWebhook(db, uid, owner, target.url, secret));
    return PostEvent(db, event, now);
  });
}

absl::StatusOr<int64_t> Notifications::Test(Uid uid, Channel channel) {
  int64_t id = 0;
  RETURN_IF_ERROR(parts_.database->Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(id, PostTest(db, uid, channel, parts_.clock->Now()));
    return absl::OkStatus();
  }));
  return id;
}

std::unique_ptr<DeliveryWorker>& Notifications::WorkerOf(Channel channel) {
  return channel == v1::CHANNEL_MAIL ? mail_worker_ : webhook_worker_;
}

absl::StatusOr<Notifications::Health> Notifications::HealthOf(Channel channel) {
  Health health;
  ASSIGN_OR_RETURN(health.outbox, outbox_.HealthOf(channel));
  if (const auto& delivery_worker = WorkerOf(channel)) {
    health.last_problem = delivery_worker->last_problem();
  }
  return health;
}

}  // namespace carme::backend
