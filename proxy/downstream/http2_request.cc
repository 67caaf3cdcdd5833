#include "proxy/downstream/http2_request.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <utility>

#include "common/ids.h"
#include "common/random.h"
#include "proxy/http/trailers.h"
#include "proxy/local_reply/api_error.h"
#include "proxy/local_reply/local_reply.h"

namespace carme::proxy {
namespace {

constexpr size_t kMaxTrailerBytes = 4096;
constexpr size_t kWebsocketKeyBytes = 16;
// RFC 6455 section 1.3.
constexpr char kWebsocketGuid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

std::string Base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

std::string WebsocketAccept(const std::string& key) {
  const std::string text = key + kWebsocketGuid;
  unsigned char digest[SHA_DIGEST_LENGTH];
  SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       digest);
  return Base64({reinterpret_cast<const char*>(digest), sizeof digest});
}

}  // namespace

Http2Request::Http2Request(LoopState& state, RequestRouter& router,
                           net::Http2Carrier& carrier, nghttp2_session* session,
                           int32_t id)
    : DownstreamCodec(body_),
      Timer(state.loop().timers()),
      state_(state),
      router_(router),
      session_(session),
      body_(carrier, state.loop(), id),
      head_(state.head_limits().max_bytes, &state.shared().hosts) {}

Http2Request::~Http2Request() = default;

void Http2Request::AddTrailer(std::string_view name, std::string_view value) {
  // Dropped where HTTP/1.1 would reject them: trailers are optional.
  if (trailers_.size() + name.size() + value.size() > kMaxTrailerBytes) return;
  if (!IsAllowedTrailer(name, value)) return;
  trailers_.append(name).append(": ").append(value).append("\r\n");
}

void Http2Request::SubmitTrailers() {
  const auto& list = answer_trailers_.List();
  nghttp2_submit_trailer(session_, body_.id(), list.data(), list.size());
}

void Http2Request::Abort() {
  if (forwarder_ != nullptr) return forwarder_->Abort();
  body_.Cancel();
}

void Http2Request::OnDeadline() {
  const absl::Time expires =
      forwarder_ != nullptr ? forwarder_->expires() : absl::InfinitePast();
  const absl::Duration left = expires - state_.shared().clock.Now();
  // The clock was set back.
  if (left > absl::ZeroDuration()) {
    return ArmTimer(absl::ToInt64Milliseconds(left));
  }
  Abort();
}

void Http2Request::AppendHeadRejection(int status, const char* error) {
  const std::string request_id = NewRequestId();
  Rejection refusal{.status = status, .error = error, .request_id = request_id};
  refusal.api = IsApiTarget(head_.path());
  const HostMatch host =
      state_.shared().hosts.Match(head_.authority(), head_.path());
  refusal.clear_cookies = status == 431 && head_.is_mostly_cookies() &&
                          host.kind != HostKind::kUnknown;
  AppendRejection(refusal, &state_.out());
}

RouteResult Http2Request::Route(bool body_follows) {
  std::string text, key;
  const bool websocket = head_.opens_websocket();
  if (websocket) key = Base64(RandomBytes(kWebsocketKeyBytes));
  std::string& out = state_.out();
  out.clear();
  if (!head_.Write(body_follows, key, &text)) {
    state_.counters().refused_requests.Add();
    AppendHeadRejection(head_.status(), head_.error());
    return {};
  }
  const ScanResult scan =
      ScanRequest(text, state_.head_limits(), &state_.request());
  if (scan.state != ScanState::kDone) {
    state_.counters().refused_requests.Add();
    AppendHeadRejection(scan.state == ScanState::kRefused ? scan.status : 400,
                        scan.error);
    return {};
  }
  RouteResult result = router_.Route(state_.request(), NewRequestId(), false);
  auto* request = std::get_if<ForwardRequest>(&result);
  if (request == nullptr) return result;
  if (websocket) request->websocket_accept = WebsocketAccept(key);
  // The upstream gets chunks; here the client's frames end the body.
  if (request->body.kind == BodyKind::kChunked) {
    request->body.kind = BodyKind::kUntilClose;
  }
  return result;
}

net::Task<void> Http2Request::Run(bool body_follows) {
  started_ = true;
  RouteResult result = Route(body_follows);
  head_.Clear();
  if (auto* request = std::get_if<ForwardRequest>(&result)) {
    if (request->access != nullptr) {
      ArmTimer(absl::ToInt64Milliseconds(request->access->expires -
                                         state_.shared().clock.Now()));
    }
    Forwarder forwarder(state_, *this, std::move(*request));
    forwarder_ = &forwarder;
    co_await forwarder.Run();
    forwarder_ = nullptr;
    DisarmTimer();
  } else {
    if (auto* redemption = std::get_if<TicketRedemption>(&result)) {
      co_await AnswerTicket(state_, *redemption);
      if (body_.cut() || body_.closed()) co_return;
    }
    FormatLocalReply(&state_.out());
    body_.ExpireAfter(state_.shared().limits.request_header_timeout);
    net::IoResult written = co_await body_.Write(state_.out());
    if (written.error != 0) body_.Cancel();
  }
  if (body_.cut() || body_.closed()) co_return;
  net::IoResult finished = co_await body_.Finish();
  if (finished.error != 0) body_.Cancel();
}

void Http2Request::AppendContinue(std::string*) {
  Http2Fields fields;
  fields.Add(":status", "100");
  const auto& list = fields.List();
  nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, body_.id(), nullptr,
                         list.data(), list.size(), nullptr);
}

void Http2Request::AppendHead(const ResponseHead& head,
                              UpstreamKind upstream_kind,
                              const BodyFraming& body, bool, std::string*) {
  Http2Fields fields = Http2Response(head, upstream_kind, body);
  const auto& list = fields.List();
  tunnel_ = head.status == 101;
  const bool ends = !tunnel_ && body.kind == BodyKind::kNone;
  if (ends) body_.EndWithHead();
  // The callback finds the request by the stream's user data.
  nghttp2_data_provider data{};
  data.read_callback = [](nghttp2_session* session, int32_t id, uint8_t* to,
                          size_t size, uint32_t* flags, nghttp2_data_source*,
                          void*) -> ssize_t {
    auto* request = static_cast<Http2Request*>(
        nghttp2_session_get_stream_user_data(session, id));
    if (request == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    bool end = false;
    const size_t given = request->body().Give(to, size, &end);
    if (end) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (request->has_trailers()) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        request->SubmitTrailers();
      }
    } else if (given == 0) {
      return NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<ssize_t>(given);
  };
  nghttp2_submit_response(session_, body_.id(), list.data(), list.size(),
                          ends ? nullptr : &data);
}

void Http2Request::AppendEnd(bool, std::string_view trailers, std::string*) {
  if (!body_.ended()) answer_trailers_ = Http2Trailers(trailers);
  body_.EndWithNext();
}

void Http2Request::FormatLocalReply(std::string* out) {
  ResponseHead head;
  const ScanResult scan = ScanResponse(*out, HeadLimits(), &head);
  const bool body = out->size() > scan.head_bytes;
  const BodyKind kind = body ? BodyKind::kLength : BodyKind::kNone;
  AppendHead(head, UpstreamKind::kPortal, {kind, head.length}, false, out);
  out->erase(0, scan.head_bytes);
  AppendEnd(false, "", out);
}

}  // namespace carme::proxy
