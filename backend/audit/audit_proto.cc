#include "backend/audit/audit_proto.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>

#include "backend/audit/messages.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

using google::protobuf::util::TimeUtil;

constexpr size_t kMaxBytes = 1024;  // of a text; ours are shorter
// The range of a Timestamp: the years 1 to 9999.
constexpr int64_t kFirstMicrosecond = TimeUtil::kTimestampMinSeconds * 1000000;
constexpr int64_t kLastMicrosecond = TimeUtil::kTimestampMaxSeconds * 1000000;
constexpr size_t kMaxFilterBytes = 128;

std::string Shown(const std::string& text) { return Readable(text, kMaxBytes); }

absl::Status ReadTime(const char* name, const google::protobuf::Timestamp& time,
                      int64_t* micros) {
  if (time.seconds() < TimeUtil::kTimestampMinSeconds ||
      time.seconds() > TimeUtil::kTimestampMaxSeconds || time.nanos() < 0 ||
      time.nanos() >= 1'000'000'000) {
    return MakeError(audit_messages::kFilterTimeInvalid,
                     {{"field", name}, {"found", time.seconds()}});
  }
  *micros = TimeUtil::TimestampToMicroseconds(time);
  return absl::OkStatus();
}

absl::Status ReadText(const char* name, const std::string& text,
                      std::string* out) {
  if (text.size() > kMaxFilterBytes) {
    return MakeError(
        audit_messages::kFilterTooLong,
        {{"field", name}, {"bytes", text.size()}, {"max", kMaxFilterBytes}});
  }
  *out = text;
  return absl::OkStatus();
}

}  // namespace

void Fill(const AuditEntry& entry, v1::AuditEntry* proto) {
  proto->set_sequence(entry.sequence);
  *proto->mutable_at() = TimeUtil::MicrosecondsToTimestamp(
      std::clamp(entry.at, kFirstMicrosecond, kLastMicrosecond));
  proto->set_act(Shown(entry.act));
  proto->set_actor(Shown(entry.actor));
  proto->set_actor_uid(static_cast<uint32_t>(entry.actor_uid));
  proto->set_subject(Shown(entry.subject));
  proto->set_decision(Shown(entry.decision));
  proto->set_result(Shown(entry.result));
  proto->set_source(Shown(entry.source));
  proto->set_machine(Shown(entry.machine));
  proto->set_request_id(Shown(entry.request_id));
  proto->set_session_id(Shown(entry.session_id));
  proto->set_hash(entry.hash.substr(0, ChainStart().size()));
}

absl::StatusOr<AuditFilter> FilterOf(const v1::AuditFilter& proto) {
  AuditFilter filter;
  if (proto.has_since()) {
    RETURN_IF_ERROR(ReadTime("since", proto.since(), &filter.since));
  }
  if (proto.has_until()) {
    RETURN_IF_ERROR(ReadTime("until", proto.until(), &filter.until));
  }
  if (filter.since >= filter.until) {
    return MakeError(audit_messages::kFilterPeriodInvalid);
  }
  RETURN_IF_ERROR(ReadText("actor", proto.actor(), &filter.actor));
  RETURN_IF_ERROR(ReadText("act", proto.act(), &filter.act));
  RETURN_IF_ERROR(ReadText("text", proto.text(), &filter.text));
  filter.decision = proto.decision();
  if (!filter.decision.empty() && filter.decision != "allow" &&
      filter.decision != "refuse") {
    return MakeError(audit_messages::kFilterDecisionInvalid,
                     {{"decision", Readable(filter.decision, 32)}});
  }
  return filter;
}

std::string JsonLine(const AuditEntry& entry) {
  v1::AuditEntry proto;
  Fill(entry, &proto);
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;  // a column for each
  std::string line;
  // Cannot fail: the time is valid and the texts are UTF-8.
  static_cast<void>(
      google::protobuf::util::MessageToJsonString(proto, &line, options));
  return line;
}

absl::StatusOr<AuditEntry> EntryOfLine(const std::string& line) {
  v1::AuditEntry proto;
  if (!google::protobuf::util::JsonStringToMessage(line, &proto).ok()) {
    return MakeError(audit_messages::kEntryNotJson);
  }
  return AuditEntry{.sequence = proto.sequence(),
                    .at = TimeUtil::TimestampToMicroseconds(proto.at()),
                    .act = proto.act(),
                    .actor = proto.actor(),
                    .actor_uid = proto.actor_uid(),
                    .subject = proto.subject(),
                    .decision = proto.decision(),
                    .result = proto.result(),
                    .source = proto.source(),
                    .machine = proto.machine(),
                    .request_id = proto.request_id(),
                    .session_id = proto.session_id(),
                    .hash = proto.hash()};
}

}  // namespace carme::backend
