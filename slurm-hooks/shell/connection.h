// One connection to the app: HTTP/1.1 requests, one of which may become the
// websocket of a terminal.
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
