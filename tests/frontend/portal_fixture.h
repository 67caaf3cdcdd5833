// A whole portal in this process: the frontend's parts wired as main() wires
// them, a backend to stand in, a port on loopback.
#ifndef CARME_TESTS_FRONTEND_PORTAL_FIXTURE_H_
#define CARME_TESTS_FRONTEND_PORTAL_FIXTURE_H_

#include <memory>
#include <string>

#include "frontend/backend_channel.h"
#include "frontend/backend_link.h"
#include "frontend/frontend.h"
#include "frontend/gateway.h"
#include "frontend/http_server.h"
#include "frontend/method_table.h"
#include "frontend/static_site.h"
#include "frontend/stream_slots.h"
#include "tests/frontend/backend_stand_in.h"
#include "tests/frontend/http_client.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::testing {

// A folder with a small browser application.
class SiteFolder {
 public:
  SiteFolder();
  const std::string& path() const { return folder_.path(); }

 private:
  TempDir folder_;
};

struct PortalOptions {
  int connections = 64;
  int streams = 8;
  int streams_per_session = 8;
  std::string expected_backend = "carme-backend";
  absl::Duration patience = BackendOptions().patience;
};

class PortalFixture {
 public:
  explicit PortalFixture(const PortalOptions& options = {});

  int port() const { return port_; }
  BackendStandIn& backend() { return backend_; }
  const BackendLink& link() const { return link_; }
  HttpServer& server() { return *server_; }
  const StreamSlots& slots() const { return slots_; }

  // One call as the browser application makes it, on a connection of its own.
  HttpAnswer Call(const std::string& method, const std::string& json,
                  const std::string& headers = "") const;

 private:
  TestCa ca_;
  BackendStandIn backend_;
  SiteFolder folder_;
  Portal portal_;
  MethodTable methods_;
  StaticSite site_;
  BackendLink link_;
  BackendChannel channel_;
  StreamSlots slots_;
  Gateway gateway_;
  Frontend frontend_;
  int port_ = 0;
  std::unique_ptr<HttpServer> server_;
};

// Header lines of a call: content type and origin; with the known session.
extern const char kCallHeaders[];
extern const char kStreamHeaders[];
std::string SessionHeader(const std::string& token = kKnownToken);

}  // namespace carme::testing

#endif  // CARME_TESTS_FRONTEND_PORTAL_FIXTURE_H_
