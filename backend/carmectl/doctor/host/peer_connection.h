// Connections to other programs, as a test: by TCP, and by TLS with the
// certificates of this host. Blocking, with time limits. The process must
// ignore SIGPIPE.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_HOST_PEER_CONNECTION_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_HOST_PEER_CONNECTION_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/carmectl/doctor/host/name_resolver.h"
#include "backend/carmectl/doctor/host/settings.h"
#include "common/unique_fd.h"

namespace carme::carmectl {

struct HostPort {
  std::string host;  // without brackets
  int port = 0;
};

// "head:9443", "10.0.0.1:443", "[::1]:443"; without a port, `default_port`.
// INVALID_ARGUMENT.
absl::StatusOr<HostPort> ParseHostPort(const std::string& text,
                                       int default_port = 0);

// A blocking socket, with time limits for reading and writing. NOT_FOUND: the
// name has no address; UNAVAILABLE: no address accepts the connection.
absl::StatusOr<UniqueFd> ConnectToPeer(const std::string& address,
                                       const NameResolver& resolver);

struct TlsPeer {
  std::string address;
  std::string server_name;
  std::string ca;          // PEM file
  CertificatePaths own{};  // PEM files; empty: no certificate is sent
};

// OK: the peer accepted the certificate and responded by HTTP/2. Errors of
// ConnectToPeer; FAILED_PRECONDITION: TLS failed, or the peer closed the
// connection.
absl::Status ProbeTlsPeer(const TlsPeer& peer, const NameResolver& resolver);

// The Date of the response to GET / at ADDRESS for the virtual host HOST (may
// have a port), whatever its status. The server's certificate is not verified:
// the result is only compared with the clock. Errors as above; NOT_FOUND also
// without such a field.
absl::StatusOr<absl::Time> FetchHttpsDate(const std::string& address,
                                          const std::string& host,
                                          const NameResolver& resolver);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_HOST_PEER_CONNECTION_H_
