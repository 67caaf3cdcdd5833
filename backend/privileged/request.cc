#include "backend/privileged/request.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/privileged/array_text.h"
#include "backend/privileged/frame_io.h"
#include "common/ids.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Cancel;
using privileged::v1::Extend;
using privileged::v1::ReadLog;
using privileged::v1::Request;
using privileged::v1::Reserve;
using privileged::v1::Submit;
using privileged::v1::Update;

constexpr size_t kMostRequestId = 64;
constexpr size_t kMostWord = 64;
constexpr size_t kMostJobName = 256;  // 64 characters of up to 4 bytes
constexpr int64_t kMostNodes = 10000;
constexpr int64_t kMostGpusPerNode = 256;
constexpr int64_t kMostCpusPerNode = 8192;
constexpr int64_t kMostMemoryMib = int64_t{1} << 26;  // 64 TiB
constexpr int64_t kMostWalltimeMin = 366 * 24 * 60;
constexpr int64_t kMostExcludedNodes = 500;
constexpr size_t kMostArray = 256;
constexpr int64_t kMostDependencies = 32;
constexpr int64_t kMostReservationUsers = 200;
constexpr size_t kReservationNameBytes = kReservationPrefix.size() + 16;
constexpr int64_t kMostTask = 4000000;  // Slurm's own bound of an index
constexpr size_t kMostAppId = 32;
constexpr int64_t kMostLogBytes = 64 * 1024;

bool IsAlnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9');
}

absl::Status Refuse(std::string_view field, std::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat(
      "field \"", std::string(field), "\": expected ", std::string(expected)));
}

// `text` is 1 to `most` letters, digits and characters of `also`, and begins
// with a letter, a digit or an underscore: never with "-" or ".".
bool IsWord(std::string_view text, size_t most, std::string_view also) {
  return !text.empty() && text.size() <= most &&
         (IsAlnum(text[0]) || text[0] == '_') &&
         std::all_of(text.begin(), text.end(), [also](char c) {
           return IsAlnum(c) || also.find(c) != std::string_view::npos;
         });
}

bool IsRequestId(std::string_view text) {
  return !text.empty() && text.size() <= kMostRequestId &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsAlnum(c) || c == '_' || c == '-'; });
}

// protobuf has made sure of the UTF-8; control characters are below 0x20,
// 0x7f, and U+0080 to U+009F, which are C2 80 to C2 9F.
bool IsJobName(std::string_view text) {
  if (text.empty() || text.size() > kMostJobName) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) return false;
    if (byte == 0xc2 && i + 1 < text.size() &&
        static_cast<unsigned char>(text[i + 1]) < 0xa0) {
      return false;
    }
  }
  return true;
}

absl::Status CheckRange(std::string_view field, int64_t value, int64_t least,
                        int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return Refuse(field, absl::StrCat(least, " to ", most, ": found ", value));
}

absl::Status CheckJobId(std::string_view id) {
  if (IsJobId(id)) return absl::OkStatus();
  return Refuse("carme_job_id", "a letter and 15 of a-z and 0-9");
}

absl::Status CheckJobName(std::string_view name) {
  if (IsJobName(name)) return absl::OkStatus();
  return Refuse("name", "1 to 256 bytes without control characters");
}

bool IsArray(std::string_view text) {
  return text.size() <= kMostArray && CountTasks(text).has_value();
}

absl::Status CheckOrder(const Submit& submit) {
  for (const auto& [field, word] :
       {std::pair<std::string_view, const std::string&>{"qos", submit.qos()},
        {"reservation", submit.reservation()}}) {
    if (!word.empty() && !IsWord(word, kMostWord, "_-.")) {
      return Refuse(field, "at most 64 letters, digits and _ - .");
    }
  }
  RETURN_IF_ERROR(
      CheckRange("begin_unix_s", submit.begin_unix_s(), 0, UINT32_MAX));
  if (!submit.array().empty() && !IsArray(submit.array())) {
    return Refuse("array",
                  "at most 256 characters such as \"0-9,12,20-30:2%4\"");
  }
  RETURN_IF_ERROR(CheckRange("dependencies", submit.dependencies_size(), 0,
                             kMostDependencies));
  for (const privileged::v1::Dependency& dependency : submit.dependencies()) {
    RETURN_IF_ERROR(
        CheckRange("slurm_job_id", dependency.slurm_job_id(), 1, INT32_MAX));
    RETURN_IF_ERROR(CheckRange("kind", dependency.kind(), 1, 4));
  }
  return absl::OkStatus();
}

