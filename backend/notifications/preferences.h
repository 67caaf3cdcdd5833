// What the site offers, what each person has chosen of it, and their webhooks.
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
  std::string secret;   // its calls are signed with it
  bool paused = false;  // it failed too often
};

// Thread-safe. Errors are the database's.
class Preferences {
 public:
  // `database` outlives the object.
  explicit Preferences(Database* database) : database_(*database) {}

  // From now on events are sent by these. In the table, since who posts an
  // event knows no configuration.
  absl::Status Offer(const std::vector<Channel>& channels);

  absl::StatusOr<KindSet> ChoiceOf(Uid uid, Channel channel);
  absl::Status Choose(Uid uid, Channel channel, KindSet kinds);

  // A webhook is one person's, by uid and name: whoever is given the uid later
  // neither sees it nor has their news sent there.
  absl::StatusOr<std::optional<Webhook>> WebhookOf(Uid uid,
                                                   const std::string& owner);
  // Replaces it; it is not paused then.
  absl::Status SetWebhook(Uid uid, const std::string& owner,
                          const std::string& url, const std::string& secret);
  absl::Status RemoveWebhook(Uid uid);
  // The one that a person of another name left.
  absl::Status RemoveForeignWebhook(Uid uid, const std::string& owner);

 private:
  Database& database_;
};

// As SetWebhook, as part of something greater. REQUIRES: in the body of a
// transaction.
absl::Status WriteWebhook(Database& db, Uid uid, const std::string& owner,
                          const std::string& url, const std::string& secret);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_PREFERENCES_H_
