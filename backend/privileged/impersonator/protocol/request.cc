#include "backend/privileged/impersonator/protocol/request.h"

#include <charconv>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/privileged/protocol/request_fields.h"
#include "common/ids.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Cancel;
using privileged::v1::Extend;
using privileged::v1::ReadLog;
using privileged::v1::Request;
using privileged::v1::Reserve;
using privileged::v1::ReserveForMaintenance;
using privileged::v1::ReturnNodes;
using privileged::v1::SetNodeState;
using privileged::v1::Submit;
using privileged::v1::Update;

constexpr size_t kMaxToken = 64;
constexpr size_t kMaxJobName = 256;  // 64 characters of up to 4 bytes
constexpr int64_t kMaxNodes = 10000;
constexpr int64_t kMaxGpusPerNode = 256;
constexpr int64_t kMaxCpusPerNode = 8192;
constexpr int64_t kMaxMemoryMib = int64_t{1} << 26;  // 64 TiB
constexpr int64_t kMaxWalltimeMin = 366 * 24 * 60;
constexpr int64_t kMaxExcludedNodes = 500;
constexpr size_t kMaxArray = 256;
constexpr size_t kMaxHostlist = 1024;
constexpr int64_t kMaxDependencies = 32;
constexpr int64_t kMaxReservationUsers = 200;
constexpr int64_t kMaxChangedNodes = 64;
constexpr int64_t kMaxReturnedNodes = 1000;
constexpr size_t kMaxReason = 200;
constexpr size_t kReservationNameBytes = kReservationPrefix.size() + 16;
constexpr int64_t kMaxTask = 4000000;  // Slurm's own bound of an index
constexpr int64_t kMaxLogBytes = 64 * 1024;

// Removes a number from the front of the text.
std::optional<int64_t> TakeNumber(std::string_view* text) {
  int64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || number < 0 || number > kMaxTask) {
    return std::nullopt;
  }
  text->remove_prefix(static_cast<size_t>(rest - text->data()));
  return number;
}

bool TakeChar(char expected, std::string_view* text) {
  if (!text->starts_with(expected)) return false;
  text->remove_prefix(1);
  return true;
}

// "7", "0-3" or "10-20:5".
std::optional<int64_t> TakeItem(std::string_view* text) {
  const std::optional<int64_t> first = TakeNumber(text);
  if (!first) return std::nullopt;
  if (!TakeChar('-', text)) return 1;
  const std::optional<int64_t> last = TakeNumber(text);
  if (!last || *last < *first) return std::nullopt;
  if (!TakeChar(':', text)) return *last - *first + 1;
  const std::optional<int64_t> step = TakeNumber(text);
  if (!step || *step == 0) return std::nullopt;
  return (*last - *first) / *step + 1;
}

