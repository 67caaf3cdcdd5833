// Bytes over TCP or a unix socket, with no TLS, and what comes back until the
// end.
#ifndef CARME_TESTS_PROXY_PLAIN_CLIENT_H_
#define CARME_TESTS_PROXY_PLAIN_CLIENT_H_

#include <optional>
#include <string>

#include "tests/support/wait_for.h"

namespace carme::testing {

// None: no connection, or no end within `patience`. `finish`: the client says
// that it has no more to say.
std::optional<std::string> AskPlain(int port, const std::string& bytes,
                                    absl::Duration patience = kPatience,
                                    bool finish = false);
std::optional<std::string> AskUnix(const std::string& path,
                                   const std::string& bytes,
                                   absl::Duration patience = kPatience);

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_PLAIN_CLIENT_H_
