#include "tests/bench/proxy/subjects/neighbours.h"

#include <openssl/ssl.h>

#include "absl/synchronization/notification.h"
#include "common/file.h"
#include "tests/bench/proxy/load/report.h"

namespace carme::bench {
namespace {

// All speak the same cipher, whatever they would choose.
constexpr char kCipher[] = "TLS_AES_128_GCM_SHA256";

std::shared_ptr<const net::TlsContext> ClientContext(
    const net::TlsOptions& options) {
  auto context = net::TlsContext::Client(options);
  if (!context.ok()) GiveUp(context.status().ToString());
  SSL_CTX_set_ciphersuites((*context)->get(), kCipher);
  // What a client spends is not measured; it should be little.
  SSL_CTX_set_verify((*context)->get(), SSL_VERIFY_NONE, nullptr);
  return *std::move(context);
}

}  // namespace

Neighbours::Neighbours() {
  WriteCertificates();
  net::TlsOptions options;
  options.peer_ca = site_ca_.certificate_pem();
  browser_ = ClientContext(options);
  options.peer_ca = job_ca_.certificate_pem();
  options.certificate = own_.certificate_pem;
  options.key = own_.key_pem;
  proxy_ = ClientContext(options);

  net::TlsOptions serving;
  serving.certificate = app_own_.certificate_pem;
  serving.key = app_own_.key_pem;
  serving.peer_ca = site_ca_.certificate_pem();
  serving.peer_uri = "carme://proxy/dmz";
  auto app_tls = net::TlsContext::Server(serving);
  if (!app_tls.ok()) GiveUp(app_tls.status().ToString());
  loop_ = *net::EventLoop::Create();
  app_ =
      std::make_unique<BenchApp>(*loop_, *std::move(app_tls),
                                 *VerifyingKey::FromRaw(grants_.public_key()));
  log_sink_ = std::make_unique<LogSink>(*loop_);
  thread_ = std::thread([this] { loop_->Run(); });
}

Neighbours::~Neighbours() {
  loop_->Stop();
  thread_.join();
  log_sink_.reset();
  app_.reset();
}

void Neighbours::Write(const std::string& name,
                       const std::string& content) const {
  const absl::Status written =
      WriteFile(directory() + "/" + name, content, 0600);
  if (!written.ok()) GiveUp(written.ToString());
}

void Neighbours::WriteCertificates() {
  const testing::TestIdentity front =
      site_ca_.Issue({"portal.test", "*.jobs.test"});
  own_ = site_ca_.IssueNames("URI:carme://proxy/dmz");
  // Beside what carme-proxy asks for, the names by which the others find it.
  app_own_ = job_ca_.IssueNames(
      "DNS:" + kJob.value() + ".job.carme,URI:carme://job/" + kJob.value() +
      ",DNS:" + host() + ",DNS:localhost,IP:127.0.0.1");
  Write("public.pem", front.certificate_pem);
  Write("public.key", front.key_pem);
  Write("public.both.pem", front.certificate_pem + front.key_pem);
  Write("proxy.pem", own_.certificate_pem);
  Write("proxy.key", own_.key_pem);
  Write("proxy.both.pem", own_.certificate_pem + own_.key_pem);
  Write("site-ca.pem", site_ca_.certificate_pem());
  Write("site.crl", site_ca_.RevocationList({}));
  Write("job-ca.pem", job_ca_.certificate_pem());
}

void Neighbours::OnLoop(const std::function<void()>& act) {
  absl::Notification done;
  loop_->Post([&] {
    act();
    done.Notify();
  });
  done.WaitForNotification();
}

JobId Neighbours::JobAt(int n) {
  if (n == 0) return kJob;
  std::string id = "k";
  for (int i = 0; i < 15; ++i, n /= 10) {
    id += static_cast<char>('a' + n % 10);
  }
  return JobId(id);
}

v1::Route Neighbours::RouteTo(const JobId& job) const {
  v1::Route route;
  route.set_job_id(job.value());
  route.set_address("127.0.0.1");
  route.set_port(static_cast<uint32_t>(app_port()));
  return route;
}

v1::WatchRoutesResponse Neighbours::Snapshot(int routes) const {
  v1::WatchRoutesResponse snapshot;
  snapshot.set_snapshot(true);
  snapshot.mutable_keys()->set_ticket_public_key(grants_.public_key());
  snapshot.mutable_keys()->set_job_ca_pem(job_ca_.certificate_pem());
  for (int i = 0; i < routes; ++i) *snapshot.add_routes() = RouteTo(JobAt(i));
  return snapshot;
}

std::unique_ptr<testing::RouteServer> Neighbours::NewBackend(int routes) const {
  auto backend = std::make_unique<testing::RouteServer>(site_ca_);
  backend->SetSnapshot(Snapshot(routes));
  return backend;
}

}  // namespace carme::bench
