// Helpers for Asio coroutines: errors are values, not exceptions.
#ifndef CARME_SLURM_HOOKS_SHELL_COROUTINES_H_
#define CARME_SLURM_HOOKS_SHELL_COROUTINES_H_

// Asio 1.74 uses std::exchange without it.
#include <utility>
//
#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>

namespace carme::shell {

namespace asio = boost::asio;

// For `co_await async_x(…, Into(error))`.
inline auto Into(boost::system::error_code& error) {
  return asio::redirect_error(asio::use_awaitable, error);
}

// An event that coroutines of one thread wait for.
class Signal {
 public:
  explicit Signal(const asio::any_io_executor& executor) : timer_(executor) {
    timer_.expires_at(asio::steady_timer::time_point::max());
  }
  // Wakes all current waiters.
  void Raise() { timer_.cancel(); }
  asio::awaitable<void> Wait() {
    boost::system::error_code cancelled;
    co_await timer_.async_wait(Into(cancelled));
  }

 private:
  asio::steady_timer timer_;
};

}  // namespace carme::shell

#endif  // CARME_SLURM_HOOKS_SHELL_COROUTINES_H_
