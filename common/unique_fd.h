// Owns a file descriptor. Move-only; not thread-safe.
#ifndef CARME_COMMON_UNIQUE_FD_H_
#define CARME_COMMON_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace carme {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  // Releases the descriptor; the caller must close it.
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    if (fd_ >= 0) close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace carme

#endif  // CARME_COMMON_UNIQUE_FD_H_