absl::Status CheckSubmit(const Submit& submit) {
  RETURN_IF_ERROR(CheckJobId(submit.carme_job_id()));
  RETURN_IF_ERROR(CheckJobName(submit.name()));
  if (!IsWord(submit.partition(), kMostWord, "_-.")) {
    return Refuse("partition", "1 to 64 letters, digits and _ - .");
  }
  if (!submit.gpu_type().empty() &&
      !IsWord(submit.gpu_type(), kMostWord, "_-.")) {
    return Refuse("gpu_type", "at most 64 letters, digits and _ - .");
  }
  RETURN_IF_ERROR(CheckRange("nodes", submit.nodes(), 1, kMostNodes));
  RETURN_IF_ERROR(
      CheckRange("gpus_per_node", submit.gpus_per_node(), 0, kMostGpusPerNode));
  RETURN_IF_ERROR(
      CheckRange("cpus_per_node", submit.cpus_per_node(), 1, kMostCpusPerNode));
  // 0 would mean all of a node's memory to Slurm.
  RETURN_IF_ERROR(CheckRange("memory_per_node_mib",
                             submit.memory_per_node_mib(), 1, kMostMemoryMib));
  // Slurm takes commas and brackets for a list.
  for (const std::string& node : submit.excluded_nodes()) {
    if (!IsWord(node, kMostWord, "_-.")) {
      return Refuse("excluded_nodes", "1 to 64 letters, digits and _ - .");
    }
  }
  RETURN_IF_ERROR(CheckRange("excluded_nodes", submit.excluded_nodes_size(), 0,
                             kMostExcludedNodes));
  if (!submit.account().empty() &&
      !IsWord(submit.account(), kMostWord, "_-.")) {
    return Refuse("account", "at most 64 letters, digits and _ - .");
  }
  RETURN_IF_ERROR(CheckOrder(submit));
  return CheckRange("walltime_min", submit.walltime_min(), 1, kMostWalltimeMin);
}

absl::Status CheckCancel(const Cancel& cancel) {
  RETURN_IF_ERROR(
      CheckRange("slurm_job_id", cancel.slurm_job_id(), 1, INT32_MAX));
  return CheckJobId(cancel.carme_job_id());
}

absl::Status CheckUpdate(const Update& update) {
  RETURN_IF_ERROR(
      CheckRange("slurm_job_id", update.slurm_job_id(), 1, INT32_MAX));
  RETURN_IF_ERROR(CheckJobId(update.carme_job_id()));
  RETURN_IF_ERROR(
      CheckRange("walltime_min", update.walltime_min(), 0, kMostWalltimeMin));
  if (!update.name().empty()) RETURN_IF_ERROR(CheckJobName(update.name()));
  RETURN_IF_ERROR(CheckRange("hold", update.hold(), 0, 2));
  if (update.walltime_min() == 0 && update.name().empty() &&
      update.hold() == privileged::v1::HOLD_UNSPECIFIED) {
    return Refuse("update", "a walltime, a name or a hold");
  }
  return absl::OkStatus();
}

