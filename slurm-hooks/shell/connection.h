// One connection to the app: HTTP/1.1 requests, one of which may become the
// websocket of a terminal.
//
//   GET /, GET /assets/…         the page; assets have names by content
//   GET /ready                   200
//   GET /api/terminals           [{"name":"1","title":"ada@n1:
//   ~","alive":true}] GET /terminals/NAME?from=N   a websocket; NAME is 1 to 32
//   of [a-z0-9-];
//                                starts the terminal if needed. 400, 403
//                                (Origin), 426, 503 (16 terminals run)
//
// Binary frames of the websocket carry input and output; text frames are the
// messages of control_message.h. Each byte of output has a number, and N is the
// first one that the page lacks. If it is no longer among the newest MiB, the
// page gets the oldest available and clears its screen.
#ifndef CARME_SLURM_HOOKS_SHELL_CONNECTION_H_
#define CARME_SLURM_HOOKS_SHELL_CONNECTION_H_

#include <boost/asio/local/stream_protocol.hpp>
#include <memory>

#include "slurm-hooks/shell/coroutines.h"
#include "slurm-hooks/shell/terminals.h"

namespace carme::shell {

// Serves until either side closes the connection. `terminals` must outlive the
// coroutine.
asio::awaitable<void> ServeConnection(
    asio::local::stream_protocol::socket socket, Terminals& terminals);

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_CONNECTION_H_
