#include "backend/identity/ldap_connection.h"

#include <ldap.h>
#include <sys/time.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr absl::Duration kGrace = absl::Milliseconds(500);

// The library's own bound on the version has no effect with GnuTLS, which
// Debian builds it with.
constexpr char kGnuTlsSuite[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

bool UsesGnuTls() {
  char* package = nullptr;
  ldap_get_option(nullptr, LDAP_OPT_X_TLS_PACKAGE, &package);
  const bool gnutls = package != nullptr && std::string(package) == "GnuTLS";
  ldap_memfree(package);
  return gnutls;
}

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

// What libldap calls once TCP stands, before TLS does.
struct LdapConnection::Callbacks : ldap_conncb {
  explicit Callbacks(SocketDeadline* deadline)
      : ldap_conncb{Connected, Closing, deadline} {}

  static int Connected(LDAP* handle, Sockbuf* buffer, LDAPURLDesc* /*server*/,
                       sockaddr* /*address*/, ldap_conncb* self) {
    ber_socket_t fd = -1;
    ber_sockbuf_ctrl(buffer, LBER_SB_OPT_GET_FD, &fd);
    static_cast<SocketDeadline*>(self->lc_arg)->Watch(fd);
    // Connecting is bounded by this time-out; with it the handshake would poll
    // in circles, without it it blocks, and the deadline ends that.
    const timeval none = {-1, 0};
    ldap_set_option(handle, LDAP_OPT_NETWORK_TIMEOUT, &none);
    return 0;
  }
  static void Closing(LDAP*, Sockbuf*, ldap_conncb*) {}
};

// While one exists the socket has a deadline, a little after the library's own
// time-out.
class LdapConnection::Step {
 public:
  explicit Step(LdapConnection* connection) : deadline_(connection->deadline_) {
    deadline_.Set(absl::Now() + connection->timeout_ + kGrace);
  }
  ~Step() { deadline_.Clear(); }

 private:
  SocketDeadline& deadline_;
};

LdapConnection::LdapConnection(std::string address, absl::Duration timeout)
    : address_(std::move(address)), timeout_(timeout) {}

LdapConnection::~LdapConnection() {
  const Step step(this);
  if (handle_ != nullptr) ldap_unbind_ext_s(handle_, nullptr, nullptr);
}

absl::StatusOr<std::unique_ptr<LdapConnection>> LdapConnection::Open(
    const LdapConfig& config) {
  if (std::string fault = LdapUrlFault(config.url, config.start_tls);
      !fault.empty()) {
    return absl::UnavailableError(absl::StrCat("directory: url: ", fault));
  }
  absl::Status failed;
  const std::vector<std::string> addresses =
      absl::StrSplit(config.url, ' ', absl::SkipEmpty());
  for (const std::string& address : addresses) {
    std::unique_ptr<LdapConnection> connection(
        new LdapConnection(address, config.timeout));
    failed = connection->Connect(config);
    if (failed.ok()) return connection;
  }
  return failed;
}

absl::Status LdapConnection::Connect(const LdapConfig& config) {
  const int code = ldap_initialize(&handle_, address_.c_str());
  if (code != LDAP_SUCCESS) return Unclear(nullptr, code, address_);
  RETURN_IF_ERROR(Configure());
  if (!LdapUrlNeedsTls(address_)) return absl::OkStatus();
  RETURN_IF_ERROR(ConfigureTls(config));
  return StartTls();
}

absl::Status LdapConnection::Set(int option, const void* value,
                                 const char* what) {
  if (ldap_set_option(handle_, option, value) != LDAP_OPT_SUCCESS) {
    return absl::UnavailableError(absl::StrCat("directory: cannot set ", what));
  }
  return absl::OkStatus();
}

absl::Status LdapConnection::Configure() {
  const int version = LDAP_VERSION3;
  const timeval wait = absl::ToTimeval(timeout_);
  callbacks_ = std::make_unique<Callbacks>(&deadline_);
  RETURN_IF_ERROR(Set(LDAP_OPT_PROTOCOL_VERSION, &version, "version 3"));
  RETURN_IF_ERROR(Set(LDAP_OPT_NETWORK_TIMEOUT, &wait, "a time-out"));
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
  if (UsesGnuTls()) {
    RETURN_IF_ERROR(Set(LDAP_OPT_X_TLS_CIPHER_SUITE, kGnuTlsSuite, "TLS 1.2"));
  }
  RETURN_IF_ERROR(Set(LDAP_OPT_X_TLS_CACERTDIR, nullptr, "no CA directory"));
  RETURN_IF_ERROR(
      Set(LDAP_OPT_X_TLS_CACERTFILE, config.ca_file.c_str(), "the CA file"));
  // Only with a context of its own do the options above count.
  return Set(LDAP_OPT_X_TLS_NEWCTX, &for_client, "up TLS with the CA file");
}

absl::Status LdapConnection::StartTls() {
  const Step step(this);
  const int code = absl::StartsWithIgnoreCase(address_, "ldaps://")
                       ? ldap_connect(handle_)
                       : ldap_start_tls_s(handle_, nullptr, nullptr);
  if (code != LDAP_SUCCESS) return Unclear(handle_, code, address_);
  if (ldap_tls_inplace(handle_) != 1) {
    return absl::UnavailableError(
        absl::StrCat("directory: ", address_, ": no TLS came about"));
  }
  return absl::OkStatus();
}

absl::Status LdapConnection::Bind(const std::string& dn,
                                  const std::string& password) {
  if (password.empty() || dn.empty()) {
    return absl::InvalidArgumentError("directory: bind without a password");
  }
  const Step step(this);
  berval secret;
  secret.bv_val = const_cast<char*>(password.data());
  secret.bv_len = password.size();
  const int code = ldap_sasl_bind_s(handle_, dn.c_str(), LDAP_SASL_SIMPLE,
                                    &secret, nullptr, nullptr, nullptr);
  if (code == LDAP_SUCCESS) return absl::OkStatus();
  if (!IsRefusal(code)) {
    return Unclear(handle_, code, absl::StrCat("bind \"", dn, "\""));
  }
  return absl::UnauthenticatedError(
      absl::StrCat("directory: bind \"", dn, "\": ", Detail(handle_, code)));
}

absl::StatusOr<std::vector<LdapEntry>> LdapConnection::Search(
    const std::string& base, LdapScope scope, const std::string& filter,
    const std::vector<std::string>& attributes, int most) {
  const Step step(this);
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
  const Message result(raw);
  std::vector<LdapEntry> entries;
  if (code == LDAP_NO_SUCH_OBJECT) return entries;
  if (code == LDAP_SIZELIMIT_EXCEEDED) {
    return absl::OutOfRangeError(
        absl::StrCat("directory: more than ", most, " entries for ", filter));
  }
  if (code != LDAP_SUCCESS) {
    return Unclear(handle_, code, absl::StrCat("search ", filter));
  }
  for (LDAPMessage* message = ldap_first_entry(handle_, result.get());
       message != nullptr; message = ldap_next_entry(handle_, message)) {
    entries.push_back(ReadEntry(handle_, message));
  }
  return entries;
}

}  // namespace carme
