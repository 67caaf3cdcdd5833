// Rules for the links of the help menu, which are sent to every page.
#ifndef CARME_FRONTEND_HELP_LINKS_H_
#define CARME_FRONTEND_HELP_LINKS_H_

#include <cstddef>
#include <string_view>

namespace carme::frontend {

inline constexpr size_t kMaxDocumentationUrlBytes = 500;

// Whether the text is an https URL of characters that RFC 3986 allows: no
// spaces, quotes, control characters, user names or other schemes.
bool IsDocumentationUrl(std::string_view text);

// Whether the text is a plain mail address, which is also a `mailto:` link
// without further escapes: NAME@DOMAIN, no header fields.
bool IsSupportMail(std::string_view text);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HELP_LINKS_H_
