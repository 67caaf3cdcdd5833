#include "tests/proxy/server/tunnel_agent.h"

#include <sys/socket.h>

#include <utility>

#include "common/net/http2/http2_link.h"
#include "common/net/socket.h"
#include "common/net/tls/tls_stream.h"
#include "slurm-hooks/agent/data_path/reverse_tunnel.h"
#include "tests/proxy/fixtures/vanish.h"
#include "tests/support/wait_for.h"

namespace carme::testing {

TunnelAgent::TunnelAgent(const JobId& job, const TestCa& job_ca,
                         const TestCa& site_ca, int proxy_port,
                         std::string word)
    : word_(std::move(word)) {
  const TestIdentity own = job_ca.IssueNames(
      "DNS:" + job.value() + ".job.carme,URI:carme://job/" + job.value());
  net::TlsOptions options;
  options.certificate = own.certificate_pem;
  options.key = own.key_pem;
  options.peer_ca = site_ca.certificate_pem();
  options.peer_uri = "carme://proxy/dmz";
  tls_ = *net::TlsContext::Server(options);
  loop_ = *net::EventLoop::Create();
  loop_->Spawn(Run(job, proxy_port));
  thread_ = std::thread([this] { loop_->Run(); });
}

TunnelAgent::~TunnelAgent() {
  loop_->Stop();
  thread_.join();
}

void TunnelAgent::Vanish() { testing::Vanish(fd_); }

net::Task<void> TunnelAgent::Run(JobId job, int proxy_port) {
  const auto proxy =
      net::Address::FromIp("127.0.0.1", static_cast<uint32_t>(proxy_port));
  auto fd = co_await net::Connect(*loop_, *proxy, kWaitTimeout);
  if (fd.ok()) {
    const std::string hello = agent::TunnelPreamble(job);
    send(fd->get(), hello.data(), hello.size(), MSG_NOSIGNAL);
    fd_ = fd->get();
    auto tls = net::TlsStream::Create(*loop_, *std::move(fd), tls_);
    const absl::Status shaken = co_await (*tls)->Handshake();
    if (shaken.ok()) {
      net::Http2LinkOptions options;
      options.on_stream = [this](std::unique_ptr<net::Stream> stream) {
        loop_->Spawn(Serve(std::move(stream)));
      };
      options.on_leave = [this] { asked_to_leave_ = true; };
      const auto link =
          net::Http2Link::Create(*loop_, **tls, std::move(options));
      linked_ = true;
      const absl::Status end = co_await link->Serve();
      (void)end;
    }
  }
  ended_ = true;
}

net::Task<void> TunnelAgent::Serve(std::unique_ptr<net::Stream> stream) {
  std::string seen;
  char buffer[4096];
  for (;;) {
    const net::IoResult got = co_await stream->Read(buffer, sizeof buffer);
    if (got.error != 0 || got.bytes == 0) co_return;
    seen.append(buffer, got.bytes);
    if (seen.find("\r\n\r\n") == std::string::npos) continue;
    const bool websocket = seen.find("Sec-WebSocket-Key") != std::string::npos;
    std::string answer =
        "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(word_.size()) +
        "\r\n\r\n" + word_;
    if (websocket) {
      answer =
          "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
          "Upgrade: websocket\r\nSec-WebSocket-Accept: "
          "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n" +
          word_;
    }
    seen.clear();
    net::IoResult put = co_await stream->Write(answer);
    while (websocket && put.error == 0) {
      const net::IoResult more = co_await stream->Read(buffer, sizeof buffer);
      if (more.error != 0 || more.bytes == 0) co_return;
      put = co_await stream->Write({buffer, more.bytes});
    }
    if (put.error != 0) co_return;
  }
}

}  // namespace carme::testing
