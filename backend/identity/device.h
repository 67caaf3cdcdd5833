// What a person knows their browser by, out of its User-Agent.
#ifndef CARME_BACKEND_IDENTITY_DEVICE_H_
#define CARME_BACKEND_IDENTITY_DEVICE_H_

#include <string>
#include <string_view>

namespace carme::backend {

// "Firefox on Linux", "curl"; "unknown device" for what tells nothing known.
// Names from a table only, so that nothing a stranger wrote comes back. It is
// what the browser says of itself, and proves nothing.
std::string DeviceOf(std::string_view user_agent);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_DEVICE_H_
