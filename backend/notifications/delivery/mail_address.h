// Which addresses mails go to.
#ifndef CARME_BACKEND_NOTIFICATIONS_DELIVERY_MAIL_ADDRESS_H_
#define CARME_BACKEND_NOTIFICATIONS_DELIVERY_MAIL_ADDRESS_H_

#include <string_view>

namespace carme::backend {

// The plain form alone, of ASCII: words with dots between, "@", a domain
// (RFC 5321, sections 4.1.2 and 4.5.3.1, without quotes, comments and literal
// addresses). So nothing in it can mean something to a mail server or in a
// mail's head.
bool IsMailAddress(std::string_view text);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NOTIFICATIONS_DELIVERY_MAIL_ADDRESS_H_
