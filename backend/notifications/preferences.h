// The channels that the site offers, the preferences of users, and their
// webhooks.
#ifndef CARME_BACKEND_NOTIFICATIONS_PREFERENCES_H_
#define CARME_BACKEND_NOTIFICATIONS_PREFERENCES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/notifications/channel.h"
#include "backend/store/database.h"

namespace carme::backend {

struct Webhook {
  std::string url;
  std::string secret;   // signs the calls
  bool paused = false;  // it failed too often
};

// Thread-safe. Errors are those of the database.
class Preferences {
 public:
  // `database` must outlive the object.
  explicit Preferences(Database* database) : database_(*database) {}

  // Sets the channels for future events. Stored in the table, because PostEvent
  // has no access to the configuration.
  absl::Status Offer(const std::vector<Channel>& channels);

  absl::StatusOr<KindSet> ChoiceOf(Uid uid, Channel channel);
  absl::Status Choose(Uid uid, Channel channel, KindSet kinds);

  // A webhook belongs to a uid and user name: a user who gets the uid later
  // neither sees nor uses it.
  absl::StatusOr<std::optional<Webhook>> WebhookOf(Uid uid,
                                                   const std::string& owner);
  // Replaces the webhook and resumes it.
  absl::Status SetWebhook(Uid uid, const std::string& owner,
                          const std::string& url, const std::string& secret);
  absl::Status RemoveWebhook(Uid uid);
  // Removes a webhook of a former user with this uid.
  absl::Status RemoveForeignWebhook(Uid uid, const std::string& owner);

 private:
  Database& database_;
};

// SetWebhook within a transaction of the caller. REQUIRES: in the body of a
// transaction.
absl::Status WriteWebhook(Database& db, Uid uid, const std::string& owner,
                          const std::string& url, const std::string& secret);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_PREFERENCES_H_
