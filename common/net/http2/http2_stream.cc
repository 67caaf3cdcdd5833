#include "common/net/http2/http2_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace carme::net {

Http2Stream::Http2Stream(Http2Carrier& carrier, EventLoop& loop, int32_t id,
                         std::shared_ptr<void> keeps)
    : Stream(loop), keeps_(std::move(keeps)), carrier_(carrier), id_(id) {}

Http2Stream::~Http2Stream() {
  carrier_.RemoveStream(this);
  // The connection's window is shared.
  if (read_at_ < received_.size()) {
    carrier_.Consumed(0, received_.size() - read_at_);
  }
}

void Http2Stream::TakeData(std::string_view data) {
  received_.append(data);
  if (awaited()) carrier_.WakeSoon(this);
}

void Http2Stream::TakeEnd() {
  received_end_ = true;
  if (awaited()) carrier_.WakeSoon(this);
}

void Http2Stream::TakeClose() {
  closed_ = true;
  if (awaited()) carrier_.WakeSoon(this);
}

size_t Http2Stream::Give(uint8_t* to, size_t size, bool* end) {
  const size_t bytes = std::min(size, unsent().size() - given_);
  std::memcpy(to, unsent().data() + given_, bytes);
  given_ += bytes;
  const bool all = given_ == unsent().size();
  if (all) {
    std::string().swap(unsent());
    given_ = 0;
  }
  *end = all && end_wanted_;
  if (*end) end_given_ = true;
  if (all && awaited()) carrier_.WakeSoon(this);
  return bytes;
}

int64_t Http2Stream::Receive(char* data, size_t size) {
  const size_t bytes = std::min(size, received_.size() - read_at_);
  if (bytes == 0) {
    if (received_end_) return 0;
    return closed_ ? -ECONNRESET : kWait;
  }
  std::memcpy(data, received_.data() + read_at_, bytes);
  read_at_ += bytes;
  if (read_at_ == received_.size()) {
    std::string().swap(received_);
    read_at_ = 0;
  }
  carrier_.Consumed(closed_ ? 0 : id_, bytes);
  return static_cast<int64_t>(bytes);
}

int Http2Stream::Encode(std::string_view data) {
  if (closed_ || end_given_) return data.empty() ? 0 : EPIPE;
  unsent().append(data);
  return 0;
}

int Http2Stream::EncodeEnd() {
  end_wanted_ = true;
  return 0;
}

void Http2Stream::Flush() {
  if (!closed_) carrier_.SendFor(id_);
}

bool Http2Stream::AllSent() const {
  return closed_ || (unsent().empty() && end_wanted_ == end_given_);
}

}  // namespace carme::net
