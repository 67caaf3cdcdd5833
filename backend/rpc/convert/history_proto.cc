#include "backend/rpc/convert/history_proto.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/convert/messages.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/protobuf/text_code.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxReasonBytes = 1000;  // bytes

bool IsEnd(int number) {
  return number > static_cast<int>(v1::JOB_END_UNSPECIFIED) &&
         v1::JobEnd_IsValid(number);
}

}  // namespace

absl::Time TimeOf(const google::protobuf::Timestamp& message) {
  return absl::FromUnixSeconds(message.seconds()) +
         absl::Nanoseconds(message.nanos());
}

Whose ScopeOf(v1::HistoryScope scope) {
  return scope == v1::HISTORY_SCOPE_UNSPECIFIED ? v1::HISTORY_SCOPE_MINE
                                                : scope;
}

absl::StatusOr<HistoryFilter> FilterOf(const v1::HistoryFilter& message) {
  HistoryFilter filter{.whose = ScopeOf(message.scope()),
                       .project = message.project(),
                       .username = message.username(),
                       .search = message.search(),
                       .ends = {},
                       .gpu_type = message.gpu_type()};
  for (const int end : message.ends()) {
    if (!IsEnd(end)) {
      return MakeError(rpc_convert_messages::kHistoryEndInvalid);
    }
    filter.ends.push_back(static_cast<JobEnd>(end));
  }
  if (message.has_from()) filter.from = TimeOf(message.from());
  if (message.has_to()) filter.to = TimeOf(message.to());
  return filter;
}

absl::StatusOr<std::optional<HistoryPlace>> PlaceOf(const std::string& token) {
  if (token.empty()) return std::nullopt;
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(token, absl::MaxSplits('.', 1));
  int64_t micros = 0;
  if (!absl::SimpleAtoi(parts.first, &micros) || !IsJobId(parts.second)) {
    return MakeError(rpc_convert_messages::kHistoryPageTokenInvalid);
  }
  return HistoryPlace{.ended_at = absl::FromUnixMicros(micros),
                      .id = JobId(parts.second)};
}

std::string TokenOf(const std::optional<HistoryPlace>& place) {
  if (!place) return "";
  return absl::StrCat(absl::ToUnixMicros(place->ended_at), ".",
                      place->id.value());
}

void Fill(const HistoryEntry& entry, v1::HistoryJob* message) {
  message->set_id(entry.id.value());
  message->set_username(entry.owner);
  Fill(entry.spec, message->mutable_spec());
  message->set_end(entry.end);
  message->set_reason(Readable(entry.reason.text, kMaxReasonBytes));
  FillTextCode(entry.reason, &v1::HistoryJob::mutable_reason_code, message);
  message->set_exit_code(entry.exit_code);
  message->set_slurm_job_id(entry.slurm_id.value());
  *message->mutable_nodes() = {entry.nodes.begin(), entry.nodes.end()};
  Fill(entry.created_at, message->mutable_created_at());
  if (entry.started_at) {
    Fill(*entry.started_at, message->mutable_started_at());
  }
  Fill(entry.ended_at, message->mutable_ended_at());
  message->set_gpu_type(entry.gpu_type);
  message->set_gpu_seconds(entry.gpu_seconds);
  message->set_cpu_seconds(entry.cpu_seconds);
  message->set_accounted(entry.accounted);
  message->set_account(entry.account);
}

void Fill(const UsageSum& sum, v1::UsageRow* message) {
  message->set_key(sum.key);
  message->set_jobs(sum.jobs);
  message->set_gpu_seconds(std::llround(sum.gpu_seconds));
  message->set_cpu_seconds(std::llround(sum.cpu_seconds));
  message->set_accounted_jobs(sum.accounted_jobs);
}

void Fill(const History::Health& health, v1::Accounting* message) {
  message->set_state(health.state);
  if (health.since) Fill(*health.since, message->mutable_since());
}

}  // namespace carme::backend
