#include "tests/proxy/server/real_agent.h"

#include <sys/socket.h>

#include <cstdlib>
#include <utility>

#include "common/listen.h"
#include "common/net/relay.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

UniqueFd ListenOn(const net::Address& address) {
  UniqueFd fd(
      socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (bind(fd.get(), address.get(), address.size()) != 0 ||
      listen(fd.get(), 128) != 0) {
    std::abort();
  }
  return fd;
}

}  // namespace

RealAgent::RealAgent(const Options& options) {
  const std::string job = options.certificate_of.empty()
                              ? options.job.value()
                              : options.certificate_of;
  const TestIdentity own = options.job_ca->IssueNames(
      "DNS:" + job + ".job.carme,URI:carme://job/" + job);
  net::TlsOptions tls;
  tls.certificate = own.certificate_pem;
  tls.key = own.key_pem;
  tls.peer_ca = options.site_ca->certificate_pem();
  tls.peer_uri = "carme://proxy/dmz";
  agent::GrantRules rules{options.job,
                          {"jupyter"},
                          *VerifyingKey::FromRaw(options.ticket_public_key)};
  loop_ = *net::EventLoop::Create();
  // Apps listen on unix sockets.
  const std::string socket = directory_.File("app.sock");
  app_listener_ = ListenOn(*net::Address::FromPath(socket));
  app_ = *net::Listener::Create(
      *loop_, app_listener_.get(),
      [this, port = options.app_port](UniqueFd fd, const net::Address&) {
        loop_->Spawn(Bridge(std::move(fd), port));
      });
  agent::DataPathOptions how;
  how.max_authenticated = options.max_open;
  if (options.proxy.empty()) {
    listener_ = *ListenTcp("127.0.0.1:0");
    port_ = *PortOf(listener_.get());
  } else {
    how.dial = {*net::Address::Parse(options.proxy)};
  }
  path_ = *agent::DataPath::Create(
      *loop_, listener_.valid() ? listener_.get() : -1, tls, std::move(rules),
      clock_,
      [socket](const std::string&) -> net::Task<absl::StatusOr<std::string>> {
        co_return socket;
      },
      how);
  thread_ = std::thread([this] { loop_->Run(); });
}

RealAgent::~RealAgent() {
  loop_->Stop();
  thread_.join();
  path_.reset();
  app_.reset();
}

net::Task<void> RealAgent::Bridge(UniqueFd fd, int app_port) {
  auto from = net::NewSocketStream(*loop_, std::move(fd));
  const auto address =
      net::Address::FromIp("127.0.0.1", static_cast<uint32_t>(app_port));
  auto connected = co_await net::Connect(*loop_, *address, kWaitTimeout);
  if (!from.ok() || !connected.ok()) co_return;
  auto to = net::NewSocketStream(*loop_, *std::move(connected));
  if (to.ok()) co_await net::Relay(**from, **to, {});
}

}  // namespace carme::testing
