// Takes the session out of a response before it becomes JSON, wherever the
// contract's options put it.
#ifndef CARME_FRONTEND_GATEWAY_SESSION_FIELDS_H_
#define CARME_FRONTEND_GATEWAY_SESSION_FIELDS_H_

#include <optional>
#include <string>

#include "absl/time/time.h"

namespace google::protobuf {
class Message;
}

namespace carme::frontend {

struct SessionFields {
  std::string token;  // empty: the response starts no session
  std::optional<absl::Time> expires_at;
};

// Clears every field with the option `session_cookie`, nested ones too.
SessionFields TakeSession(google::protobuf::Message* response);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_SESSION_FIELDS_H_
