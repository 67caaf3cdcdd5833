#include "tests/proxy/protocols/websocket_frames.h"

#include <zlib.h>

#include <cstdio>
#include <cstdlib>

namespace carme::testing {
namespace {

constexpr std::string_view kMask = "\x37\xfa\x21\x3d";
// A message's end, which does not travel (RFC 7692 section 7.2.1).
constexpr std::string_view kTail("\0\0\xff\xff", 4);

uint64_t NumberAt(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

std::string Number(uint64_t value, int size) {
  std::string bytes;
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
    bytes += static_cast<char>(value >> shift & 0xff);
  }
  return bytes;
}

Bytef* Input(std::string_view bytes) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

}  // namespace

std::string ClientFrame(int opcode, std::string_view payload, bool last,
                        int rsv) {
  std::string frame;
  frame += static_cast<char>((last ? 0x80 : 0) | rsv << 4 | opcode);
  const size_t size = payload.size();
  if (size < 126) {
    frame += static_cast<char>(0x80 | size);
  } else if (size < 65536) {
    frame += static_cast<char>(0x80 | 126);
    frame += Number(size, 2);
  } else {
    frame += static_cast<char>(0x80 | 127);
    frame += Number(size, 8);
  }
  frame += kMask;
  const size_t start = frame.size();
  frame += payload;
  for (size_t i = 0; i < size; ++i) {
    frame[start + i] = static_cast<char>(frame[start + i] ^ kMask[i % 4]);
  }
  return frame;
}

std::string CloseBody(int code, std::string_view reason) {
  return Number(static_cast<uint64_t>(code), 2) + std::string(reason);
}

struct ServerFrames::Inflater {
  z_stream stream{};
};

ServerFrames::ServerFrames(bool compressed, bool keeps_context)
    : keeps_context_(keeps_context) {
  if (!compressed) return;
  inflater_ = new Inflater;
  if (inflateInit2(&inflater_->stream, -15) != Z_OK) std::abort();
}

ServerFrames::~ServerFrames() {
  if (inflater_ != nullptr) inflateEnd(&inflater_->stream);
  delete inflater_;
}

std::string ServerFrames::Event(int opcode, std::string_view payload) {
  const char* const names[] = {"", "text", "binary"};
  const std::string name = opcode <= kBinary  ? names[opcode]
                           : opcode == kPong  ? "pong"
                           : opcode == kPing  ? "ping"
                           : opcode == kClose ? "close"
                                              : "unknown";
  if (opcode == kClose) {
    return name + (payload.size() < 2
                       ? ""
                       : " " + std::to_string(NumberAt(payload, 0, 2)));
  }
  char digest[16];
  std::snprintf(digest, sizeof digest, "%08lx",
                crc32(0, Input(payload), static_cast<uInt>(payload.size())));
  return name + " " + std::to_string(payload.size()) + " " + digest;
}

void ServerFrames::Take(std::string_view bytes) {
  held_ += bytes;
  while (TakeFrame()) {
  }
  held_.erase(0, at_);
  at_ = 0;
}

bool ServerFrames::TakeFrame() {
  const std::string_view left = std::string_view(held_).substr(at_);
  if (left.size() < 2 || closed_) return false;
  size_t size = static_cast<unsigned char>(left[1]) & 0x7f;
  const size_t more = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (left.size() < 2 + more) return false;
  if (more > 0) size = NumberAt(left, 2, more);
  if (left.size() - 2 - more < size) return false;
  const std::string_view payload = left.substr(2 + more, size);
  const int opcode = left[0] & 0x0f, rsv = left[0] >> 4 & 7;
  const bool last = (left[0] & 0x80) != 0, masked = (left[1] & 0x80) != 0;
  at_ += 2 + more + size;
  const bool starts = opcode == kText || opcode == kBinary;
  if (masked || (rsv != 0 && (rsv != kCompressed || inflater_ == nullptr))) {
    events_.emplace_back("broken");
    closed_ = true;
  } else if (opcode >= kClose) {
    events_.push_back(Event(opcode, payload));
    closed_ = opcode == kClose;
  } else {
    if (starts) {
      opcode_ = opcode;
      deflated_ = rsv == kCompressed;
      message_.clear();
    }
    message_ += payload;
    if (last) TakeMessage();
  }
  return true;
}

void ServerFrames::TakeMessage() {
  std::string message;
  if (deflated_) {
    message_ += kTail;
    z_stream& stream = inflater_->stream;
    if (!keeps_context_) inflateReset(&stream);
    stream.next_in = Input(message_);
    stream.avail_in = static_cast<uInt>(message_.size());
    char bytes[16384];
    do {
      stream.next_out = reinterpret_cast<Bytef*>(bytes);
      stream.avail_out = sizeof bytes;
      const int done = inflate(&stream, Z_SYNC_FLUSH);
      if (done != Z_OK && done != Z_BUF_ERROR && done != Z_STREAM_END) {
        events_.emplace_back("not inflated");
        return;
      }
      message.append(bytes, sizeof bytes - stream.avail_out);
    } while (stream.avail_out == 0);
  } else {
    message.swap(message_);
  }
  events_.push_back(Event(opcode_, message));
}

struct Deflater::State {
  z_stream stream{};
};

Deflater::Deflater(int window_bits, bool keeps_context)
    : state_(new State), keeps_context_(keeps_context) {
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                   -window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    std::abort();
  }
}

Deflater::~Deflater() {
  deflateEnd(&state_->stream);
  delete state_;
}

std::string Deflater::Deflate(std::string_view message) {
  z_stream& stream = state_->stream;
  if (!keeps_context_) deflateReset(&stream);
  stream.next_in = Input(message);
  stream.avail_in = static_cast<uInt>(message.size());
  std::string out;
  char bytes[16384];
  do {
    stream.next_out = reinterpret_cast<Bytef*>(bytes);
    stream.avail_out = sizeof bytes;
    deflate(&stream, Z_SYNC_FLUSH);
    out.append(bytes, sizeof bytes - stream.avail_out);
  } while (stream.avail_out == 0);
  out.resize(out.size() - kTail.size());
  return out;
}

}  // namespace carme::testing
