// A connected socket as a synchronous stream of Beast. A call that waits for
// the peer longer than the timeout fails with asio::error::timed_out.
//
// Thread safety: one thread at a time.
#ifndef CARME_SLURM_HOOKS_FILES_SOCKET_STREAM_H_
#define CARME_SLURM_HOOKS_FILES_SOCKET_STREAM_H_

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>

namespace carme::files {

class SocketStream {
 public:
  static constexpr int kTimeoutMs = 90'000;

  // Does not own `fd`.
  explicit SocketStream(int fd) : fd_(fd) {}

  int fd() const { return fd_; }

  template <typename Buffers>
  size_t read_some(const Buffers& buffers, boost::system::error_code& error) {
    const boost::asio::mutable_buffer part =
        *boost::asio::buffer_sequence_begin(buffers);
    return Transfer(POLLIN, error, [&] {
      return recv(fd_, part.data(), part.size(), MSG_DONTWAIT);
    });
  }
  template <typename Buffers>
  size_t read_some(const Buffers& buffers) {
    boost::system::error_code error;
    const size_t size = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return size;
  }

  template <typename Buffers>
  size_t write_some(const Buffers& buffers, boost::system::error_code& error) {
    for (auto part = boost::asio::buffer_sequence_begin(buffers);
         part != boost::asio::buffer_sequence_end(buffers); ++part) {
      const boost::asio::const_buffer bytes = *part;
      if (bytes.size() == 0) continue;
      return Transfer(POLLOUT, error, [&] {
        return send(fd_, bytes.data(), bytes.size(),
                    MSG_DONTWAIT | MSG_NOSIGNAL);
      });
    }
    error = {};
    return 0;
  }
  template <typename Buffers>
  size_t write_some(const Buffers& buffers) {
    boost::system::error_code error;
    const size_t size = write_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return size;
  }

  // Waits until the socket is ready; false: timeout.
  bool Await(int16_t events) const {
    pollfd waiting{fd_, events, 0};
    int ready = 0;
    do {
      ready = poll(&waiting, 1, kTimeoutMs);
    } while (ready < 0 && errno == EINTR);
    return ready == 1;
  }

 private:
  template <typename Call>
  size_t Transfer(int16_t events, boost::system::error_code& error, Call call) {
    error = {};
    for (;;) {
      const ssize_t size = call();
      if (size > 0) return static_cast<size_t>(size);
      if (size == 0) {
        error = boost::asio::error::eof;
        return 0;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN) {
        error.assign(errno, boost::system::system_category());
        return 0;
      }
      if (!Await(events)) {
        error = boost::asio::error::timed_out;
        return 0;
      }
    }
  }

  const int fd_;
};

}  // namespace carme::files

#endif  // CARME_SLURM_HOOKS_FILES_SOCKET_STREAM_H_
