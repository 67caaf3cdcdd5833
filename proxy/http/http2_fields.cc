#include "proxy/http/http2_fields.h"

#include "proxy/http/trailers.h"

namespace carme::proxy {

void Http2Fields::Add(std::string_view name, std::string_view value) {
  for (char c : name) {
    bytes_ += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  }
  bytes_ += value;
  sizes_.push_back({name.size(), value.size()});
}

const std::vector<nghttp2_nv>& Http2Fields::List() {
  list_.clear();
  auto* at = reinterpret_cast<uint8_t*>(bytes_.data());
  for (const Size& size : sizes_) {
    list_.push_back({at, at + size.name_bytes, size.name_bytes,
                     size.value_bytes, NGHTTP2_NV_FLAG_NONE});
    at += size.name_bytes + size.value_bytes;
  }
  return list_;
}

Http2Fields Http2Response(const ResponseHead& head, UpstreamKind upstream_kind,
                          const BodyFraming& body) {
  const bool websocket = head.status == 101;
  Http2Fields fields;
  fields.Add(":status", std::to_string(websocket ? 200 : head.status));
  for (const Field& field : head.fields) {
    if (!MayPassToClient(field, upstream_kind)) continue;
    if (field.id == FieldId::kSecWebSocketAccept) continue;
    fields.Add(field.name, field.value);
  }
  const bool counted = body.kind == BodyKind::kNone ||  //
                       body.kind == BodyKind::kLength;
  if (!websocket && head.status != 204 && counted && head.has_length) {
    fields.Add("content-length", std::to_string(head.length));
  }
  return fields;
}

Http2Fields Http2Trailers(std::string_view lines) {
  Http2Fields fields;
  ForEachTrailer(lines, [&](std::string_view name, std::string_view value) {
    fields.Add(name, value);
  });
  return fields;
}

}  // namespace carme::proxy
