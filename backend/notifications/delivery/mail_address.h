// Which e-mail addresses are accepted.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_MAIL_ADDRESS_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_MAIL_ADDRESS_H_

#include <string_view>

namespace carme::backend {

// Accepts only the plain ASCII form: atoms separated by dots, "@", a domain
// (RFC 5321, sections 4.1.2 and 4.5.3.1, without quotes, comments and address
// literals), so that no address contains syntax of SMTP or of a mail header.
bool IsMailAddress(std::string_view text);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_MAIL_ADDRESS_H_
