// Converts sessions and access tokens to messages.
#ifndef CARME_BACKEND_RPC_CONVERT_ACCOUNT_PROTO_H_
#define CARME_BACKEND_RPC_CONVERT_ACCOUNT_PROTO_H_

#include "absl/time/time.h"
#include "backend/identity/session.h"
#include "backend/identity/session/access_tokens.h"
#include "backend/identity/session/session_store.h"

namespace google::protobuf {
class Timestamp;
}

namespace carme::v1 {
class AccessToken;
class SessionEntry;
}  // namespace carme::v1

namespace carme::backend {

google::protobuf::Timestamp TimestampOf(absl::Time time);

// `current`: the session of the caller.
void Fill(const SessionUse& use, const SessionId& current,
          v1::SessionEntry* message);
void Fill(const AccessToken& token, v1::AccessToken* message);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_CONVERT_ACCOUNT_PROTO_H_
