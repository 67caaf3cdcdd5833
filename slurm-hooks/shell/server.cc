#include "slurm-hooks/shell/server.h"

#include <signal.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/signal_set.hpp>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/unique_fd.h"
#include "slurm-hooks/shell/connection.h"
#include "slurm-hooks/shell/terminals.h"
#include "slurm-hooks/web_app/app_socket.h"

namespace carme::shell {
namespace {

using Local = asio::local::stream_protocol;

constexpr int kMaxConnections = 64;
constexpr auto kShutdownTimeout = std::chrono::seconds(2);
constexpr auto kPause = std::chrono::milliseconds(50);

class Server {
 public:
  absl::Status Listen(const std::string& path) {
    ASSIGN_OR_RETURN(UniqueFd socket,
                     web_app::ListenAppSocket(path, kMaxConnections));
    boost::system::error_code error;
    acceptor_.assign(Local(), socket.release(), error);
    if (!error) return absl::OkStatus();
    return ErrnoError(error.value(), absl::StrCat("listen at \"", path, "\""));
  }

  void Run() {
    Begin(Accept());
    Begin(AwaitChildren());
    Begin(AwaitStop());
    io_.run();
  }

 private:
  void Begin(asio::awaitable<void> work) {
    asio::co_spawn(io_, std::move(work), asio::detached);
  }

  asio::awaitable<void> Accept() {
    for (;;) {
      boost::system::error_code error;
      Local::socket socket = co_await acceptor_.async_accept(Into(error));
      if (error == asio::error::operation_aborted) co_return;
      if (error) {  // no descriptors are left: some may be given back
        asio::steady_timer pause(io_, kPause);
        co_await pause.async_wait(Into(error));
      } else if (connections_ < kMaxConnections) {
        Begin(Serve(std::move(socket)));
      }
    }
  }

  asio::awaitable<void> Serve(Local::socket socket) {
    ++connections_;
    co_await ServeConnection(std::move(socket), terminals_);
    --connections_;
  }

  asio::awaitable<void> AwaitChildren() {
    boost::system::error_code error;
    while (!error) {
      co_await children_.async_wait(Into(error));
      terminals_.Reap();
    }
  }

  asio::awaitable<void> AwaitStop() {
    boost::system::error_code error;
    co_await stop_.async_wait(Into(error));
    acceptor_.close(error);
    terminals_.HangUpAll();
    asio::steady_timer pause(io_);
    for (auto waited = kPause * 0;
         waited < kShutdownTimeout && terminals_.AnyRuns(); waited += kPause) {
      pause.expires_after(kPause);
      co_await pause.async_wait(Into(error));
    }
    io_.stop();
  }

  asio::io_context io_{1};
  Local::acceptor acceptor_{io_};
  // Before the first shell starts, so that no exit is missed.
  asio::signal_set children_{io_, SIGCHLD};
  asio::signal_set stop_{io_, SIGTERM, SIGINT};
  Terminals terminals_{io_.get_executor()};
  int connections_ = 0;
};

}  // namespace

absl::Status RunServer(const std::string& path) {
  Server server;
  RETURN_IF_ERROR(server.Listen(path));
  server.Run();
  unlink(path.c_str());
  return absl::OkStatus();
}

}  // namespace carme::shell
