// A mail as it goes over the wire (RFC 5322). Pure.
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

// The same message has the same Message-ID every time. Texts cannot get into
// the head but as encoded words, and not into the structure of the body.
// REQUIRES: the addresses are such by IsMailAddress.
std::string MailText(const MailHead& head, const OutboundMessage& message);

// "<carme.mail.ID.TIME@DOMAIN>": the message's id and time, so that not
// even a database that began anew gives one twice.
std::string MessageIdOf(const MailHead& head, const OutboundMessage& message);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_MAIL_TEXT_H_
