// Stands in for the backend: a real gRPC server that speaks RouteService over
// mutual TLS, says what the test tells it to, and keeps what is reported of
// activity.
#ifndef CARME_TESTS_PROXY_ROUTE_SERVER_H_
#define CARME_TESTS_PROXY_ROUTE_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "carme/v1/activity.pb.h"
#include "carme/v1/routes.pb.h"
#include "tests/net/test_ca.h"

namespace carme::testing {

class RouteServer {
 public:
  // Listens on 127.0.0.1; `port` 0: any.
  explicit RouteServer(const TestCa& site_ca, int port = 0);
  // Breaks all streams.
  ~RouteServer();
  int port() const { return port_; }
  const std::string& certificate_pem() const { return certificate_pem_; }

  // The first message of each stream, and to those that run now.
  void SetSnapshot(const v1::WatchRoutesResponse& snapshot);
  void Push(const v1::WatchRoutesResponse& change);
  int streams() const;
  // Of activity, as they came.
  std::vector<v1::ReportActivityRequest> reports() const;
  void RefuseReports(bool refuse);

 private:
  struct State;
  std::shared_ptr<State> state_;
  int port_ = 0;
  std::string certificate_pem_;
};

}  // namespace carme::testing

#endif  // CARME_TESTS_PROXY_ROUTE_SERVER_H_
