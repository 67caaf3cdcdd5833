#include "backend/identity/ldap/ldap_connection.h"

#include <ldap.h>
#include <sys/time.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "backend/identity/ldap/active_directory.h"
#include "backend/identity/ldap/ldap_name.h"
#include "backend/identity/ldap/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

struct LdapMessageFreer {
  void operator()(LDAPMessage* message) const { ldap_msgfree(message); }
};
using LdapMessage = std::unique_ptr<LDAPMessage, LdapMessageFreer>;

struct LdapControlFreer {
  void operator()(LDAPControl* control) const { ldap_control_free(control); }
};
using LdapControl = std::unique_ptr<LDAPControl, LdapControlFreer>;

// "Invalid credentials (AcceptSecurityContext error …)"
std::string LdapErrorText(int code, std::string_view diagnostic) {
  const char* error = ldap_err2string(code);
  if (diagnostic.empty()) return error;
  return FormatMessage(ldap_messages::kErrorWithDiagnostic,
                       {{"error", error}, {"diagnostic", diagnostic}});
}

// UNAVAILABLE for the call that has just failed on `handle`, which may be null.
absl::Status LdapUnavailable(ldap* handle, int code,
                             std::string_view operation) {
  std::string diagnostic;
  char* text = nullptr;
  if (handle != nullptr &&
      ldap_get_option(handle, LDAP_OPT_DIAGNOSTIC_MESSAGE, &text) ==
          LDAP_OPT_SUCCESS &&
      text != nullptr) {
    diagnostic = text;
    ldap_memfree(text);
  }
  return MakeError(
      ldap_messages::kFailed,
      {{"operation", operation}, {"error", LdapErrorText(code, diagnostic)}});
}

// libldap's minimum version has no effect with GnuTLS, which Debian uses; a
// cipher suite would enforce it, but leaks 8 KiB a connection.
bool SpeaksNewTls(LDAP* handle) {
  char* version = nullptr;  // "TLS1.3" by GnuTLS, "TLSv1.3" by OpenSSL
  ldap_get_option(handle, LDAP_OPT_X_TLS_VERSION, &version);
  const std::string found = version == nullptr ? "" : version;
  ldap_memfree(version);
  return found.ends_with("1.2") || found.ends_with("1.3");
}

// Active Directory sends 1,000 entries at most at once, and 1,500 values.
constexpr int kPage = 500;
constexpr int kMaxPages = 100;  // a server may send less in one
constexpr int kMaxParts = 10;

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

absl::Status TooMany(const std::string& base, int max) {
  return MakeError(ldap_messages::kTooManyEntries,
                   {{"max", max}, {"base", base}});
}

// RFC 2696. Not critical: a server without support sends everything.
LdapControl PageRequest(LDAP* handle, const std::string& cookie) {
  berval value = {cookie.size(), const_cast<char*>(cookie.data())};
  LDAPControl* control = nullptr;
  ldap_create_page_control(handle, kPage, cookie.empty() ? nullptr : &value,
                           /*iscritical=*/0, &control);
  return LdapControl(control);
}

// The cookie of the next page; empty: this was the last one.
absl::StatusOr<std::string> NextPage(LDAP* handle, LDAPMessage* result) {
  LDAPControl** controls = nullptr;
  int code = ldap_parse_result(handle, result, nullptr, nullptr, nullptr,
                               nullptr, &controls, /*freeit=*/0);
  if (code != LDAP_SUCCESS)
    return LdapUnavailable(nullptr, code,
                           FormatMessage(ldap_messages::kEndOfPage));
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
  if (code != LDAP_SUCCESS)
    return LdapUnavailable(nullptr, code,
                           FormatMessage(ldap_messages::kEndOfPage));
  return cookie;
}

// Result codes that reject a bind. Other errors are not definite.
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

// Result codes that reject a change. Servers without the operation return
// LDAP_PROTOCOL_ERROR.
bool IsRefusedChange(int code) {
  return IsRefusal(code) || code == LDAP_PROTOCOL_ERROR ||
         code == LDAP_STRONG_AUTH_REQUIRED ||
         code == LDAP_CONFIDENTIALITY_REQUIRED;
}