// As the backend's configuration has them: "code-server"; empty is none.
bool IsAppId(std::string_view id) {
  return id.size() <= kMostAppId &&
         std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

absl::Status CheckReadLog(const ReadLog& read) {
  RETURN_IF_ERROR(CheckJobId(read.carme_job_id()));
  RETURN_IF_ERROR(
      CheckRange("slurm_job_id", read.slurm_job_id(), 0, INT32_MAX));
  if (!IsAppId(read.app())) {
    return Refuse("app", "at most 32 of a-z, 0-9 and -");
  }
  if (read.has_task()) {
    if (!read.app().empty()) return Refuse("app", "none of an array's task");
    RETURN_IF_ERROR(CheckRange("task", read.task(), 0, kMostTask));
  }
  return CheckRange("max_bytes", read.max_bytes(), 1, kMostLogBytes);
}

absl::Status CheckExtend(const Extend& extend) {
  RETURN_IF_ERROR(
      CheckRange("slurm_job_id", extend.slurm_job_id(), 1, INT32_MAX));
  RETURN_IF_ERROR(CheckJobId(extend.carme_job_id()));
  return CheckRange("walltime_min", extend.walltime_min(), 1, kMostWalltimeMin);
}

absl::Status CheckReservationName(std::string_view name) {
  const bool right = name.size() == kReservationNameBytes &&
                     name.starts_with(kReservationPrefix) &&
                     std::all_of(name.begin(), name.end(),
                                 [](char c) {
                                   return (c >= 'a' && c <= 'z') ||
                                          (c >= '0' && c <= '9') || c == '-';
                                 }) &&
                     name.rfind('-') < kReservationPrefix.size();
  if (right) return absl::OkStatus();
  return Refuse("name", "\"carme-\" and 16 of a-z and 0-9");
}

absl::Status CheckReserve(const Reserve& reserve) {
  RETURN_IF_ERROR(CheckReservationName(reserve.name()));
  if (!IsWord(reserve.partition(), kMostWord, "_-.")) {
    return Refuse("partition", "1 to 64 letters, digits and _ - .");
  }
  RETURN_IF_ERROR(CheckRange("nodes", reserve.nodes(), 1, kMostNodes));
  RETURN_IF_ERROR(
      CheckRange("start_unix_s", reserve.start_unix_s(), 1, UINT32_MAX));
  RETURN_IF_ERROR(
      CheckRange("minutes", reserve.minutes(), 1, kMostWalltimeMin));
  RETURN_IF_ERROR(
      CheckRange("users", reserve.users_size(), 1, kMostReservationUsers));
  for (const std::string& user : reserve.users()) {
    if (!IsUserName(user)) {
      return Refuse("users", "1 to 64 letters, digits and _ - . @");
    }
  }
  return absl::OkStatus();
}

// A field from a newer backend that this program does not understand must not
// be dropped in silence.
bool HasUnknownFields(const google::protobuf::Message& message) {
  const auto* reflection = message.GetReflection();
  if (!reflection->GetUnknownFields(message).empty()) return true;
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  return std::any_of(fields.begin(), fields.end(), [&](const auto* field) {
    if (field->cpp_type() !=
        google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) {
      return false;
    }
    if (!field->is_repeated()) {
      return HasUnknownFields(reflection->GetMessage(message, field));
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      if (HasUnknownFields(reflection->GetRepeatedMessage(message, field, i))) {
        return true;
      }
    }
    return false;
  });
}

}  // namespace

bool IsUserName(std::string_view text) {
  return IsWord(text, kMostUserName, "_-.@");
}

absl::Status CheckRequest(const Request& request) {
  if (!IsRequestId(request.request_id())) {
    return Refuse("request_id", "1 to 64 letters, digits and _ -");
  }
  if (!IsUserName(request.user())) {
    return Refuse("user", "1 to 64 letters, digits and _ - . @");
  }
  if (request.uid() == UINT32_MAX) return Refuse("uid", "less than 2^32 - 1");
  switch (request.act_case()) {
    case Request::kSubmit:
      return CheckSubmit(request.submit());
    case Request::kCancel:
      return CheckCancel(request.cancel());
    case Request::kUpdate:
      return CheckUpdate(request.update());
    case Request::kReadLog:
      return CheckReadLog(request.read_log());
    case Request::kForesee:
      return CheckSubmit(request.foresee());
    case Request::kReadStorage:
      return absl::OkStatus();  // it has no fields
    case Request::kReserve:
      return CheckReserve(request.reserve());
    case Request::kUnreserve:
      return CheckReservationName(request.unreserve().name());
    case Request::kExtend:
      return CheckExtend(request.extend());
    case Request::ACT_NOT_SET:
      break;
  }
  return Refuse("act",
                "submit, cancel, update, read_log, foresee, read_storage, "
                "reserve, unreserve or extend");
}

absl::StatusOr<Request> ParseRequest(std::string_view body) {
  Request request;
  if (body.size() > kMostFrameBytes ||
      !request.ParseFromArray(body.data(), static_cast<int>(body.size()))) {
    return absl::InvalidArgumentError("not a request: cannot be parsed");
  }
  if (HasUnknownFields(request)) {
    return absl::InvalidArgumentError(
        "request with unknown fields: is the backend newer than this program?");
  }
  RETURN_IF_ERROR(CheckRequest(request));
  return request;
}

}  // namespace carme::impersonator
