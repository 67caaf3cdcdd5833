#include "backend/identity/session/user_agent.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::backend {
namespace {

TEST_CASE("user agent: unknown text is unknown", "[backend]") {
  CHECK(DeviceOf("") == "unknown device");
  CHECK(DeviceOf("<script>alert(1)</script>") == "unknown device");
  CHECK(DeviceOf(std::string(200, '\xff')) == "unknown device");
}

TEST_CASE("user agent: the browser before those that it descends from",
          "[backend]") {
  struct Row {
    const char* user_agent;
    const char* device;
  };
  const Row rows[] = {
      {"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
       "Firefox on Linux"},
      {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, "
       "like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
       "Edge on Windows"},
      {"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) "
       "Chrome/142.0.0.0 Mobile Safari/537.36",
       "Chrome on Android"},
      {"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 "
       "(KHTML, like Gecko) Version/18.0 Safari/605.1.15",
       "Safari on macOS"},
      {"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) "
       "AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 "
       "Safari/604.1",
       "Chrome on iPhone"},
      {"curl/7.88.1", "curl"},
      {"something on Linux", "a browser on Linux"},
  };
  for (const Row& row : rows) CHECK(DeviceOf(row.user_agent) == row.device);
}

}  // namespace
}  // namespace carme::backend
