// Extracts the session from a response before it is converted to JSON.
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
  std::string token;  // empty: the response does not start a session
  std::optional<absl::Time> expires_at;
};

// Clears all fields with the option `session_cookie`, including nested ones.
SessionFields TakeSession(google::protobuf::Message* response);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_SESSION_FIELDS_H_
