#include "tests/frontend/portal_fixture.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "frontend/gateway/portal_services.h"

namespace carme::frontend::testing {
namespace {

BackendOptions OptionsFor(const TestCa& ca, const FakeBackend& backend,
                          const PortalFixtureOptions& options) {
  const TestIdentity identity = ca.IssueNames("URI:carme://frontend/dmz");
  return {.address = backend.address(),
          .server_name = options.expected_backend,
          .tls = {.certificate = identity.certificate_pem,
                  .key = identity.key_pem,
                  .ca = ca.certificate_pem(),
                  .crl = "",
                  .revoked = {}},
          .timeout = options.timeout};
}

BackendOptions MetricsOptionsFor(const TestCa& ca, const FakeBackend& metrics,
                                 const PortalFixtureOptions& options) {
  BackendOptions made = OptionsFor(ca, metrics, options);
  made.max_response_bytes = 64 << 20;
  return made;
}

std::vector<PortalCluster> ClustersOf(const PortalFixtureOptions& options,
                                      BackendChannel* first,
                                      BackendChannel* beta) {
  if (!options.two_clusters) {
    return {{.name = "", .jobs_domain = "", .backend = first}};
  }
  return {{.name = "alpha", .jobs_domain = "", .backend = first},
          {.name = "beta", .jobs_domain = "jobs-beta.test", .backend = beta}};
}

}  // namespace

const char kCallHeaders[] =
    "Content-Type: application/json\r\nOrigin: https://carme.test\r\n"
    "Sec-Fetch-Site: same-origin\r\n";
const char kStreamHeaders[] =
    "Content-Type: application/connect+json\r\n"
    "Origin: https://carme.test\r\n";

std::string SessionHeader(const std::string& token) {
  return "Cookie: __Host-carme=" + token + "\r\n";
}

SiteFolder::SiteFolder() {
  std::filesystem::create_directory(folder_.File("assets"));
  std::ofstream(folder_.File("index.html"))
      << "<!doctype html><title>Carme</title>";
  std::ofstream(folder_.File("assets/main-1.js")) << "start();";
}

PortalFixture::PortalFixture(const PortalFixtureOptions& options)
    : ca_("site"),
      backend_(ca_),
      beta_(options.two_clusters
                ? std::make_unique<FakeBackend>(ca_, "carme-backend", "beta")
                : nullptr),
      metrics_(options.metrics ? std::make_unique<FakeBackend>(
                                     ca_, "carme-backend", kMetricsName)
                               : nullptr),
      portal_(*ParsePortalOrigin("https://carme.test")),
      methods_(*MethodTable::New(PortalServiceFiles())),
      site_(*StaticSite::Load(folder_.path())),
      link_(OptionsFor(ca_, backend_, options)),
      channel_(&link_),
      beta_link_(options.two_clusters ? std::make_unique<BackendClient>(
                                            OptionsFor(ca_, *beta_, options))
                                      : nullptr),
      beta_channel_(std::make_unique<BackendChannel>(beta_link_.get())),
      metrics_link_(options.metrics
                        ? std::make_unique<BackendClient>(
                              MetricsOptionsFor(ca_, *metrics_, options))
                        : nullptr),
      metrics_channel_(options.metrics ? std::make_unique<BackendChannel>(
                                             metrics_link_.get())
                                       : nullptr),
      clusters_(ClustersOf(options, &channel_, beta_channel_.get()),
                metrics_channel_.get()),
      calls_(&clusters_),
      streams_(options.streams, options.streams_per_session),
      gateway_(portal_, &methods_, &calls_, &streams_),
      frontend_(portal_, &gateway_, &site_) {
  server_ = *HttpServer::Start("127.0.0.1:0",
                               {.max_connections = options.connections},
                               frontend_.Handlers());
  // Calls wait only two seconds for it.
  if (options.expected_backend == PortalFixtureOptions().expected_backend &&
      !WaitFor([this] { return link_.connected(); })) {
    throw std::runtime_error("the backend cannot be reached");
  }
  if (beta_link_ && !WaitFor([this] { return beta_link_->connected(); })) {
    throw std::runtime_error("the second backend cannot be reached");
  }
}

HttpAnswer PortalFixture::Call(const std::string& method,
                               const std::string& json,
                               const std::string& headers) const {
  return HttpClient(port()).Ask(
      Request("POST", "/carme.v1." + method, kCallHeaders + headers, json));
}

}  // namespace carme::frontend::testing
