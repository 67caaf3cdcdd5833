// TCP and unix sockets without TLS: connect, accept, and streams.
#ifndef CARME_COMMON_NET_SOCKET_H_
#define CARME_COMMON_NET_SOCKET_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/net/address.h"
#include "common/net/event_loop.h"
#include "common/net/stream.h"
#include "common/net/task.h"
#include "common/unique_fd.h"

namespace carme::net {

// `fd` is a connected socket of any kind; it becomes non-blocking.
absl::StatusOr<std::unique_ptr<Stream>> NewSocketStream(EventLoop& loop,
                                                        UniqueFd fd);

// A connected, non-blocking socket with TCP_NODELAY. DEADLINE_EXCEEDED after
// `timeout`; UNAVAILABLE: refused or unreachable; CANCELLED: the loop stops.
Task<absl::StatusOr<UniqueFd>> Connect(EventLoop& loop, Address address,
                                       absl::Duration timeout);

// Accepts connections on one loop. Several loops may accept on one descriptor;
// the kernel wakes one of them for each connection.
class Listener : private EventSource, private Timer {
 public:
  using OnConnection = std::function<void(UniqueFd, const Address& peer)>;

  // `fd` is not owned and must outlive this. `accept` runs on the loop.
  static absl::StatusOr<std::unique_ptr<Listener>> Create(EventLoop& loop,
                                                          int fd,
                                                          OnConnection accept);
  // Stops accepting.
  ~Listener() override;

 private:
  Listener(EventLoop& loop, int fd, OnConnection accept);
  absl::Status Watch();
  void OnEvents(uint32_t events) override;
  void OnStop() override {}
  void OnDeadline() override;

  EventLoop& loop_;
  int fd_;
  OnConnection accept_;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_SOCKET_H_
