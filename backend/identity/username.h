// What the name of an account may look like.
#ifndef CARME_BACKEND_IDENTITY_USERNAME_H_
#define CARME_BACKEND_IDENTITY_USERNAME_H_

#include <string_view>

namespace carme {

// Whether a name is one that an account can have: 1 to 64 of letters, digits
// and . _ - @ +, as POSIX and its usual extensions have it. Directories fold
// much of what is beyond, so that one account would have many names.
bool IsUsername(std::string_view text);

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_USERNAME_H_
