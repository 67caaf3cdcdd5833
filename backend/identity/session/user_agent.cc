#include "backend/identity/session/user_agent.h"

#include <array>
#include <utility>

#include "backend/identity/session/messages.h"

namespace carme::backend {
namespace {

using Sign = std::pair<std::string_view, std::string_view>;

// The order matters: a browser also sends the names of the browsers that it is
// derived from.
constexpr std::array kPrograms = {Sign{"Edg/", "Edge"},
                                  Sign{"EdgA/", "Edge"},
                                  Sign{"EdgiOS/", "Edge"},
                                  Sign{"OPR/", "Opera"},
                                  Sign{"Vivaldi/", "Vivaldi"},
                                  Sign{"SamsungBrowser/", "Samsung Internet"},
                                  Sign{"FxiOS/", "Firefox"},
                                  Sign{"Firefox/", "Firefox"},
                                  Sign{"CriOS/", "Chrome"},
                                  Sign{"HeadlessChrome/", "Chrome"},
                                  Sign{"Chromium/", "Chromium"},
                                  Sign{"Chrome/", "Chrome"},
                                  Sign{"Safari/", "Safari"},
                                  Sign{"curl/", "curl"},
                                  Sign{"Wget/", "Wget"},
                                  Sign{"python-requests/", "Python"},
                                  Sign{"Python-urllib/", "Python"}};

// Android also sends Linux, and iPads also send Macintosh.
constexpr std::array kSystems = {
    Sign{"Android", "Android"},    Sign{"iPhone", "iPhone"},
    Sign{"iPad", "iPad"},          Sign{"CrOS", "ChromeOS"},
    Sign{"Windows NT", "Windows"}, Sign{"Macintosh", "macOS"},
    Sign{"Linux", "Linux"}};

template <typename Table>
std::string_view FirstOf(const Table& table, std::string_view text) {
  for (const auto& [sign, name] : table) {
    if (text.find(sign) != std::string_view::npos) return name;
  }
  return {};
}

}  // namespace

std::string DeviceOf(std::string_view user_agent) {
  const std::string program(FirstOf(kPrograms, user_agent));
  const std::string system(FirstOf(kSystems, user_agent));
  if (program.empty() && system.empty())
    return FormatMessage(session_messages::kUnknownDevice);
  if (program.empty()) {
    return FormatMessage(session_messages::kBrowserOnSystem,
                         {{"system", system}});
  }
  if (system.empty()) return program;
  return FormatMessage(session_messages::kProgramOnSystem,
                       {{"program", program}, {"system", system}});
}

}  // namespace carme::backend
