// Searches on a connection.
#include <ldap.h>
#include <sys/time.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "backend/identity/ldap_connection.h"
#include "backend/identity/ldap_error.h"
#include "backend/identity/ldap_message.h"
#include "backend/identity/ldap_name.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Active Directory sends 1,000 entries at most at once, and 1,500 values.
constexpr int kPage = 500;
constexpr int kMostPages = 100;  // a server may send less in one
constexpr int kMostParts = 10;

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

absl::Status TooMany(const std::string& base, int most) {
  return absl::OutOfRangeError(
      absl::StrCat("directory: more than ", most, " entries below ", base));
}

// RFC 2696. Not critical: a server that does not know it sends everything.
LdapControl PageRequest(LDAP* handle, const std::string& cookie) {
  berval value = {cookie.size(), const_cast<char*>(cookie.data())};
  LDAPControl* control = nullptr;
  ldap_create_page_control(handle, kPage, cookie.empty() ? nullptr : &value,
                           /*iscritical=*/0, &control);
  return LdapControl(control);
}

// The cookie to ask for the next page with; empty: this was the last one.
absl::StatusOr<std::string> NextPage(LDAP* handle, LDAPMessage* result) {
  LDAPControl** controls = nullptr;
  int code = ldap_parse_result(handle, result, nullptr, nullptr, nullptr,
                               nullptr, &controls, /*freeit=*/0);
  if (code != LDAP_SUCCESS) return LdapUnclear(nullptr, code, "a page's end");
  LDAPControl* control =
      ldap_control_find(LDAP_CONTROL_PAGEDRESULTS, controls, nullptr);
  ber_int_t estimate = 0;
  berval value = {0, nullptr};
  if (control != nullptr) {
    code = ldap_parse_pageresponse_control(handle, control, &estimate, &value);
  }
  std::string cookie;
  if (value.bv_val != nullptr) cookie.assign(value.bv_val, value.bv_len);
  ber_memfree(value.bv_val);
  ldap_controls_free(controls);
  if (code != LDAP_SUCCESS) return LdapUnclear(nullptr, code, "a page's end");
  return cookie;
}

}  // namespace

absl::StatusOr<std::vector<LdapEntry>> LdapConnection::Search(
    const std::string& base, LdapScope scope, const std::string& filter,
    const std::vector<std::string>& attributes, int most) {
  std::vector<LdapEntry> entries;
  const Query query = {base, scope, filter, attributes, most};
  std::string cookie;
  for (int page = 0; page == 0 || !cookie.empty(); ++page) {
    ASSIGN_OR_RETURN(cookie, SearchPage(query, cookie, &entries));
    if (page == kMostPages || entries.size() > static_cast<size_t>(most)) {
      return TooMany(base, most);
    }
  }
  for (LdapEntry& entry : entries) RETURN_IF_ERROR(Complete(&entry));
  return entries;
}

absl::StatusOr<std::string> LdapConnection::SearchPage(
    const Query& query, const std::string& cookie,
    std::vector<LdapEntry>* entries) {
  const DeadlineScope deadline(deadline_, timeout_);
  std::vector<char*> names;
  names.reserve(query.attributes.size() + 1);
  for (const std::string& name : query.attributes) {
    names.push_back(const_cast<char*>(name.c_str()));
  }
  names.push_back(nullptr);
  const bool paged = query.most > kPage;
  const LdapControl page = paged ? PageRequest(handle_, cookie) : nullptr;
  LDAPControl* controls[] = {page.get(), nullptr};
  timeval wait = absl::ToTimeval(timeout_);
  LDAPMessage* raw = nullptr;
  const int code = ldap_search_ext_s(
      handle_, query.base.c_str(),
      query.scope == LdapScope::kBase ? LDAP_SCOPE_BASE : LDAP_SCOPE_SUBTREE,
      query.filter.c_str(), names.data(), /*attrsonly=*/0, controls, nullptr,
      &wait, query.most, &raw);
  const LdapMessage result(raw);
  if (code == LDAP_NO_SUCH_OBJECT && query.scope == LdapScope::kBase) return "";
  if (code == LDAP_SIZELIMIT_EXCEEDED) return TooMany(query.base, query.most);
  if (code != LDAP_SUCCESS) {
    return LdapUnclear(handle_, code,
                       absl::StrCat("search below ", query.base));
  }
  for (LDAPMessage* message = ldap_first_entry(handle_, result.get());
       message != nullptr; message = ldap_next_entry(handle_, message)) {
    entries->push_back(ReadEntry(handle_, message));
  }
  if (!paged) return "";
  return NextPage(handle_, result.get());
}

// Fetches the values of which the server sent a part alone.
absl::Status LdapConnection::Complete(LdapEntry* entry) {
  for (int part = 0; part <= kMostParts; ++part) {
    const auto partial = std::find_if(
        entry->values.begin(), entry->values.end(), [](const auto& value) {
          return ParseLdapRange(value.first).has_value();
        });
    if (partial == entry->values.end()) return absl::OkStatus();
    const LdapRange range = *ParseLdapRange(partial->first);
    std::vector<std::string>& all = entry->values[range.attribute];
    if (range.first != all.size()) {
      return absl::UnavailableError(
          absl::StrCat("directory: ", entry->dn, ": \"", partial->first,
                       "\" after ", all.size(), " values"));
    }
    std::move(partial->second.begin(), partial->second.end(),
              std::back_inserter(all));
    entry->values.erase(partial);
    if (!range.last) continue;
    const Query query = {
        entry->dn,
        LdapScope::kBase,
        "(objectClass=*)",
        {absl::StrCat(range.attribute, ";range=", all.size(), "-*")},
        1};
    std::vector<LdapEntry> more;
    RETURN_IF_ERROR(SearchPage(query, "", &more).status());
    if (more.size() != 1) {
      return absl::UnavailableError(
          absl::StrCat("directory: ", entry->dn, ": is gone meanwhile"));
    }
    more.front().values.erase(range.attribute);  // it comes beside, empty
    entry->values.merge(more.front().values);
  }
  return absl::OutOfRangeError(
      absl::StrCat("directory: ", entry->dn, ": more values than can be told"));
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

}  // namespace carme::backend