// Requests the password policy response. Not critical: a server without support
// only accepts or rejects.
LdapControl PolicyRequest(LDAP* handle) {
  LDAPControl* control = nullptr;
  ldap_create_passwordpolicy_control(handle, &control);
  return LdapControl(control);
}

berval View(const std::string& text) {
  return {text.size(), const_cast<char*>(text.data())};
}

PolicyError Translate(LDAPPasswordPolicyError error) {
  switch (error) {
    case PP_passwordExpired:
      return PolicyError::kPasswordExpired;
    case PP_accountLocked:
      return PolicyError::kAccountLocked;
    case PP_changeAfterReset:
      return PolicyError::kChangeAfterReset;
    case PP_passwordModNotAllowed:
      return PolicyError::kPasswordModNotAllowed;
    case PP_mustSupplyOldPassword:
      return PolicyError::kMustSupplyOldPassword;
    case PP_insufficientPasswordQuality:
      return PolicyError::kInsufficientPasswordQuality;
    case PP_passwordTooShort:
      return PolicyError::kPasswordTooShort;
    case PP_passwordTooYoung:
      return PolicyError::kPasswordTooYoung;
    case PP_passwordInHistory:
      return PolicyError::kPasswordInHistory;
    case PP_passwordTooLong:
      return PolicyError::kPasswordTooLong;
    case PP_noError:
      break;
  }
  return PolicyError::kNone;
}

PasswordStatus ReadPasswordStatus(LDAP* handle, LDAPControl** controls) {
  PasswordStatus status;
  LDAPControl* control =
      ldap_control_find(LDAP_CONTROL_PASSWORDPOLICYRESPONSE, controls, nullptr);
  ber_int_t expires_s = -1;
  ber_int_t left = -1;
  LDAPPasswordPolicyError error = PP_noError;
  if (control == nullptr ||
      ldap_parse_passwordpolicy_control(handle, control, &expires_s, &left,
                                        &error) != LDAP_SUCCESS) {
    return status;
  }
  status.error = Translate(error);
  if (left >= 0) status.logins_left = left;
  if (expires_s >= 0) status.expires_in = absl::Seconds(expires_s);
  return status;
}

}  // namespace

// Callbacks of libldap after the TCP connection, before TLS.
struct LdapConnection::Callbacks : ldap_conncb {
  explicit Callbacks(SocketDeadline* deadline)
      : ldap_conncb{Connected, Closing, deadline} {}

  static int Connected(LDAP* handle, Sockbuf* buffer, LDAPURLDesc* /*server*/,
                       sockaddr* /*address*/, ldap_conncb* self) {
    ber_socket_t fd = -1;
    ber_sockbuf_ctrl(buffer, LBER_SB_OPT_GET_FD, &fd);
    static_cast<SocketDeadline*>(self->lc_arg)->Watch(fd);
    // The time-out limits connecting. With it the TLS handshake would
    // busy-poll; without it the handshake blocks, and the deadline ends it.
    const timeval none = {-1, 0};
    ldap_set_option(handle, LDAP_OPT_NETWORK_TIMEOUT, &none);
    return 0;
  }
  static void Closing(LDAP*, Sockbuf*, ldap_conncb*) {}
};

LdapConnection::LdapConnection(std::string address, const LdapConfig& config)
    : address_(std::move(address)),
      connect_timeout_(config.connect_timeout),
      timeout_(config.timeout) {}

LdapConnection::~LdapConnection() {
  const DeadlineScope scope(deadline_, timeout_);
  if (handle_ != nullptr) ldap_unbind_ext_s(handle_, nullptr, nullptr);
}

absl::StatusOr<std::unique_ptr<LdapConnection>> LdapConnection::Open(
    const LdapConfig& config, const std::string& address) {
  if (std::string fault = LdapUrlProblem(address, config.start_tls);
      !fault.empty()) {
    return MakeError(ldap_messages::kUrlInvalid, {{"cause", fault}});
  }
  std::unique_ptr<LdapConnection> connection(
      new LdapConnection(address, config));
  RETURN_IF_ERROR(connection->Connect(config));
  return connection;
}

