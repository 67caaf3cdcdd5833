#include "slurm-hooks/shell/output_ring.h"

#include <algorithm>
#include <cstring>

namespace carme::shell {

OutputRing::OutputRing(uint64_t first, size_t capacity)
    : first_(first),
      capacity_(capacity),
      end_(first),
      bytes_(new char[capacity]) {}

void OutputRing::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t offset = end_ % capacity_;
    const size_t piece = std::min(bytes.size(), capacity_ - offset);
    std::memcpy(bytes_.get() + offset, bytes.data(), piece);
    bytes.remove_prefix(piece);
    end_ += piece;
  }
}

uint64_t OutputRing::start() const {
  return end_ - first_ > capacity_ ? end_ - capacity_ : first_;
}

std::string OutputRing::Read(uint64_t from, size_t max) const {
  std::string read;
  if (from < start() || from >= end_) return read;
  size_t left = std::min<uint64_t>(max, end_ - from);
  read.reserve(left);
  while (left > 0) {
    const size_t offset = from % capacity_;
    const size_t piece = std::min(left, capacity_ - offset);
    read.append(bytes_.get() + offset, piece);
    from += piece;
    left -= piece;
  }
  return read;
}

}  // namespace carme::shell
