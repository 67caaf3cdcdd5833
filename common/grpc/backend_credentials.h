// Credentials with which the frontend and the proxy authenticate the backend.
#ifndef CARME_COMMON_GRPC_BACKEND_CREDENTIALS_H_
#define CARME_COMMON_GRPC_BACKEND_CREDENTIALS_H_

#include <memory>

#include "common/pki/tls_files.h"

namespace grpc {
class ChannelCredentials;
}

namespace carme {

// For mutual TLS with a server whose certificate was issued by `tls.ca`, is not
// revoked, and has the channel's target name (SetSslTargetNameOverride) as a
// DNS name. gRPC checks it once per connection, so a new revocation list needs
// a new channel.
std::shared_ptr<grpc::ChannelCredentials> BackendCredentials(
    const TlsMaterial& tls);

}  // namespace carme

#endif  // CARME_COMMON_GRPC_BACKEND_CREDENTIALS_H_
