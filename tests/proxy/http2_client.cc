#include "tests/proxy/http2_client.h"

#include <algorithm>
#include <cstdlib>

namespace carme::testing {
namespace {

constexpr size_t kFrameHead = 9;
constexpr size_t kMostPayload = 16384;
constexpr char kSync[] = "in sync?";

uint32_t NumberAt(std::string_view bytes, size_t at, size_t size) {
  uint32_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

TlsClient::Options WithAlpn(TlsClient::Options options) {
  options.alpn = "h2";
  return options;
}

}  // namespace

std::string Http2Answer::Value(const std::string& name) const {
  for (const auto& [has, value] : fields) {
    if (has == name) return value;
  }
  return "";
}

std::string Http2Client::Number(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(value >> shift & 0xff);
  }
  return bytes;
}

std::string Http2Client::Frame(uint8_t type, uint8_t flags, int32_t id,
                               std::string_view payload) {
  std::string frame = Number(static_cast<uint32_t>(payload.size())).substr(1);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  return frame + Number(static_cast<uint32_t>(id)) + std::string(payload);
}

Http2Client::Http2Client(int port, TlsClient::Options tls, Options options)
    : options_(options), tls_(port, WithAlpn(std::move(tls))) {
  nghttp2_hd_deflate_new(&deflater_, 4096);
  nghttp2_hd_inflate_new(&inflater_);
  if (!connected() || !options.greets) return;
  // SETTINGS_INITIAL_WINDOW_SIZE.
  SendRaw(NGHTTP2_CLIENT_MAGIC +
          Frame(NGHTTP2_SETTINGS, 0, 0,
                std::string("\0\4", 2) + Number(options.window)));
}

Http2Client::~Http2Client() {
  nghttp2_hd_deflate_del(deflater_);
  nghttp2_hd_inflate_del(inflater_);
}

std::string Http2Client::Compress(const Http2List& fields) {
  std::vector<nghttp2_nv> list;
  for (const auto& [name, value] : fields) {
    list.push_back({reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
                    reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())),
                    name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  std::string block(
      nghttp2_hd_deflate_bound(deflater_, list.data(), list.size()), '\0');
  const ssize_t size =
      nghttp2_hd_deflate_hd(deflater_, reinterpret_cast<uint8_t*>(block.data()),
                            block.size(), list.data(), list.size());
  block.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return block;
}

int32_t Http2Client::Open(const Http2List& fields, bool ends) {
  const int32_t id = next_id_;
  next_id_ += 2;
  answers_[id].window = first_window_;
  const std::string block = Compress(fields);
  const uint8_t end = ends ? NGHTTP2_FLAG_END_STREAM : 0;
  std::string frames;
  for (size_t at = 0; at == 0 || at < block.size(); at += kMostPayload) {
    const bool last = at + kMostPayload >= block.size();
    frames += Frame(at == 0 ? NGHTTP2_HEADERS : NGHTTP2_CONTINUATION,
                    static_cast<uint8_t>((at == 0 ? end : 0) |
                                         (last ? NGHTTP2_FLAG_END_HEADERS : 0)),
                    id, std::string_view(block).substr(at, kMostPayload));
  }
  SendRaw(frames);
  return id;
}

size_t Http2Client::SendSome(int32_t id, std::string_view data) {
  Http2Answer& answer = answers_[id];
  size_t sent = 0;
  while (sent < data.size()) {
    const int64_t allowed = std::min(window_, answer.window);
    if (allowed <= 0) break;
    const size_t size = std::min(
        {data.size() - sent, kMostPayload, static_cast<size_t>(allowed)});
    if (!Send(NGHTTP2_DATA, 0, id, data.substr(sent, size))) break;
    sent += size;
    window_ -= static_cast<int64_t>(size);
    answer.window -= static_cast<int64_t>(size);
  }
  return sent;
}

bool Http2Client::SendBody(int32_t id, std::string_view data, bool ends) {
  Http2Answer& answer = answers_[id];
  while (!data.empty()) {
    data.remove_prefix(SendSome(id, data));
    if (data.empty()) break;
    if (!ReadUntil([&] {
          return answer.reset || std::min(window_, answer.window) > 0;
        })) {
      return false;
    }
    if (answer.reset) return false;
  }
  return !ends || Send(NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, id, "");
}

bool Http2Client::SendTrailers(int32_t id, const Http2List& fields) {
  return Send(NGHTTP2_HEADERS,
              NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, id,
              Compress(fields));
}

void Http2Client::AllowMore(int32_t id, uint32_t bytes) {
  Send(NGHTTP2_WINDOW_UPDATE, 0, id, Number(bytes));
}

bool Http2Client::Sync() {
  const int before = pongs_;
  Send(NGHTTP2_PING, 0, 0, kSync);
  return ReadUntil([&] { return pongs_ > before; });
}

bool Http2Client::ReadUntil(const std::function<bool()>& predicate) {
  while (!predicate()) {
    if (!ReadFrame()) return false;
  }
  return true;
}

const Http2Answer& Http2Client::Await(int32_t id) {
  Http2Answer& answer = answers_[id];
  ReadUntil([&] { return answer.ended || answer.reset; });
  return answer;
}

std::optional<uint32_t> Http2Client::AwaitEnd() {
  while (ReadFrame()) {
  }
  return goaway_;
}

bool Http2Client::ReadFrame() {
  const std::string head = tls_.Read(kFrameHead);
  if (head.size() < kFrameHead) return false;
  const size_t size = NumberAt(head, 0, 3);
  const auto type = static_cast<uint8_t>(head[3]);
  const auto flags = static_cast<uint8_t>(head[4]);
  const auto id = static_cast<int32_t>(NumberAt(head, 5, 4));
  const std::string payload = tls_.Read(size);
  if (payload.size() < size) return false;
  switch (type) {
    case NGHTTP2_DATA:
      TakeData(id, flags, payload);
      break;
    case NGHTTP2_HEADERS:
      TakeHeaders(id, flags, payload);
      break;
    case NGHTTP2_RST_STREAM:
      answers_[id].reset = NumberAt(payload, 0, 4);
      break;
    case NGHTTP2_SETTINGS:
      TakeSettings(flags, payload);
      break;
    case NGHTTP2_PING:
      if ((flags & NGHTTP2_FLAG_ACK) != 0 && payload == kSync) ++pongs_;
      break;
    case NGHTTP2_GOAWAY:
      goaway_ = NumberAt(payload, 4, 4);
      break;
    case NGHTTP2_WINDOW_UPDATE:
      (id == 0 ? window_ : answers_[id].window) += NumberAt(payload, 0, 4);
      break;
    default:
      break;
  }
  return true;
}

void Http2Client::TakeData(int32_t id, uint8_t flags,
                           std::string_view payload) {
  Http2Answer& answer = answers_[id];
  answer.body += payload;
  answer.ended = (flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (!options_.reads_on || payload.empty()) return;
  const auto bytes = static_cast<uint32_t>(payload.size());
  AllowMore(0, bytes);
  if (!answer.ended) AllowMore(id, bytes);
}

void Http2Client::TakeSettings(uint8_t flags, std::string_view payload) {
  if ((flags & NGHTTP2_FLAG_ACK) != 0) return;
  for (size_t at = 0; at + 6 <= payload.size(); at += 6) {
    const auto id = static_cast<uint16_t>(NumberAt(payload, at, 2));
    settings_[id] = NumberAt(payload, at + 2, 4);
    if (id != NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE) continue;
    const int64_t more = int64_t{settings_[id]} - first_window_;
    first_window_ += more;
    for (auto& [stream, answer] : answers_) answer.window += more;
  }
  Send(NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0, "");
}

// The proxy's heads fit into one frame: the tests' are short.
void Http2Client::TakeHeaders(int32_t id, uint8_t flags,
                              std::string_view block) {
  Http2Answer& answer = answers_[id];
  Http2List fields;
  auto* at = reinterpret_cast<const uint8_t*>(block.data());
  size_t left = block.size();
  for (;;) {
    nghttp2_nv field;
    int state = 0;
    const ssize_t used =
        nghttp2_hd_inflate_hd2(inflater_, &field, &state, at, left, 1);
    if (used < 0) return;
    at += used;
    left -= static_cast<size_t>(used);
    if ((state & NGHTTP2_HD_INFLATE_EMIT) != 0) {
      fields.emplace_back(
          std::string(reinterpret_cast<char*>(field.name), field.namelen),
          std::string(reinterpret_cast<char*>(field.value), field.valuelen));
    }
    if ((state & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
    if (left == 0 && (state & NGHTTP2_HD_INFLATE_EMIT) == 0) break;
  }
  nghttp2_hd_inflate_end_headers(inflater_);
  answer.ended = (flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (answer.status != 0) {
    answer.trailers = std::move(fields);
    return;
  }
  const int status = fields.empty() || fields[0].first != ":status"
                         ? -1
                         : std::atoi(fields[0].second.c_str());
  if (status >= 100 && status < 200) {
    answer.interim = status;
    return;
  }
  answer.status = status;
  answer.fields = std::move(fields);
}

}  // namespace carme::testing
