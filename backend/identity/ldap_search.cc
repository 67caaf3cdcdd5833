// Searches on a connection.
#include <ldap.h>
#include <sys/time.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "backend/identity/ldap_connection.h"
#include "backend/identity/ldap_error.h"
#include "backend/identity/ldap_message.h"

namespace carme {
namespace {

void ReadValues(LDAP* handle, LDAPMessage* message, LdapEntry* entry) {
  BerElement* cursor = nullptr;
  for (char* name = ldap_first_attribute(handle, message, &cursor);
       name != nullptr; name = ldap_next_attribute(handle, message, cursor)) {
    berval** values = ldap_get_values_len(handle, message, name);
    std::vector<std::string>& list = entry->values[absl::AsciiStrToLower(name)];
    for (int i = 0; values != nullptr && values[i] != nullptr; ++i) {
      list.emplace_back(values[i]->bv_val, values[i]->bv_len);
    }
    ldap_value_free_len(values);
    ldap_memfree(name);
  }
  ber_free(cursor, 0);
}

LdapEntry ReadEntry(LDAP* handle, LDAPMessage* message) {
  LdapEntry entry;
  if (char* dn = ldap_get_dn(handle, message); dn != nullptr) {
    entry.dn = dn;
    ldap_memfree(dn);
  }
  ReadValues(handle, message, &entry);
  return entry;
}

}  // namespace

absl::StatusOr<std::vector<LdapEntry>> LdapConnection::Search(
    const std::string& base, LdapScope scope, const std::string& filter,
    const std::vector<std::string>& attributes, int most) {
  const DeadlineScope deadline(deadline_, timeout_);
  std::vector<char*> names;
  names.reserve(attributes.size() + 1);
  for (const std::string& name : attributes) {
    names.push_back(const_cast<char*>(name.c_str()));
  }
  names.push_back(nullptr);
  timeval wait = absl::ToTimeval(timeout_);
  LDAPMessage* raw = nullptr;
  const int code = ldap_search_ext_s(
      handle_, base.c_str(),
      scope == LdapScope::kBase ? LDAP_SCOPE_BASE : LDAP_SCOPE_SUBTREE,
      filter.c_str(), names.data(), /*attrsonly=*/0, nullptr, nullptr, &wait,
      most, &raw);
  const LdapMessage result(raw);
  std::vector<LdapEntry> entries;
  if (code == LDAP_NO_SUCH_OBJECT && scope == LdapScope::kBase) return entries;
  if (code == LDAP_SIZELIMIT_EXCEEDED) {
    return absl::OutOfRangeError(
        absl::StrCat("directory: more than ", most, " entries below ", base));
  }
  if (code != LDAP_SUCCESS) {
    return LdapUnclear(handle_, code, absl::StrCat("search below ", base));
  }
  for (LDAPMessage* message = ldap_first_entry(handle_, result.get());
       message != nullptr; message = ldap_next_entry(handle_, message)) {
    entries.push_back(ReadEntry(handle_, message));
  }
  return entries;
}

bool LdapConnection::ComparesFirst() {
  // LDAP_CAP_ACTIVE_DIRECTORY_OID ([MS-ADTS] 3.1.1.3.4.3.1)
  constexpr std::string_view kActiveDirectory = "1.2.840.113556.1.4.800";
  const auto root = Search("", LdapScope::kBase, "(objectClass=*)",
                           {"objectClass", "supportedCapabilities"}, 1);
  if (!root.ok() || root->empty()) return false;
  for (const auto& [attribute, values] : root->front().values) {
    for (const std::string& value : values) {
      if (value == "OpenLDAProotDSE" || value == kActiveDirectory) return true;
    }
  }
  return false;
}

}  // namespace carme
