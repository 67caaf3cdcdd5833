// Accepts the connections of one listening socket on its own thread, within
// limits, and passes them to gRPC, which has no connection limits in
// version 1.51.
#ifndef CARME_BACKEND_RPC_SERVER_CONNECTION_ACCEPTOR_H_
#define CARME_BACKEND_RPC_SERVER_CONNECTION_ACCEPTOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/rpc/server/connection_table.h"
#include "common/unique_fd.h"

namespace carme::backend {

class ConnectionAcceptor {
 public:
  // Receives a non-blocking connection. Must not block.
  using HandOver = std::function<void(int listener_fd, UniqueFd connection)>;

  // Listens on "host:port", a literal address. `name` is for the log.
  // ListenTcp's errors.
  static absl::StatusOr<std::unique_ptr<ConnectionAcceptor>> Listen(
      std::string name, const std::string& address,
      const ConnectionLimits& limits);
  // Stops.
  ~ConnectionAcceptor();
  ConnectionAcceptor(const ConnectionAcceptor&) = delete;
  ConnectionAcceptor& operator=(const ConnectionAcceptor&) = delete;

  // Until this call, connections wait in the kernel. Call once.
  void Start(HandOver hand_over);
  // No connection is passed on after this returns.
  void Stop();
  int port() const { return port_; }
  ConnectionCounts counts() const { return table_.counts(); }

 private:
  ConnectionAcceptor(std::string name, UniqueFd listener, UniqueFd stop,
                     int port, const ConnectionLimits& limits);
  void Run();
  // False: no connection is waiting, or none can be accepted now.
  bool AcceptOne();
  void LogRefusal(const std::string& address, absl::Time now);

  const std::string name_;
  const UniqueFd listener_;
  const UniqueFd stop_;  // an eventfd
  const int port_;
  ConnectionTable table_;
  HandOver hand_over_;
  // For the thread only.
  absl::Time refusal_logged_at_ = absl::InfinitePast();
  int64_t refusals_unlogged_ = 0;
  absl::Time pause_until_ = absl::InfinitePast();
  std::thread thread_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_CONNECTION_ACCEPTOR_H_
