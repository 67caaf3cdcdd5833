// How frontend and proxy make sure that it is the backend they speak to.
#ifndef CARME_COMMON_GRPC_BACKEND_CREDENTIALS_H_
#define CARME_COMMON_GRPC_BACKEND_CREDENTIALS_H_

#include <memory>

#include "common/pki/tls_files.h"

namespace grpc {
class ChannelCredentials;
}

namespace carme {

// For mutual TLS with a server whose certificate `tls.ca` issued, has not taken
// back, and which carries the channel's target name (SetSslTargetNameOverride)
// as a DNS name. gRPC looks at it once a connection: whoever gets a new list
// makes a new channel.
std::shared_ptr<grpc::ChannelCredentials> BackendCredentials(
    const TlsMaterial& tls);

}  // namespace carme

#endif  // CARME_COMMON_GRPC_BACKEND_CREDENTIALS_H_
