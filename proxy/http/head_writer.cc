#include "proxy/http/head_writer.h"

#include "common/http1/value_escaping.h"
#include "proxy/http/cookies.h"

namespace carme::proxy {
namespace {

// Space for the proxy's own fields; more only costs a reallocation.
constexpr size_t kOwnFieldsBytes = 384;

void AppendField(std::string_view name, std::string_view value,
                 std::string* out) {
  out->append(name).append(": ").append(value).append("\r\n");
}

// Appends fields. Fields that are adjacent in the input, the usual case, are
// copied at once. Call Finish() at the end.
class FieldCopier {
 public:
  explicit FieldCopier(std::string* out) : out_(out) {}
  FieldCopier(const FieldCopier&) = delete;
  FieldCopier& operator=(const FieldCopier&) = delete;

  void Append(const Field& field) {
    if (!field.line.empty() && field.line.data() == run_.data() + run_.size()) {
      run_ = {run_.data(), run_.size() + field.line.size()};
      return;
    }
    Finish();
    if (field.line.empty()) return AppendField(field.name, field.value, out_);
    run_ = field.line;
  }
  // Call it before anything else is appended.
  void Finish() {
    out_->append(run_);
    run_ = {};
  }

 private:
  std::string* const out_;
  std::string_view run_;
};

// The frontend's server library decodes values (common/http1/value_escaping.h)
// and applies ranges, without limit, to responses of its own.
void AppendPortalField(const Field& field, FieldCopier* copier,
                       std::string* out) {
  if (field.id == FieldId::kRange) return;
  const bool escapes = field.value.find('%') != std::string_view::npos;
  if (!escapes && field.id != FieldId::kCookie) return copier->Append(field);
  copier->Finish();
  std::string value;
  AppendEscaped(field.value, &value);
  if (field.id == FieldId::kCookie) {
    AppendPortalCookies(value, out);
  } else {
    AppendField(field.name, value, out);
  }
}

void AppendFraming(const Head& head, const BodyFraming& body,
                   std::string* out) {
  if (body.kind == BodyKind::kChunked || body.kind == BodyKind::kUntilClose) {
    out->append("Transfer-Encoding: chunked\r\n");
  } else if (head.has_length) {
    // Also for a zero length, and for the response to HEAD.
    AppendField("Content-Length", std::to_string(head.length), out);
  }
}

}  // namespace

bool MayPassToClient(const Field& field, UpstreamKind upstream_kind) {
  switch (field.id) {
    case FieldId::kConnection:
    case FieldId::kContentLength:
    case FieldId::kTransferEncoding:
    case FieldId::kUpgrade:
    case FieldId::kHopByHop:
      return false;
    case FieldId::kStrictTransportSecurity:  // the proxy sends its own
      return false;
    case FieldId::kAltSvc:
    case FieldId::kClearSiteData:
      return upstream_kind == UpstreamKind::kPortal;
    case FieldId::kSetCookie:
      return upstream_kind == UpstreamKind::kPortal ||
             MayJobSetCookie(field.value);
    default:
      return true;
  }
}

void AppendRequest(const RequestHead& head, UpstreamKind upstream_kind,
                   const RequestContext& facts, std::string* out) {
  out->reserve(out->size() + head.bytes + kOwnFieldsBytes);
  out->append(head.method).append(" ");
  out->append(head.target.substr(facts.prefix.size()));
  out->append(" HTTP/1.1\r\nHost: ").append(head.host).append("\r\n");
  FieldCopier copier(out);
  for (const Field& field : head.fields) {
    switch (field.id) {
      case FieldId::kHost:
      case FieldId::kConnection:
      case FieldId::kContentLength:
      case FieldId::kTransferEncoding:
      case FieldId::kUpgrade:
      case FieldId::kHopByHop:
      case FieldId::kProxyOnly:
      case FieldId::kUnderscored:
      case FieldId::kExpect:  // handled by the proxy
      case FieldId::kTraceparent:
        break;
      case FieldId::kTracestate:
        if (!facts.keeps_tracestate) break;
        [[fallthrough]];
      default:
        if (facts.unencoded &&
            EqualsIgnoreCase(field.name, "accept-encoding")) {
          break;
        }
        if (upstream_kind == UpstreamKind::kPortal) {
          AppendPortalField(field, &copier, out);
        } else if (field.id == FieldId::kCookie) {
          copier.Finish();
          AppendJobCookies(field.value, out);
        } else {
          copier.Append(field);
        }
    }
  }
  copier.Finish();
  if (!facts.whole_body) AppendFraming(head, head.body, out);
  // Adjacent constant text is appended in one call.
  out->append("X-Forwarded-For: ").append(facts.client_address);
  out->append("\r\nX-Forwarded-Proto: https\r\nX-Request-Id: ");
  out->append(facts.request_id);
  if (!facts.traceparent.empty()) {
    out->append("\r\nTraceparent: ").append(facts.traceparent);
  }
  if (upstream_kind == UpstreamKind::kJob) {
    // Jupyter (trust_xheaders) reads X-Scheme, code-server X-Forwarded-Host.
    out->append("\r\nX-Scheme: https\r\nX-Forwarded-Host: ");
    out->append(head.host);
    if (!facts.prefix.empty()) {
      out->append("\r\nX-Forwarded-Prefix: ").append(facts.prefix);
    }
  } else {
    out->append("\r\n").append(kEscapeProbe);
    out->append(": ").append(kEscapedPercent);
  }
  out->append("\r\n");
  // The frontend has no websockets.
  if (head.opens_websocket && upstream_kind == UpstreamKind::kJob) {
    out->append("Connection: Upgrade\r\nUpgrade: websocket\r\n");
  }
  out->append("\r\n");
}

void AttachBody(std::string_view body, std::string* request) {
  request->resize(request->size() - 2);  // the empty line of the head
  AppendField("Content-Length", std::to_string(body.size()), request);
  request->append("\r\n").append(body);
}

void AppendResponse(const ResponseHead& head, UpstreamKind upstream_kind,
                    const BodyFraming& body, bool close, std::string* out) {
  out->append("HTTP/1.1 ").append(std::to_string(head.status)).append(" ");
  out->append(head.reason).append("\r\n");
  FieldCopier copier(out);
  for (const Field& field : head.fields) {
    if (MayPassToClient(field, upstream_kind)) copier.Append(field);
  }
  copier.Finish();
  if (head.status == 101) {
    out->append("Connection: Upgrade\r\nUpgrade: websocket\r\n");
  } else {
    // RFC 9112 section 6.1: not in responses that cannot have a body.
    if (head.status != 204) AppendFraming(head, body, out);
    if (close) out->append("Connection: close\r\n");
  }
  out->append("\r\n");
}

}  // namespace carme::proxy
