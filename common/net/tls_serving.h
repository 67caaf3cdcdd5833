// What a server's context does beyond its certificate: another certificate for
// another name, a stapled OCSP answer, tickets under keys that are shared.
#ifndef CARME_COMMON_NET_TLS_SERVING_H_
#define CARME_COMMON_NET_TLS_SERVING_H_

#include "common/net/tls_context.h"

namespace carme::net {

// For TlsContext::Server only, when all else about the context is in place.
void ServeWith(const TlsContext& context);

}  // namespace carme::net

#endif  // CARME_COMMON_NET_TLS_SERVING_H_
