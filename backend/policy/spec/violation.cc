#include "backend/policy/spec/violation.h"

#include <algorithm>
#include <string_view>

#include "common/message.h"
#include "common/protobuf/error_details.h"
#include "common/protobuf/text_code.h"
#include "google/rpc/error_details.pb.h"

namespace carme::backend {
namespace {

absl::StatusCode CodeOf(Refusal refusal) {
  switch (refusal) {
    case Refusal::kMaintenance:
      return absl::StatusCode::kFailedPrecondition;
    case Refusal::kInvalid:
      return absl::StatusCode::kInvalidArgument;
    case Refusal::kMissing:
      return absl::StatusCode::kNotFound;
    case Refusal::kForbidden:
      return absl::StatusCode::kPermissionDenied;
    case Refusal::kImpossible:
      return absl::StatusCode::kFailedPrecondition;
    case Refusal::kUnavailable:
      return absl::StatusCode::kUnavailable;
    case Refusal::kExhausted:
      return absl::StatusCode::kResourceExhausted;
  }
  return absl::StatusCode::kInternal;
}

std::string_view ReasonOf(Refusal refusal) {
  switch (refusal) {
    case Refusal::kMaintenance:
      return "MAINTENANCE";
    case Refusal::kInvalid:
      return "SPEC_INVALID";
    case Refusal::kMissing:
      return "SPEC_NAMES_MISSING_OBJECT";
    case Refusal::kForbidden:
      return "LIMIT_EXCEEDED";
    case Refusal::kImpossible:
      return "CLUSTER_CANNOT_RUN";
    case Refusal::kUnavailable:
      return "SLURM_UNAVAILABLE";
    case Refusal::kExhausted:
      return "LIMIT_REACHED";
  }
  return "UNKNOWN";
}

// The path in the request's JSON.
std::string PathOf(const Violation& violation) {
  return violation.field.empty() ? "spec" : "spec." + violation.field;
}

ErrorMetadata MetadataOf(const Violation& strongest) {
  if (strongest.refusal == Refusal::kMaintenance) {
    return {{"message", strongest.message.text}, {"until", strongest.value}};
  }
  return {{"field", PathOf(strongest)},
          {"limit", strongest.limit},
          {"value", strongest.value},
          {"source", strongest.source.text}};
}

void SetDetails(const std::vector<Violation>& violations,
                const Violation& strongest, absl::Status* status) {
  google::rpc::BadRequest request;
  google::rpc::QuotaFailure quota;
  google::rpc::PreconditionFailure precondition;
  for (const Violation& violation : violations) {
    if (violation.refusal == Refusal::kInvalid ||
        violation.refusal == Refusal::kMissing) {
      auto* row = request.add_field_violations();
      row->set_field(PathOf(violation));
      row->set_description(violation.message.text);
    } else if (violation.refusal == Refusal::kForbidden ||
               violation.refusal == Refusal::kExhausted) {
      auto* row = quota.add_violations();
      row->set_subject(violation.source.text);
      row->set_description(violation.message.text);
    } else {
      auto* row = precondition.add_violations();
      row->set_type(std::string(ReasonOf(violation.refusal)));
      row->set_subject(PathOf(violation));
      row->set_description(violation.message.text);
    }
  }
  SetErrorInfo(ReasonOf(strongest.refusal), MetadataOf(strongest), status);
  if (request.field_violations_size() > 0) SetErrorDetail(request, status);
  if (quota.violations_size() > 0) SetErrorDetail(quota, status);
  if (precondition.violations_size() > 0) SetErrorDetail(precondition, status);
}

}  // namespace

absl::Status StatusOf(const std::vector<Violation>& violations) {
  if (violations.empty()) return absl::OkStatus();
  const auto strongest =
      std::min_element(violations.begin(), violations.end(),
                       [](const Violation& a, const Violation& b) {
                         return a.refusal < b.refusal;
                       });
  std::vector<DisplayText> messages;
  for (const Violation& violation : violations) {
    messages.push_back(violation.message);
  }
  const DisplayText text = JoinTexts(messages);
  absl::Status status(CodeOf(strongest->refusal), text.text);
  if (!text.code.empty()) SetErrorDetail(TextCodeOf(text), &status);
  SetDetails(violations, *strongest, &status);
  return status;
}

}  // namespace carme::backend
