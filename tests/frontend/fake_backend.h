// A fake carme-backend: a gRPC server with mutual TLS and the real services. A
// request selects its response: see each rpc in fake_backend.cc.
#ifndef CARME_TESTS_FRONTEND_FAKE_BACKEND_H_
#define CARME_TESTS_FRONTEND_FAKE_BACKEND_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/v1/metrics.pb.h"
#include "tests/common/net/test_ca.h"

namespace carme::testing {}

namespace carme::frontend::testing {

using namespace carme::testing;  // the fixtures that all programs share

// The token of its only session.
inline constexpr char kKnownToken[] =
    "Session-Token_of-the-stand-in-0123456789abc";

// Its only access token.
inline constexpr char kKnownAccessToken[] =
    "carme_Access-Token_of-the-stand-in-0123456789abcd";

class FakeBackend {
 public:
  // Serves on a port of loopback, to clients with a certificate of `ca`.
  // `cluster`: it is a further cluster's, which accepts assertions for this
  // name instead of sessions and tokens; empty: the identity backend.
  explicit FakeBackend(const TestCa& ca,
                       const std::string& name = "carme-backend",
                       const std::string& cluster = "");
  ~FakeBackend();

  std::string address() const;
  std::string certificate_pem() const;
  // Stop() is sudden; Start() serves on the same port again.
  void Stop();
  void Start();

  // Sends a message to every open WatchJobs.
  void Push(const std::string& job_id);
  int open_streams() const;

  // The metadata of the last call, by name.
  std::map<std::string, std::string> metadata() const;
  int calls() const;

  // How it answers QueryPrometheus, from several threads; {} before.
  using PrometheusAnswer = std::function<absl::StatusOr<std::string>(
      const v1::QueryPrometheusRequest&)>;
  void SetPrometheus(PrometheusAnswer answer);

  // The assertions that it made, numbered from 1.
  int assertions() const;
  // Each new one expires after this time.
  void SetAssertionLife(absl::Duration life);
  // Refuses assertions with numbers up to this one.
  void RefuseAssertions(int last);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carme::frontend::testing

#endif  // CARME_TESTS_FRONTEND_FAKE_BACKEND_H_
