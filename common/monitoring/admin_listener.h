// Serves monitoring (monitored_program.h) on an address of its own, from a
// thread of its own, so that it answers when all other threads are busy.
//
// Hostile clients cannot take more than 16 connections of 8 KiB for ten
// seconds.
#ifndef CARME_COMMON_MONITORING_ADMIN_LISTENER_H_
#define CARME_COMMON_MONITORING_ADMIN_LISTENER_H_

#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "common/monitoring/admin_http.h"
#include "common/monitoring/monitored_program.h"
#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/net/task.h"
#include "common/unique_fd.h"

namespace carme {

// One thread starts and destroys it.
class AdminListener {
 public:
  // `address`: see ListenTcp. `program` must outlive the object. ListenTcp's
  // errors.
  static absl::StatusOr<std::unique_ptr<AdminListener>> Start(
      const std::string& address, const MonitoredProgram* program);
  // The same for a program that serves without monitoring rather than not at
  // all: null for an empty address, and after an error, which is logged.
  static std::unique_ptr<AdminListener> StartIfSet(
      const std::string& address, const MonitoredProgram* program);
  ~AdminListener();

  int port() const;

 private:
  AdminListener(std::unique_ptr<net::EventLoop> loop, UniqueFd fd,
                const MonitoredProgram* program);
  void Accept(UniqueFd fd);
  net::Task<void> Serve(UniqueFd fd);

  const std::unique_ptr<net::EventLoop> loop_;
  const UniqueFd fd_;
  const AdminHandler handler_;
  int connections_ = 0;  // of the loop's thread
  std::unique_ptr<net::Listener> listener_;
  std::thread thread_;
};

}  // namespace carme

#endif  // CARME_COMMON_MONITORING_ADMIN_LISTENER_H_
