// What every subject connects to: certificates, the app, and what stands in
// for the backend of carme-proxy (a real gRPC server that speaks RouteService,
// tests/proxy/fixtures/route_server.h).
#ifndef CARME_TESTS_BENCH_PROXY_SUBJECTS_NEIGHBOURS_H_
#define CARME_TESTS_BENCH_PROXY_SUBJECTS_NEIGHBOURS_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "carme/v1/routes.pb.h"
#include "common/ids.h"
#include "common/net/event_loop.h"
#include "common/net/tls/tls_context.h"
#include "tests/bench/proxy/load/bench_app.h"
#include "tests/common/net/test_ca.h"
#include "tests/proxy/fixtures/grants.h"
#include "tests/proxy/fixtures/route_server.h"
#include "tests/support/temp_dir.h"

namespace carme::bench {

inline const JobId kJob("j23456789abcdefg");

class Neighbours {
 public:
  Neighbours();
  ~Neighbours();

  // Where the certificates are, and what the subjects write.
  const std::string& directory() const { return directory_.path(); }
  const JobId& job() const { return kJob; }
  std::string host() const { return HostOf(kJob); }
  static std::string HostOf(const JobId& job) {
    return job.value() + ".jobs.test";
  }
  int app_port() const { return app_->port(); }
  int log_sink_port() const { return log_sink_->port(); }

  // The loop of the app and of all clients, on a thread of its own.
  net::EventLoop& loop() { return *loop_; }
  // Runs `act` there and waits for it.
  void OnLoop(const std::function<void()>& act);

  // Of clients: to a subject; and to the app itself, as a subject would.
  std::shared_ptr<const net::TlsContext> browser() const { return browser_; }
  std::shared_ptr<const net::TlsContext> proxy() const { return proxy_; }

  // A stand-in for the backend: each carme-proxy gets its own. `routes`: to
  // the app, kJob's first.
  std::unique_ptr<testing::RouteServer> NewBackend(int routes) const;
  v1::Route RouteTo(const JobId& job) const;
  // The same as in a message of the backend's.
  v1::WatchRoutesResponse Snapshot(int routes) const;
  // The n-th job's id; the 0th is kJob.
  static JobId JobAt(int n);

  const testing::GrantMaker& grants() const { return grants_; }

 private:
  void WriteCertificates();
  void Write(const std::string& name, const std::string& content) const;

  TempDir directory_;
  testing::TestCa site_ca_{"site ca"};
  testing::TestCa job_ca_{"job ca"};
  testing::TestIdentity own_, app_own_;
  testing::GrantMaker grants_;
  std::shared_ptr<const net::TlsContext> browser_, proxy_;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<BenchApp> app_;
  std::unique_ptr<LogSink> log_sink_;
  std::thread thread_;
};

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_SUBJECTS_NEIGHBOURS_H_
