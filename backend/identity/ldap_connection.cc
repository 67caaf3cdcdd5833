#include "backend/identity/ldap_connection.h"

#include <ldap.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme {
namespace {

std::string Detail(LDAP* handle, int code) {
  std::string text = ldap_err2string(code);
  char* more = nullptr;
  if (handle != nullptr &&
      ldap_get_option(handle, LDAP_OPT_DIAGNOSTIC_MESSAGE, &more) ==
          LDAP_OPT_SUCCESS &&
      more != nullptr) {
    if (*more != '\0') absl::StrAppend(&text, " (", more, ")");
    ldap_memfree(more);
  }
  return text;
}

absl::Status Unclear(LDAP* handle, int code, std::string_view what) {
  return absl::UnavailableError(absl::StrCat("directory: ", std::string(what),
                                             ": ", Detail(handle, code)));
}

// Answers to a bind that mean no. Whatever is in neither list is unclear.
bool IsRefusal(int code) {
  switch (code) {
    case LDAP_INVALID_CREDENTIALS:
    case LDAP_NO_SUCH_OBJECT:
    case LDAP_INAPPROPRIATE_AUTH:
    case LDAP_INSUFFICIENT_ACCESS:
    case LDAP_UNWILLING_TO_PERFORM:
    case LDAP_CONSTRAINT_VIOLATION:
      return true;
    default:
      return false;
  }
}

struct MessageFreer {
  void operator()(LDAPMessage* message) const { ldap_msgfree(message); }
};
using Message = std::unique_ptr<LDAPMessage, MessageFreer>;

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

void LdapConnection::Unbinder::operator()(ldap* handle) const {
  ldap_unbind_ext_s(handle, nullptr, nullptr);
}

LdapConnection::LdapConnection(ldap* handle, absl::Duration timeout)
    : handle_(handle), timeout_(timeout) {}

absl::Status LdapConnection::Set(int option, const void* value,
                                 const char* what) {
  if (ldap_set_option(handle_.get(), option, value) != LDAP_OPT_SUCCESS) {
    return absl::UnavailableError(absl::StrCat("directory: cannot set ", what));
  }
  return absl::OkStatus();
}

absl::StatusOr<LdapConnection> LdapConnection::Open(const LdapConfig& config) {
  if (std::string fault = LdapUrlFault(config.url, config.start_tls);
      !fault.empty()) {
    return absl::UnavailableError(absl::StrCat("directory: url: ", fault));
  }
  LDAP* handle = nullptr;
  const int code = ldap_initialize(&handle, config.url.c_str());
  if (code != LDAP_SUCCESS) return Unclear(nullptr, code, config.url);
  LdapConnection connection(handle, config.timeout);
  RETURN_IF_ERROR(connection.Protect(config));
  RETURN_IF_ERROR(connection.StartTls(config));
  return connection;
}

absl::Status LdapConnection::Protect(const LdapConfig& config) {
  const int version = LDAP_VERSION3;
  const timeval wait = absl::ToTimeval(config.timeout);
  RETURN_IF_ERROR(Set(LDAP_OPT_PROTOCOL_VERSION, &version, "version 3"));
  RETURN_IF_ERROR(Set(LDAP_OPT_NETWORK_TIMEOUT, &wait, "a time-out"));
  RETURN_IF_ERROR(Set(LDAP_OPT_TIMEOUT, &wait, "a time-out"));
  RETURN_IF_ERROR(Set(LDAP_OPT_REFERRALS, LDAP_OPT_OFF, "referrals off"));
  if (!LdapUrlNeedsTls(config.url)) return absl::OkStatus();

  const int demand = LDAP_OPT_X_TLS_DEMAND;
  // A certificate without alternative names may name its host the old way.
  const int names = LDAP_OPT_X_TLS_TRY;
  const int oldest = LDAP_OPT_X_TLS_PROTOCOL_TLS1_2;
  const int for_client = 0;
  RETURN_IF_ERROR(Set(LDAP_OPT_X_TLS_REQUIRE_CERT, &demand, "TLS checks"));
  RETURN_IF_ERROR(Set(LDAP_OPT_X_TLS_REQUIRE_SAN, &names, "TLS names"));
  RETURN_IF_ERROR(Set(LDAP_OPT_X_TLS_PROTOCOL_MIN, &oldest, "TLS 1.2"));
  RETURN_IF_ERROR(Set(LDAP_OPT_X_TLS_CACERTDIR, nullptr, "no CA directory"));
  RETURN_IF_ERROR(
      Set(LDAP_OPT_X_TLS_CACERTFILE, config.ca_file.c_str(), "the CA file"));
  // Only with a context of its own do the options above count.
  return Set(LDAP_OPT_X_TLS_NEWCTX, &for_client, "up TLS with the CA file");
}

absl::Status LdapConnection::StartTls(const LdapConfig& config) {
  if (!LdapUrlNeedsTls(config.url)) return absl::OkStatus();
  const int code = absl::StartsWithIgnoreCase(config.url, "ldaps://")
                       ? ldap_connect(handle_.get())
                       : ldap_start_tls_s(handle_.get(), nullptr, nullptr);
  if (code != LDAP_SUCCESS) return Unclear(handle_.get(), code, config.url);
  if (ldap_tls_inplace(handle_.get()) != 1) {
    return absl::UnavailableError(
        absl::StrCat("directory: ", config.url, ": no TLS came about"));
  }
  return absl::OkStatus();
}

absl::Status LdapConnection::Bind(const std::string& dn,
                                  const std::string& password) {
  if (password.empty() || dn.empty()) {
    return absl::InvalidArgumentError("directory: bind without a password");
  }
  berval secret;
  secret.bv_val = const_cast<char*>(password.data());
  secret.bv_len = password.size();
  const int code = ldap_sasl_bind_s(handle_.get(), dn.c_str(), LDAP_SASL_SIMPLE,
                                    &secret, nullptr, nullptr, nullptr);
  if (code == LDAP_SUCCESS) return absl::OkStatus();
  if (!IsRefusal(code)) {
    return Unclear(handle_.get(), code, absl::StrCat("bind \"", dn, "\""));
  }
  return absl::UnauthenticatedError(absl::StrCat(
      "directory: bind \"", dn, "\": ", Detail(handle_.get(), code)));
}

absl::StatusOr<std::vector<LdapEntry>> LdapConnection::Search(
    const std::string& base, LdapScope scope, const std::string& filter,
    const std::vector<std::string>& attributes, int most) {
  std::vector<char*> names;
  for (const std::string& name : attributes) {
    names.push_back(const_cast<char*>(name.c_str()));
  }
  names.push_back(nullptr);
  timeval wait = absl::ToTimeval(timeout_);
  LDAPMessage* raw = nullptr;
  const int code = ldap_search_ext_s(
      handle_.get(), base.c_str(),
      scope == LdapScope::kBase ? LDAP_SCOPE_BASE : LDAP_SCOPE_SUBTREE,
      filter.c_str(), names.data(), /*attrsonly=*/0, nullptr, nullptr, &wait,
      most, &raw);
  const Message result(raw);
  std::vector<LdapEntry> entries;
  if (code == LDAP_NO_SUCH_OBJECT) return entries;
  if (code == LDAP_SIZELIMIT_EXCEEDED) {
    return absl::OutOfRangeError(
        absl::StrCat("directory: more than ", most, " entries for ", filter));
  }
  if (code != LDAP_SUCCESS) {
    return Unclear(handle_.get(), code, absl::StrCat("search ", filter));
  }
  for (LDAPMessage* message = ldap_first_entry(handle_.get(), result.get());
       message != nullptr; message = ldap_next_entry(handle_.get(), message)) {
    entries.push_back(ReadEntry(handle_.get(), message));
  }
  return entries;
}

}  // namespace carme
