#include "backend/identity/ldap_error.h"

#include <ldap.h>

#include "absl/strings/str_cat.h"

namespace carme::backend {

std::string LdapErrorText(int code, std::string_view diagnostic) {
  std::string text = ldap_err2string(code);
  if (!diagnostic.empty()) {
    absl::StrAppend(&text, " (", std::string(diagnostic), ")");
  }
  return text;
}

absl::Status LdapUnclear(ldap* handle, int code, std::string_view what) {
  std::string diagnostic;
  char* words = nullptr;
  if (handle != nullptr &&
      ldap_get_option(handle, LDAP_OPT_DIAGNOSTIC_MESSAGE, &words) ==
          LDAP_OPT_SUCCESS &&
      words != nullptr) {
    diagnostic = words;
    ldap_memfree(words);
  }
  return absl::UnavailableError(absl::StrCat(
      "directory: ", std::string(what), ": ", LdapErrorText(code, diagnostic)));
}

}  // namespace carme::backend
