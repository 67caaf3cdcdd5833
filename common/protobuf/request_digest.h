// The digest of a request of AgentService, which its MUNGE credential contains.
#ifndef CARME_COMMON_PROTOBUF_REQUEST_DIGEST_H_
#define CARME_COMMON_PROTOBUF_REQUEST_DIGEST_H_

#include <string>
#include <string_view>

namespace google::protobuf {
class MessageLite;
}

namespace carme {

// SHA-256 of the rpc's full name ("/carme.v1.AgentService/Register"), a zero
// byte, and the request in deterministic serialization.
// REQUIRES: the request's `munge` is empty.
std::string RequestDigest(std::string_view method,
                          const google::protobuf::MessageLite& request);

}  // namespace carme

#endif  // CARME_COMMON_PROTOBUF_REQUEST_DIGEST_H_
