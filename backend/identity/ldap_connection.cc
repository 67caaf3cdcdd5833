#include "backend/identity/ldap_connection.h"

#include <ldap.h>
#include <sys/time.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/ldap_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// The library's bound on the version has no effect with GnuTLS, which Debian
// builds it with; a cipher suite would bound it, but leaks 8 KiB a connection.
bool SpeaksNewTls(LDAP* handle) {
  char* version = nullptr;  // "TLS1.3" by GnuTLS, "TLSv1.3" by OpenSSL
  ldap_get_option(handle, LDAP_OPT_X_TLS_VERSION, &version);
  const std::string found = version == nullptr ? "" : version;
  ldap_memfree(version);
  return found.ends_with("1.2") || found.ends_with("1.3");
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
  if (std::string fault = LdapUrlFault(address, config.start_tls);
      !fault.empty()) {
    return absl::UnavailableError(absl::StrCat("directory: url: ", fault));
  }
  std::unique_ptr<LdapConnection> connection(
      new LdapConnection(address, config));
  RETURN_IF_ERROR(connection->Connect(config));
  return connection;
}

absl::Status LdapConnection::Connect(const LdapConfig& config) {
  const int code = ldap_initialize(&handle_, address_.c_str());
  if (code != LDAP_SUCCESS) return LdapUnclear(nullptr, code, address_);
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
  // Only with a context of its own do the options above count.
  return Set(LDAP_OPT_X_TLS_NEWCTX, &for_client, "up TLS with the CA file");
}

absl::Status LdapConnection::StartTls() {
  const DeadlineScope scope(deadline_, connect_timeout_);
  const int code = absl::StartsWithIgnoreCase(address_, "ldaps://")
                       ? ldap_connect(handle_)
                       : ldap_start_tls_s(handle_, nullptr, nullptr);
  if (code != LDAP_SUCCESS) return LdapUnclear(handle_, code, address_);
  if (ldap_tls_inplace(handle_) != 1) {
    return absl::UnavailableError(
        absl::StrCat("directory: ", address_, ": no TLS came about"));
  }
  if (!SpeaksNewTls(handle_)) {
    return absl::UnavailableError(absl::StrCat(
        "directory: ", address_, ": expected TLS 1.2 or 1.3, no older"));
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
