// Which user names are valid.
#ifndef CARME_BACKEND_IDENTITY_USERS_USERNAME_H_
#define CARME_BACKEND_IDENTITY_USERS_USERNAME_H_

#include <string_view>

namespace carme {

// Whether the name is valid: 1 to 64 letters, digits and . _ - @ +, as in POSIX
// and its usual extensions. Directories treat many other characters as
// equivalent, so that one account would have several names.
bool IsUsername(std::string_view text);

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_USERS_USERNAME_H_
