#include "slurm-hooks/shell/terminal_watch.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <string>
#include <variant>

#include "slurm-hooks/shell/control_message.h"

namespace carme::shell {
namespace {

namespace websocket = beast::websocket;

constexpr size_t kMaxMessageBytes = 64 * 1024;
constexpr size_t kFrameBytes = 32 * 1024;
// Maximum of bytes sent but not acknowledged: keeps the queue in the page
// short, so that an interrupt takes effect at once.
constexpr uint64_t kMaxUnseenBytes = 512 * 1024;

class Watch : public Watcher, public std::enable_shared_from_this<Watch> {
 public:
  Watch(LocalStream stream, std::shared_ptr<Terminal> terminal,
        std::optional<uint64_t> from)
      : socket_(std::move(stream)),
        terminal_(std::move(terminal)),
        updates_(socket_.get_executor()) {
    const OutputRing& output = terminal_->output();
    const bool can =
        from.has_value() && *from >= output.start() && *from <= output.end();
    position_ = seen = can ? *from : terminal_->replay_start();
    socket_.read_message_max(kMaxMessageBytes);
    socket_.set_option(websocket::stream_base::timeout{
        .handshake_timeout = std::chrono::seconds(10),
        .idle_timeout = std::chrono::seconds(60),
        .keep_alive_pings = true});
    terminal_->Add(*this);
  }
  ~Watch() override { terminal_->Remove(*this); }

  asio::awaitable<void> Run(
      beast::http::request<beast::http::empty_body> upgrade) {
    const auto self = shared_from_this();
    boost::system::error_code error;
    co_await socket_.async_accept(upgrade, Into(error));
    if (error) co_return;
    asio::co_spawn(
        socket_.get_executor(), [self] { return self->Send(); },
        asio::detached);
    while (!error) co_await ReceiveOne(error);
    ended_ = true;
    updates_.Raise();
  }

  void OnUpdate() override { updates_.Raise(); }
  void OnDropped() override {
    ended_ = true;
    beast::get_lowest_layer(socket_).close();
    updates_.Raise();
  }

 private:
  asio::awaitable<void> ReceiveOne(boost::system::error_code& error) {
    beast::flat_buffer buffer(kMaxMessageBytes);
    co_await socket_.async_read(buffer, Into(error));
    if (error) co_return;
    const std::string_view message(
        static_cast<const char*>(buffer.cdata().data()), buffer.size());
    if (socket_.got_binary()) co_return co_await terminal_->Type(message);
    const auto control = ParseControlMessage(message);
    if (control.has_value()) co_return Handle(*control);
    OnDropped();  // no page of ours
    error = boost::system::errc::make_error_code(
        boost::system::errc::protocol_error);
  }

  void Handle(const ControlMessage& control) {
    if (const auto* size = std::get_if<WindowSize>(&control)) {
      terminal_->Resize(*size);
    } else if (const auto* shown = std::get_if<Seen>(&control)) {
      terminal_->MarkSeen(*this, std::min(shown->until, position_));
    } else {
      terminal_->HangUp();
    }
  }

  asio::awaitable<void> Send() {
    const auto self = shared_from_this();
    boost::system::error_code error;
    co_await SendText(AtMessage(position_, terminal_->output().end()), error);
    while (!error && !ended_) {
      const uint64_t end = terminal_->output().end();
      if (position_ < end && position_ - seen < kMaxUnseenBytes) {
        co_await SendBytes(error);
      } else if (position_ == end && terminal_->exit_code().has_value()) {
        co_await SendText(ExitMessage(*terminal_->exit_code()), error);
        co_await socket_.async_close(websocket::close_code::normal,
                                     Into(error));
        co_return;
      } else {
        co_await updates_.Wait();
      }
    }
  }

  asio::awaitable<void> SendText(std::string text,
                                 boost::system::error_code& error) {
    socket_.text(true);
    co_await socket_.async_write(asio::buffer(text), Into(error));
  }

  asio::awaitable<void> SendBytes(boost::system::error_code& error) {
    const std::string bytes = terminal_->output().Read(position_, kFrameBytes);
    position_ += bytes.size();
    socket_.binary(true);
    co_await socket_.async_write(asio::buffer(bytes), Into(error));
  }

  websocket::stream<LocalStream> socket_;
  const std::shared_ptr<Terminal> terminal_;
  Signal updates_;
  uint64_t position_ = 0;  // the next byte to send
  bool ended_ = false;
};

}  // namespace

asio::awaitable<void> WatchTerminal(
    LocalStream stream, beast::http::request<beast::http::empty_body> upgrade,
    std::shared_ptr<Terminal> terminal, std::optional<uint64_t> from) {
  const auto watch =
      std::make_shared<Watch>(std::move(stream), std::move(terminal), from);
  co_await watch->Run(std::move(upgrade));
}

}  // namespace carme::shell
