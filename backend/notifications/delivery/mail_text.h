// Formats an e-mail (RFC 5322). Pure.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_MAIL_TEXT_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_MAIL_TEXT_H_

#include <string>

#include "absl/time/time.h"
#include "backend/notifications/outbox.h"

namespace carme::backend {

struct MailHead {
  std::string from;        // a mail address
  std::string from_name;   // any text
  std::string to;          // a mail address
  std::string to_name;     // any text
  std::string portal_url;  // https://host[:port]
  absl::Time now;
};

// The same message always has the same Message-ID. Foreign text is in the
// header only as encoded words and cannot change the structure of the body.
// REQUIRES: the addresses pass IsMailAddress.
std::string MailText(const MailHead& head, const OutboundMessage& message);

// "<carme.mail.ID.TIME@DOMAIN>": id and time of the message, so that the value
// is unique even after the database was recreated.
std::string MessageIdOf(const MailHead& head, const OutboundMessage& message);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_MAIL_TEXT_H_