absl::Status LdapConnection::Connect(const LdapConfig& config) {
  const int code = ldap_initialize(&handle_, address_.c_str());
  if (code != LDAP_SUCCESS) return LdapUnavailable(nullptr, code, address_);
  RETURN_IF_ERROR(Configure());
  if (!LdapUrlNeedsTls(address_)) return absl::OkStatus();
  RETURN_IF_ERROR(ConfigureTls(config));
  return StartTls();
}

absl::Status LdapConnection::Set(int option, const void* value,
                                 const char* what) {
  if (ldap_set_option(handle_, option, value) != LDAP_OPT_SUCCESS) {
    return MakeError(ldap_messages::kOptionNotSet, {{"option", what}});
  }
  return absl::OkStatus();
}

absl::Status LdapConnection::Configure() {
  const int version = LDAP_VERSION3;
  const timeval connect = absl::ToTimeval(connect_timeout_);
  const timeval wait = absl::ToTimeval(timeout_);
  callbacks_ = std::make_unique<Callbacks>(&deadline_);
  RETURN_IF_ERROR(Set(LDAP_OPT_PROTOCOL_VERSION, &version, "version 3"));
  RETURN_IF_ERROR(Set(LDAP_OPT_NETWORK_TIMEOUT, &connect, "a time-out"));
  RETURN_IF_ERROR(Set(LDAP_OPT_TIMEOUT, &wait, "a time-out"));
  RETURN_IF_ERROR(Set(LDAP_OPT_REFERRALS, LDAP_OPT_OFF, "referrals off"));
  return Set(LDAP_OPT_CONNECT_CB, static_cast<ldap_conncb*>(callbacks_.get()),
             "a callback");
}

absl::Status LdapConnection::ConfigureTls(const LdapConfig& config) {
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
  // The options above apply only to a new context.
  return Set(LDAP_OPT_X_TLS_NEWCTX, &for_client, "up TLS with the CA file");
}

absl::Status LdapConnection::StartTls() {
  const DeadlineScope scope(deadline_, connect_timeout_);
  const int code = absl::StartsWithIgnoreCase(address_, "ldaps://")
                       ? ldap_connect(handle_)
                       : ldap_start_tls_s(handle_, nullptr, nullptr);
  if (code != LDAP_SUCCESS) return LdapUnavailable(handle_, code, address_);
  if (ldap_tls_inplace(handle_) != 1) {
    return MakeError(ldap_messages::kTlsNotEstablished,
                     {{"address", address_}});
  }
  if (!SpeaksNewTls(handle_)) {
    return MakeError(ldap_messages::kTlsTooOld, {{"address", address_}});
  }
  return absl::OkStatus();
}

// Searches.

absl::StatusOr<std::vector<LdapEntry>> LdapConnection::Search(
    const std::string& base, LdapScope scope, const std::string& filter,
    const std::vector<std::string>& attributes, int max) {
  std::vector<LdapEntry> entries;
  const Query query = {base, scope, filter, attributes, max};
  std::string cookie;
  for (int page = 0; page == 0 || !cookie.empty(); ++page) {
    ASSIGN_OR_RETURN(cookie, SearchPage(query, cookie, &entries));
    if (page == kMaxPages || entries.size() > static_cast<size_t>(max)) {
      return TooMany(base, max);
    }
  }
  for (LdapEntry& entry : entries) RETURN_IF_ERROR(Complete(&entry));
  return entries;
}

absl::StatusOr<LdapEntries> LdapConnection::SearchSome(
    const std::string& base, LdapScope scope, const std::string& filter,
    const std::vector<std::string>& attributes, int max) {
  LdapEntries found;
  const Query query = {base, scope, filter, attributes, max, &found.more};
  RETURN_IF_ERROR(SearchPage(query, "", &found.entries).status());
  return found;
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
  const bool paged = query.max > kPage;
  const LdapControl page = paged ? PageRequest(handle_, cookie) : nullptr;
  LDAPControl* controls[] = {page.get(), nullptr};
  timeval wait = absl::ToTimeval(timeout_);
  LDAPMessage* raw = nullptr;
  const int code = ldap_search_ext_s(
      handle_, query.base.c_str(),
      query.scope == LdapScope::kBase ? LDAP_SCOPE_BASE : LDAP_SCOPE_SUBTREE,
      query.filter.c_str(), names.data(), /*attrsonly=*/0, controls, nullptr,
      &wait, query.max, &raw);
  const LdapMessage result(raw);
  if (code == LDAP_NO_SUCH_OBJECT && query.scope == LdapScope::kBase) return "";
  const bool cut = code == LDAP_SIZELIMIT_EXCEEDED;
  if (cut && query.more == nullptr) return TooMany(query.base, query.max);
  if (cut) *query.more = true;
  if (code != LDAP_SUCCESS && !cut) {
    return LdapUnavailable(
        handle_, code,
        FormatMessage(ldap_messages::kSearch, {{"base", query.base}}));
  }
  for (LDAPMessage* message = ldap_first_entry(handle_, result.get());
       message != nullptr; message = ldap_next_entry(handle_, message)) {
    entries->push_back(ReadEntry(handle_, message));
  }
  if (!paged) return "";
  return NextPage(handle_, result.get());
}

