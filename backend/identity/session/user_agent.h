// A readable name of a browser, from its User-Agent.
#ifndef CARME_BACKEND_IDENTITY_SESSION_USER_AGENT_H_
#define CARME_BACKEND_IDENTITY_SESSION_USER_AGENT_H_

#include <string>
#include <string_view>

namespace carme::backend {

// "Firefox on Linux", "curl"; "unknown device" for an unknown User-Agent. Only
// names from a table, so that no foreign text is returned. The User-Agent is
// chosen by the client and proves nothing.
std::string DeviceOf(std::string_view user_agent);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_USER_AGENT_H_
