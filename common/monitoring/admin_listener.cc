#include "common/monitoring/admin_listener.h"

#include <pthread.h>

#include <utility>

#include "absl/memory/memory.h"
#include "common/listen.h"
#include "common/log.h"
#include "common/net/address.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr int kMaxConnections = 16;
constexpr int kBacklog = 16;
constexpr absl::Duration kRequestTimeout = absl::Seconds(5);

}  // namespace

absl::StatusOr<std::unique_ptr<AdminListener>> AdminListener::Start(
    const std::string& address, const MonitoredProgram* program) {
  ASSIGN_OR_RETURN(UniqueFd fd, ListenTcp(address, kBacklog));
  ASSIGN_OR_RETURN(auto loop, net::EventLoop::Create());
  auto admin = absl::WrapUnique(
      new AdminListener(std::move(loop), std::move(fd), program));
  AdminListener* const raw = admin.get();
  ASSIGN_OR_RETURN(
      admin->listener_,
      net::Listener::Create(*raw->loop_, raw->fd_.get(),
                            [raw](UniqueFd socket, const net::Address&) {
                              raw->Accept(std::move(socket));
                            }));
  admin->thread_ = std::thread([raw] { raw->loop_->Run(); });
  pthread_setname_np(admin->thread_.native_handle(), "monitoring");
  return admin;
}

std::unique_ptr<AdminListener> AdminListener::StartIfSet(
    const std::string& address, const MonitoredProgram* program) {
  if (address.empty()) return nullptr;
  auto started = Start(address, program);
  if (started.ok()) return *std::move(started);
  LogError("metrics disabled", {{"error", started.status().ToString()}});
  return nullptr;
}

AdminListener::AdminListener(std::unique_ptr<net::EventLoop> loop, UniqueFd fd,
                             const MonitoredProgram* program)
    : loop_(std::move(loop)),
      fd_(std::move(fd)),
      handler_([program](const ScanResult& scan, const RequestHead& head) {
        return MonitoringResponse(scan, head, *program);
      }) {}

AdminListener::~AdminListener() {
  if (!thread_.joinable()) return;
  loop_->Stop();
  thread_.join();
}

int AdminListener::port() const { return PortOf(fd_.get()).value_or(0); }

void AdminListener::Accept(UniqueFd fd) {
  if (connections_ >= kMaxConnections) return;
  ++connections_;
  loop_->Spawn(Serve(std::move(fd)));
}

net::Task<void> AdminListener::Serve(UniqueFd fd) {
  co_await ServeOneRequest(*loop_, std::move(fd), kRequestTimeout, handler_);
  --connections_;
}

}  // namespace carme
