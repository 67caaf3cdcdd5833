#include "backend/identity/users/username.h"

#include "common/name_rules.h"

namespace carme {
bool IsUsername(std::string_view text) { return kUsernameRule.Allows(text); }

}  // namespace carme