// protobuf has validated the UTF-8. Control characters are below 0x20,
// 0x7f, and U+0080 to U+009F, which are C2 80 to C2 9F.
bool IsJobName(std::string_view text) {
  if (text.empty() || text.size() > kMaxJobName) return false;
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

absl::Status CheckRange(std::string_view field, int64_t value, int64_t min,
                        int64_t max) {
  if (value >= min && value <= max) return absl::OkStatus();
  return InvalidField(field, absl::StrCat(min, " to ", max, ": found ", value));
}

absl::Status CheckJobId(std::string_view id) {
  if (IsJobId(id)) return absl::OkStatus();
  return InvalidField("carme_job_id", "a letter and 15 of a-z and 0-9");
}

absl::Status CheckJobName(std::string_view name) {
  if (IsJobName(name)) return absl::OkStatus();
  return InvalidField("name", "1 to 256 bytes without control characters");
}

bool IsArray(std::string_view text) {
  return text.size() <= kMaxArray && CountArrayTasks(text).has_value();
}

absl::Status CheckScheduling(const Submit& submit) {
  for (const auto& [field, value] :
       {std::pair<std::string_view, const std::string&>{"qos", submit.qos()},
        {"reservation", submit.reservation()}}) {
    if (!value.empty() && !IsToken(value, kMaxToken, "_-.")) {
      return InvalidField(field, "at most 64 letters, digits and _ - .");
    }
  }
  RETURN_IF_ERROR(
      CheckRange("begin_unix_s", submit.begin_unix_s(), 0, UINT32_MAX));
  if (!submit.array().empty() && !IsArray(submit.array())) {
    return InvalidField("array",
                        "at most 256 characters such as \"0-9,12,20-30:2%4\"");
  }
  RETURN_IF_ERROR(CheckRange("dependencies", submit.dependencies_size(), 0,
                             kMaxDependencies));
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
  if (!IsToken(submit.partition(), kMaxToken, "_-.")) {
    return InvalidField("partition", "1 to 64 letters, digits and _ - .");
  }
  if (!submit.gpu_type().empty() &&
      !IsToken(submit.gpu_type(), kMaxToken, "_-.")) {
    return InvalidField("gpu_type", "at most 64 letters, digits and _ - .");
  }
  RETURN_IF_ERROR(CheckRange("nodes", submit.nodes(), 1, kMaxNodes));
  RETURN_IF_ERROR(
      CheckRange("gpus_per_node", submit.gpus_per_node(), 0, kMaxGpusPerNode));
  RETURN_IF_ERROR(
      CheckRange("cpus_per_node", submit.cpus_per_node(), 1, kMaxCpusPerNode));
  // Slurm reads 0 as all memory of a node.
  RETURN_IF_ERROR(CheckRange("memory_per_node_mib",
                             submit.memory_per_node_mib(), 1, kMaxMemoryMib));
  // Slurm would read commas and brackets as a list.
  for (const std::string& node : submit.excluded_nodes()) {
    if (!IsToken(node, kMaxToken, "_-.")) {
      return InvalidField("excluded_nodes",
                          "1 to 64 letters, digits and _ - .");
    }
  }
  RETURN_IF_ERROR(CheckRange("excluded_nodes", submit.excluded_nodes_size(), 0,
                             kMaxExcludedNodes));
  if (!submit.account().empty() &&
      !IsToken(submit.account(), kMaxToken, "_-.")) {
    return InvalidField("account", "at most 64 letters, digits and _ - .");
  }
  RETURN_IF_ERROR(CheckScheduling(submit));
  return CheckRange("walltime_min", submit.walltime_min(), 1, kMaxWalltimeMin);
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
      CheckRange("walltime_min", update.walltime_min(), 0, kMaxWalltimeMin));
  if (!update.name().empty()) RETURN_IF_ERROR(CheckJobName(update.name()));
  RETURN_IF_ERROR(CheckRange("hold", update.hold(), 0, 2));
  if (update.walltime_min() == 0 && update.name().empty() &&
      update.hold() == privileged::v1::HOLD_UNSPECIFIED) {
    return InvalidField("update", "a walltime, a name or a hold");
  }
  return absl::OkStatus();
}

