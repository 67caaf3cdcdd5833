#include "slurm-hooks/sampler/sample_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace carme::sampler {
namespace {

constexpr size_t kMaxBytes = 256 << 10;
// A shorter result is a complete file: the kernel fills at least a page.
constexpr ssize_t kPart = 2048;

char* ThreadBuffer() {
  thread_local const auto buffer = std::make_unique<char[]>(kMaxBytes);
  return buffer.get();
}

}  // namespace

SampleFile::SampleFile(const std::string& path)
    : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {}

std::optional<std::string_view> SampleFile::Read() const {
  if (!fd_.valid()) return std::nullopt;
  char* const buffer = ThreadBuffer();
  size_t size = 0;
  while (size < kMaxBytes) {
    const ssize_t got = pread(fd_.get(), buffer + size, kMaxBytes - size,
                              static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    size += static_cast<size_t>(got);
    if (got < kPart) break;
  }
  return std::string_view(buffer, size);
}

std::optional<std::string_view> ReadSampleFile(const std::string& path) {
  return SampleFile(path).Read();
}

}  // namespace carme::sampler
