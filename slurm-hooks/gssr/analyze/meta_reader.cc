#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "slurm-hooks/gssr/analyze/messages.h"
#include "slurm-hooks/gssr/analyze/recordings.h"

namespace carme::gssr {
namespace {

constexpr char kArguments[] = "\"arguments\":";
constexpr double kMaxSeconds = 1e11;  // some 3000 years

// 2.0 wrote the arguments as text whose quotes and line ends are not escaped.
// They are the last member, so all up to the last quote is theirs.
std::optional<std::string> TakeBrokenArguments(std::string* json) {
  const size_t start = json->find(kArguments);
  if (start == std::string::npos) return std::nullopt;
  const size_t open =
      json->find_first_not_of(" \t", start + sizeof kArguments - 1);
  const size_t close = json->rfind('"');
  if (open == std::string::npos || (*json)[open] != '"' || close <= open) {
    return std::nullopt;
  }
  const std::string arguments = json->substr(open + 1, close - open - 1);
  json->replace(open, close - open + 1, "\"\"");
  return arguments;
}

}  // namespace

std::optional<absl::Time> ParseRecordedTime(std::string_view text) {
  const absl::string_view view(text.data(), text.size());
  double seconds = 0;
  if (absl::SimpleAtod(view, &seconds)) {
    if (!(seconds > 0 && seconds < kMaxSeconds)) return std::nullopt;
    return absl::UnixEpoch() + absl::Seconds(seconds);
  }
  for (const char* const format :
       {"%Y-%m-%dT%H:%M:%E*S%Ez", "%Y-%m-%dT%H:%M:%E*S",
        "%Y-%m-%d %H:%M:%E*S%Ez", "%Y-%m-%d %H:%M:%E*S"}) {
    absl::Time time;
    if (absl::ParseTime(format, view, &time, nullptr)) return time;
  }
  return std::nullopt;
}

absl::StatusOr<RecordingMeta> ParseMeta(std::string_view text) {
  std::string json(text);
  const auto broken = TakeBrokenArguments(&json);
  google::protobuf::Struct root;
  if (!google::protobuf::util::JsonStringToMessage(json, &root).ok()) {
    return MakePlainError(gssr_analyze_messages::kInvalidFile,
                          {{"error", "it is not valid JSON"}});
  }
  const auto text_of = [&](const char* name) -> std::string {
    const auto found = root.fields().find(name);
    if (found == root.fields().end()) return "";
    return found->second.string_value();
  };
  RecordingMeta meta{.job_id = text_of("jobid"),
                     .job_name = text_of("jobname"),
                     .command = text_of("executable"),
                     .started = ParseRecordedTime(text_of("date"))};
  if (broken) {
    absl::StrAppend(&meta.command, " ", absl::StripAsciiWhitespace(*broken));
  } else if (const auto found = root.fields().find("arguments");
             found != root.fields().end()) {
    for (const auto& value : found->second.list_value().values()) {
      absl::StrAppend(&meta.command, " ", value.string_value());
    }
  }
  return meta;
}

absl::StatusOr<RecordingSource> ParseSource(std::string_view text) {
  google::protobuf::Struct root;
  if (!google::protobuf::util::JsonStringToMessage(std::string(text), &root)
           .ok()) {
    return MakePlainError(gssr_analyze_messages::kInvalidFile,
                          {{"error", "it is not valid JSON"}});
  }
  RecordingSource source;
  if (const auto found = root.fields().find("driver");
      found != root.fields().end()) {
    source.driver = found->second.string_value();
  }
  const auto gpus = root.fields().find("gpus");
  if (gpus == root.fields().end()) return source;
  for (const auto& gpu : gpus->second.list_value().values()) {
    const auto& fields = gpu.struct_value().fields();
    const auto id = fields.find("gpuId");
    const auto limit = fields.find("power_limit_w");
    if (id == fields.end() || limit == fields.end() ||
        limit->second.kind_case() != google::protobuf::Value::kNumberValue) {
      continue;
    }
    source.power_limits_w[absl::StrCat(id->second.number_value())] =
        limit->second.number_value();
  }
  return source;
}

}  // namespace carme::gssr