// Slurm would read commas and brackets as a list.
absl::Status CheckNodesOnce(
    const google::protobuf::RepeatedPtrField<std::string>& nodes) {
  std::set<std::string_view> names;
  for (const std::string& node : nodes) {
    if (!IsToken(node, kMaxToken, "_-.") || !names.insert(node).second) {
      return InvalidField("nodes",
                          "1 to 64 letters, digits and _ - ., each node once");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckReturnNodes(const ReturnNodes& change) {
  RETURN_IF_ERROR(
      CheckRange("slurm_job_id", change.slurm_job_id(), 1, INT32_MAX));
  RETURN_IF_ERROR(CheckJobId(change.carme_job_id()));
  RETURN_IF_ERROR(
      CheckRange("nodes", change.nodes_size(), 1, kMaxReturnedNodes));
  return CheckNodesOnce(change.nodes());
}

absl::Status CheckReadLog(const ReadLog& read) {
  RETURN_IF_ERROR(CheckJobId(read.carme_job_id()));
  RETURN_IF_ERROR(
      CheckRange("slurm_job_id", read.slurm_job_id(), 0, INT32_MAX));
  if (!read.app().empty() && !kAppIdRule.Allows(read.app())) {
    return InvalidField("app", "a letter and at most 30 of a-z, 0-9 and -");
  }
  if (read.has_task()) {
    if (!read.app().empty()) return InvalidField("app", "no app with a task");
    RETURN_IF_ERROR(CheckRange("task", read.task(), 0, kMaxTask));
  }
  return CheckRange("max_bytes", read.max_bytes(), 1, kMaxLogBytes);
}

absl::Status CheckExtend(const Extend& extend) {
  RETURN_IF_ERROR(
      CheckRange("slurm_job_id", extend.slurm_job_id(), 1, INT32_MAX));
  RETURN_IF_ERROR(CheckJobId(extend.carme_job_id()));
  return CheckRange("walltime_min", extend.walltime_min(), 1, kMaxWalltimeMin);
}

absl::Status CheckReservationName(std::string_view name) {
  constexpr CharacterSet kCharacters = kLowercase | kDecimalDigits;
  if (name.size() == kReservationNameBytes &&
      name.starts_with(kReservationPrefix) &&
      kCharacters.ContainsAll(name.substr(kReservationPrefix.size()))) {
    return absl::OkStatus();
  }
  return InvalidField("name", "\"carme-\" and 16 of a-z and 0-9");
}

absl::Status CheckReserve(const Reserve& reserve) {
  RETURN_IF_ERROR(CheckReservationName(reserve.name()));
  if (!IsToken(reserve.partition(), kMaxToken, "_-.")) {
    return InvalidField("partition", "1 to 64 letters, digits and _ - .");
  }
  RETURN_IF_ERROR(CheckRange("nodes", reserve.nodes(), 1, kMaxNodes));
  RETURN_IF_ERROR(
      CheckRange("start_unix_s", reserve.start_unix_s(), 1, UINT32_MAX));
  RETURN_IF_ERROR(CheckRange("minutes", reserve.minutes(), 1, kMaxWalltimeMin));
  RETURN_IF_ERROR(
      CheckRange("users", reserve.users_size(), 1, kMaxReservationUsers));
  for (const std::string& user : reserve.users()) {
    if (!IsUserName(user)) {
      return InvalidField("users", "1 to 64 letters, digits and _ - . @");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckReserveForMaintenance(const ReserveForMaintenance& reserve) {
  RETURN_IF_ERROR(CheckReservationName(reserve.name()));
  RETURN_IF_ERROR(
      CheckRange("start_unix_s", reserve.start_unix_s(), 1, UINT32_MAX));
  RETURN_IF_ERROR(CheckRange("minutes", reserve.minutes(), 0, kMaxWalltimeMin));
  if (!reserve.partition().empty() &&
      !IsToken(reserve.partition(), kMaxToken, "_-.")) {
    return InvalidField("partition", "at most 64 letters, digits and _ - .");
  }
  if (reserve.nodes().empty()) return absl::OkStatus();
  if (!reserve.partition().empty()) {
    return InvalidField("nodes", "no nodes with a partition");
  }
  if (IsToken(reserve.nodes(), kMaxHostlist, "_-.,[]")) return absl::OkStatus();
  return InvalidField("nodes", "at most 1024 letters, digits and _ - . , [ ]");
}

absl::Status CheckSetNodeState(const SetNodeState& change) {
  RETURN_IF_ERROR(
      CheckRange("nodes", change.nodes_size(), 1, kMaxChangedNodes));
  RETURN_IF_ERROR(CheckNodesOnce(change.nodes()));
  RETURN_IF_ERROR(CheckRange("action", change.action(), 1, 2));
  if (change.action() == privileged::v1::NODE_ACTION_RESUME) {
    if (change.reason().empty()) return absl::OkStatus();
    return InvalidField("reason", "no reason");
  }
  const std::optional<size_t> length = PrintableLength(change.reason());
  if (length.has_value() && *length >= 1 && *length <= kMaxReason) {
    return absl::OkStatus();
  }
  return InvalidField("reason", "1 to 200 printable characters");
}

}  // namespace

std::optional<int64_t> CountArrayTasks(std::string_view array) {
  int64_t tasks = 0;
  do {
    const std::optional<int64_t> item = TakeItem(&array);
    if (!item) return std::nullopt;
    tasks += *item;
  } while (TakeChar(',', &array));
  if (TakeChar('%', &array)) {
    const std::optional<int64_t> at_once = TakeNumber(&array);
    if (!at_once || *at_once == 0) return std::nullopt;
  }
  if (!array.empty()) return std::nullopt;
  return tasks;
}

absl::Status CheckRequest(const Request& request) {
  RETURN_IF_ERROR(
      CheckRequestHeader(request.request_id(), request.user(), request.uid()));
  switch (request.operation_case()) {
    case Request::kSubmit:
      return CheckSubmit(request.submit());
    case Request::kCancel:
      return CheckCancel(request.cancel());
    case Request::kUpdate:
      return CheckUpdate(request.update());
    case Request::kReturnNodes:
      return CheckReturnNodes(request.return_nodes());
    case Request::kReadLog:
      return CheckReadLog(request.read_log());
    case Request::kEstimateStart:
      return CheckSubmit(request.estimate_start());
    case Request::kReserve:
      return CheckReserve(request.reserve());
    case Request::kUnreserve:
      return CheckReservationName(request.unreserve().name());
    case Request::kReserveForMaintenance:
      return CheckReserveForMaintenance(request.reserve_for_maintenance());
    case Request::kSetNodeState:
      return CheckSetNodeState(request.set_node_state());
    case Request::kExtend:
      return CheckExtend(request.extend());
    case Request::OPERATION_NOT_SET:
      break;
  }
  return InvalidField(
      "operation",
      "submit, cancel, update, return_nodes, read_log, estimate_start, "
      "reserve, unreserve, reserve_for_maintenance, set_node_state or extend");
}

absl::StatusOr<Request> ParseRequest(std::string_view body) {
  Request request;
  RETURN_IF_ERROR(ParseMessage(body, &request));
  RETURN_IF_ERROR(CheckRequest(request));
  return request;
}

}  // namespace carme::impersonator
