// The notification service: inbox, preferences and delivery. Events are added
// with PostEvent.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_NOTIFICATIONS_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_NOTIFICATIONS_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/identity/directory.h"
#include "backend/identity/person.h"
#include "backend/identity/users/user_store.h"
#include "backend/notifications/delivery/delivery_worker.h"
#include "backend/notifications/delivery/notifications_config.h"
#include "backend/notifications/inbox.h"
#include "backend/notifications/outbox.h"
#include "backend/notifications/preferences.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe.
class Notifications {
 public:
  struct Parts {
    Database* database;
    const Clock* clock;
    UserStore* users;      // has the names of uids
    Directory* directory;  // has their current e-mail addresses
    std::string portal_url;
    std::string sender_name;  // display name of the sender
  };
  // Starts the delivery. The pointers of `parts` must outlive the object.
  // Errors are those of ReadSecretFile for the password of the mail server.
  static absl::StatusOr<std::unique_ptr<Notifications>> Open(
      Parts parts, const NotificationsConfig& config);
  ~Notifications();
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  const NotificationsConfig& config() const { return config_; }
  bool Offers(Channel channel) const;
  Inbox& inbox() { return inbox_; }
  Preferences& preferences() { return preferences_; }

  // The e-mail address of the account. NOT_FOUND: missing or invalid in the
  // directory, with a message for the user; UNAVAILABLE.
  absl::StatusOr<std::string> AddressOf(Uid uid) const;

  // Sets the webhook and notifies its owner, who may not know of the change.
  // REQUIRES: ValidateWebhook accepted it.
  absl::Status SetWebhook(Uid uid, const std::string& owner,
                          const WebhookTarget& target,
                          const std::string& secret);

  // PostTest, in a transaction of its own.
  absl::StatusOr<int64_t> Test(Uid uid, Channel channel);

  struct Health {
    OutboxHealth outbox;
    DeliveryWorker::Problem last_problem;
  };
  absl::StatusOr<Health> HealthOf(Channel channel);
  // Availability of the mail server.
  Availability::State mail_server() const { return smtp_.availability(); }
  // Calls SmtpSender::ProbeIdle if e-mail is offered.
  void ProbeMailServer() const {
    if (Offers(v1::CHANNEL_MAIL)) smtp_.ProbeIdle();
  }

 private:
  Notifications(Parts parts, const NotificationsConfig& config,
                std::string password);
  void Start();
  absl::StatusOr<Person> ReadyToMail(Uid uid) const;
  absl::Status SendMail(const OutboundMessage& message) const;
  absl::Status CallWebhook(const OutboundMessage& message);
  std::unique_ptr<DeliveryWorker>& WorkerOf(Channel channel);

  const Parts parts_;
  const NotificationsConfig config_;
  std::atomic<bool> stopping_ = false;
  Inbox inbox_;
  Preferences preferences_;
  Outbox outbox_;
  const SmtpSender smtp_;
  const WebhookSender webhook_;
  // Last, because they use the other members. nullptr: not offered.
  std::unique_ptr<DeliveryWorker> mail_worker_;
  std::unique_ptr<DeliveryWorker> webhook_worker_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_NOTIFICATIONS_H_
