// A whole portal in this process: the frontend's parts wired as main() wires
// them, a backend to stand in, a port on loopback.
#ifndef CARME_TESTS_FRONTEND_PORTAL_FIXTURE_H_
#define CARME_TESTS_FRONTEND_PORTAL_FIXTURE_H_

#include <memory>
#include <string>

#include "frontend/backend/backend_channel.h"
#include "frontend/backend/backend_client.h"
#include "frontend/frontend.h"
#include "frontend/gateway/gateway.h"
#include "frontend/gateway/method_table.h"
#include "frontend/http/http_server.h"
#include "frontend/static_site.h"
#include "tests/frontend/fake_backend.h"
#include "tests/frontend/http_client.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::testing {}

namespace carme::frontend::testing {

using namespace carme::testing;  // the fixtures that all programs share

// A folder with a small browser application.
class SiteFolder {
 public:
  SiteFolder();
  const std::string& path() const { return folder_.path(); }

 private:
  TempDir folder_;
};

struct PortalFixtureOptions {
  int connections = 64;
  int streams = 8;
  int streams_per_session = 8;
  std::string expected_backend = "carme-backend";
  absl::Duration timeout = BackendOptions().timeout;
  // Clusters "alpha" and "beta", whose jobs are in jobs-beta.test.
  bool two_clusters = false;
  bool metrics = false;  // there is a carme-metrics
};

class PortalFixture {
 public:
  explicit PortalFixture(const PortalFixtureOptions& options = {});

  int port() const { return server_->port(); }
  FakeBackend& backend() { return backend_; }
  // REQUIRES: two_clusters.
  FakeBackend& beta() { return *beta_; }
  // REQUIRES: metrics.
  FakeBackend& metrics() { return *metrics_; }
  const BackendClient& link() const { return link_; }
  HttpServer& server() { return *server_; }
  const StreamLimiter& streams() const { return streams_; }

  // One call as the browser application makes it, on a connection of its own.
  HttpAnswer Call(const std::string& method, const std::string& json,
                  const std::string& headers = "") const;

 private:
  TestCa ca_;
  FakeBackend backend_;
  std::unique_ptr<FakeBackend> beta_;
  std::unique_ptr<FakeBackend> metrics_;
  SiteFolder folder_;
  PortalOrigin portal_;
  MethodTable methods_;
  StaticSite site_;
  BackendClient link_;
  BackendChannel channel_;
  std::unique_ptr<BackendClient> beta_link_;
  std::unique_ptr<BackendChannel> beta_channel_;
  std::unique_ptr<BackendClient> metrics_link_;
  std::unique_ptr<BackendChannel> metrics_channel_;
  PortalClusters clusters_;
  ClusterCalls calls_;
  StreamLimiter streams_;
  Gateway gateway_;
  Frontend frontend_;
  std::unique_ptr<HttpServer> server_;
};

// Header lines of a call: content type and origin; with the known session.
extern const char kCallHeaders[];
extern const char kStreamHeaders[];
std::string SessionHeader(const std::string& token = kKnownToken);

}  // namespace carme::frontend::testing

#endif  // CARME_TESTS_FRONTEND_PORTAL_FIXTURE_H_
