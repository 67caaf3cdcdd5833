// Selects the content coding of a static file.
#ifndef CARME_FRONTEND_HTTP_CONTENT_CODING_H_
#define CARME_FRONTEND_HTTP_CONTENT_CODING_H_

#include <string_view>

namespace carme::frontend {

// RFC 9110 section 12.5.3: whether Accept-Encoding allows `coding` ("br"). A
// weight of 0 and invalid values reject it.
bool AcceptsCoding(std::string_view accept_encoding, std::string_view coding);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_CONTENT_CODING_H_
