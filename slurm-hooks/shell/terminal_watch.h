// One browser window of a terminal: the websocket of control_message.h; binary
// frames carry input and output.
#ifndef CARME_SLURM_HOOKS_SHELL_TERMINAL_WATCH_H_
#define CARME_SLURM_HOOKS_SHELL_TERMINAL_WATCH_H_

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <cstdint>
#include <memory>
#include <optional>

#include "slurm-hooks/shell/coroutines.h"
#include "slurm-hooks/shell/terminal.h"

namespace carme::shell {

namespace beast = boost::beast;
using LocalStream = beast::basic_stream<asio::local::stream_protocol>;

// Accepts the upgrade, then sends the terminal's output from byte `from`, or
// the oldest available, until either side closes the connection.
asio::awaitable<void> WatchTerminal(
    LocalStream stream, beast::http::request<beast::http::empty_body> upgrade,
    std::shared_ptr<Terminal> terminal, std::optional<uint64_t> from);

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_TERMINAL_WATCH_H_
