#include "tests/proxy/mini_agent.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/synchronization/notification.h"
#include "common/listen.h"
#include "common/net/relay.h"
#include "common/net/tls_stream.h"
#include "proxy/access.h"
#include "tests/proxy/vanish.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

net::Task<bool> ReadExactly(net::Stream& stream, char* data, size_t size) {
  while (size > 0) {
    net::IoResult got = co_await stream.Read(data, size);
    if (got.error != 0 || got.bytes == 0) co_return false;
    data += got.bytes;
    size -= got.bytes;
  }
  co_return true;
}

}  // namespace

MiniAgent::MiniAgent(const JobId& job, const TestCa& job_ca,
                     const TestCa& site_ca,
                     const std::string& ticket_public_key, int app_port)
    : job_(job),
      key_(*VerifyingKey::FromRaw(ticket_public_key)),
      app_port_(app_port),
      site_ca_pem_(site_ca.certificate_pem()),
      tls_(ContextOf(job_ca)) {
  listening_ = *ListenTcp("127.0.0.1:0");
  port_ = *PortOf(listening_.get());
  loop_ = *net::EventLoop::Create();
  listener_ = *net::Listener::Create(*loop_, listening_.get(),
                                     [this](UniqueFd fd, const net::Address&) {
                                       loop_->Spawn(Serve(std::move(fd)));
                                     });
  thread_ = std::thread([this] { loop_->Run(); });
}

std::shared_ptr<const net::TlsContext> MiniAgent::ContextOf(
    const TestCa& job_ca) const {
  TestIdentity own = job_ca.IssueNames(
      "DNS:" + job_.value() + ".job.carme,URI:carme://job/" + job_.value());
  net::TlsOptions options;
  options.certificate = own.certificate_pem;
  options.key = own.key_pem;
  options.peer_ca = site_ca_pem_;
  options.peer_uri = "carme://proxy/dmz";
  return *net::TlsContext::Server(options);
}

void MiniAgent::MoveTo(const TestCa& job_ca) {
  absl::Notification moved;
  loop_->Post([&, tls = ContextOf(job_ca)] {
    tls_ = tls;
    moved.Notify();
  });
  moved.WaitForNotification();
}

void MiniAgent::Vanish() {
  absl::Notification vanished;
  loop_->Post([&] {
    for (const int fd : served_) testing::Vanish(fd);
    vanished.Notify();
  });
  vanished.WaitForNotification();
}

void MiniAgent::LeadTo(int app_port) { app_port_ = app_port; }

MiniAgent::~MiniAgent() { Die(); }

void MiniAgent::Die() {
  if (!thread_.joinable()) return;
  loop_->Stop();
  thread_.join();
  listener_.reset();
  listening_.reset();
}

net::Task<bool> MiniAgent::CheckGrant(net::Stream& stream) {
  char mark[12];
  bool read = co_await ReadExactly(stream, mark, sizeof mark);
  if (!read || std::string(mark, 8) != std::string("CARME1\0\0", 8)) {
    co_return false;
  }
  size_t size = 0;
  for (int i = 8; i < 12; ++i) {
    size = size << 8 | static_cast<unsigned char>(mark[i]);
  }
  if (size > 4096) co_return false;
  std::string grant(size, '\0');
  read = co_await ReadExactly(stream, grant.data(), size);
  if (!read) co_return false;
  auto access = proxy::AccessFromGrant(grant, &key_);
  co_return access.ok() && (*access)->host.job == job_ &&
      (*access)->expires > absl::Now();
}

net::Task<void> MiniAgent::Serve(UniqueFd fd) {
  ++connections_;
  if (refusing_ > 0) {
    --refusing_;
    co_return;
  }
  const int served = fd.get();
  served_.insert(served);
  const absl::Cleanup leaves = [&] { served_.erase(served); };
  auto stream = net::TlsStream::Create(*loop_, std::move(fd), tls_);
  most_opening_ = std::max(most_opening_.load(), ++opening_);
  (*stream)->ExpireAfter(kPatience);
  absl::Status shaken = co_await (*stream)->Handshake();
  bool good = shaken.ok();
  if (good) good = co_await CheckGrant(**stream);
  --opening_;
  if (!good) {
    ++refused_;
    co_return;
  }
  if (hanging_up_ > 0) {
    --hanging_up_;
    co_return;
  }
  auto address =
      net::Address::FromIp("127.0.0.1", static_cast<uint32_t>(app_port_));
  auto app = co_await net::Connect(*loop_, *address, kPatience);
  if (!app.ok()) co_return;
  auto to_app = net::NewSocketStream(*loop_, *std::move(app));
  co_await net::Relay(**stream, **to_app, {});
}

}  // namespace carme::testing