// Fetches the remaining values of attributes that the server sent in part.
absl::Status LdapConnection::Complete(LdapEntry* entry) {
  for (int part = 0; part <= kMaxParts; ++part) {
    const auto partial = std::find_if(
        entry->values.begin(), entry->values.end(), [](const auto& value) {
          return ParseLdapRange(value.first).has_value();
        });
    if (partial == entry->values.end()) return absl::OkStatus();
    const LdapRange range = *ParseLdapRange(partial->first);
    std::vector<std::string>& all = entry->values[range.attribute];
    if (range.first != all.size()) {
      return MakeError(ldap_messages::kValuesMissing,
                       {{"dn", entry->dn},
                        {"attribute", partial->first},
                        {"count", all.size()}});
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
      return MakeError(ldap_messages::kEntryDeleted, {{"dn", entry->dn}});
    }
    more.front().values.erase(range.attribute);  // it comes beside, empty
    entry->values.merge(more.front().values);
  }
  return MakeError(ldap_messages::kTooManyValues, {{"dn", entry->dn}});
}

bool LdapConnection::ComparesPasswordFirst() {
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

// Binds and changes of passwords.

LdapConnection::Response LdapConnection::Await(int code, int message_id) {
  if (code != LDAP_SUCCESS)
    return {.code = code, .diagnostic = "", .status = {}};
  timeval wait = absl::ToTimeval(timeout_);
  LDAPMessage* raw = nullptr;
  const int kind = ldap_result(handle_, message_id, LDAP_MSG_ALL, &wait, &raw);
  const LdapMessage result(raw);
  if (kind > 0) return Read(result.get());
  int error = LDAP_TIMEOUT;
  if (kind < 0) ldap_get_option(handle_, LDAP_OPT_RESULT_CODE, &error);
  return {.code = error == LDAP_SUCCESS ? LDAP_SERVER_DOWN : error,
          .diagnostic = "",
          .status = {}};
}

LdapConnection::Response LdapConnection::Read(LDAPMessage* result) {
  Response answer{.code = LDAP_OTHER, .diagnostic = "", .status = {}};
  int code = LDAP_OTHER;
  char* diagnostic = nullptr;
  LDAPControl** controls = nullptr;
  const int parsed =
      ldap_parse_result(handle_, result, &code, nullptr, &diagnostic, nullptr,
                        &controls, /*freeit=*/0);
  answer.code = parsed == LDAP_SUCCESS ? code : parsed;
  if (diagnostic != nullptr) answer.diagnostic = diagnostic;
  if (controls != nullptr)
    answer.status = ReadPasswordStatus(handle_, controls);
  ldap_memfree(diagnostic);
  ldap_controls_free(controls);
  return answer;
}

absl::StatusOr<PasswordStatus> LdapConnection::Bind(
    const std::string& dn, const std::string& password) {
  if (password.empty() || dn.empty()) {
    return MakeError(ldap_messages::kBindIncomplete);
  }
  const DeadlineScope scope(deadline_, timeout_);
  berval secret = View(password);
  const LdapControl policy = PolicyRequest(handle_);
  LDAPControl* controls[] = {policy.get(), nullptr};
  int id = -1;
  const int begun = ldap_sasl_bind(handle_, dn.c_str(), LDAP_SASL_SIMPLE,
                                   &secret, controls, nullptr, &id);
  return BindResult(dn, Await(begun, id));
}

absl::StatusOr<PasswordStatus> LdapConnection::BindResult(const std::string& dn,
                                                          Response answer) {
  if (answer.code == LDAP_SUCCESS) return answer.status;
  const std::string text = LdapErrorText(answer.code, answer.diagnostic);
  if (!IsRefusal(answer.code)) {
    return MakeError(ldap_messages::kBindFailed, {{"dn", dn}, {"error", text}});
  }
  PolicyError& error = answer.status.error;
  if (error == PolicyError::kNone) {
    error = ActiveDirectoryError(answer.diagnostic);
  }
  // Reported for a right password if the server compares it first.
  answer.status.expired = answer.code == LDAP_INVALID_CREDENTIALS &&
                          (error == PolicyError::kPasswordExpired ||
                           error == PolicyError::kChangeAfterReset);
  if (answer.status.expired) return answer.status;
  const std::string cause = PolicyErrorName(error);
  if (cause.empty()) {
    return MakeError(ldap_messages::kBindRefused,
                     {{"dn", dn}, {"error", text}});
  }
  return MakeError(ldap_messages::kBindRefusedByPolicy,
                   {{"dn", dn}, {"error", text}, {"cause", cause}});
}

absl::Status LdapConnection::ChangePassword(const std::string& dn,
                                            const std::string& old_password,
                                            const std::string& new_password) {
  // For an empty new password the server would generate one (RFC 3062, 2).
  if (dn.empty() || old_password.empty() || new_password.empty()) {
    return MakeError(ldap_messages::kPasswordEmpty);
  }
  const DeadlineScope scope(deadline_, timeout_);
  berval who = View(dn);
  berval before = View(old_password);
  berval after = View(new_password);
  const LdapControl policy = PolicyRequest(handle_);
  LDAPControl* controls[] = {policy.get(), nullptr};
  int id = -1;
  const int begun =
      ldap_passwd(handle_, &who, &before, &after, controls, nullptr, &id);
  return ChangeResult(Await(begun, id));
}

absl::Status LdapConnection::ChangeUnicodePassword(
    const std::string& dn, const std::string& old_password,
    const std::string& new_password) {
  const std::optional<std::string> old_value = EncodeUnicodePwd(old_password);
  const std::optional<std::string> new_value = EncodeUnicodePwd(new_password);
  if (dn.empty() || old_password.empty() || new_password.empty() ||
      !old_value || !new_value) {
    return MakeError(ldap_messages::kPasswordNoText);
  }
  const DeadlineScope scope(deadline_, timeout_);
  // Deleting the old value and adding the new one is a change by the user;
  // replacing it would be a reset, which requires administrative rights
  // ([MS-ADTS] 3.1.1.3.1.5).
  char attribute[] = "unicodePwd";
  berval before = View(*old_value);
  berval after = View(*new_value);
  berval* befores[] = {&before, nullptr};
  berval* afters[] = {&after, nullptr};
  LDAPMod remove = {LDAP_MOD_DELETE | LDAP_MOD_BVALUES, attribute, {}};
  LDAPMod add = {LDAP_MOD_ADD | LDAP_MOD_BVALUES, attribute, {}};
  remove.mod_bvalues = befores;
  add.mod_bvalues = afters;
  LDAPMod* changes[] = {&remove, &add, nullptr};
  int id = -1;
  const int begun =
      ldap_modify_ext(handle_, dn.c_str(), changes, nullptr, nullptr, &id);
  return ChangeResult(Await(begun, id));
}

absl::Status LdapConnection::ChangeResult(const Response& answer) const {
  if (answer.code == LDAP_SUCCESS) return absl::OkStatus();
  const std::string text = LdapErrorText(answer.code, answer.diagnostic);
  if (answer.code == LDAP_REFERRAL) {
    return MakeError(ldap_messages::kReadOnly,
                     {{"address", address_}, {"error", text}});
  }
  if (!IsRefusedChange(answer.code)) {
    return MakeError(ldap_messages::kChangeFailed, {{"error", text}});
  }
  const PolicyError error = answer.status.error == PolicyError::kNone
                                ? ActiveDirectoryChangeError(answer.diagnostic)
                                : answer.status.error;
  return RejectionError(error, text);
}

}  // namespace carme::backend
