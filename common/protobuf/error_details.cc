#include "common/protobuf/error_details.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>

#include <algorithm>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "google/rpc/error_details.pb.h"

namespace carme {
namespace {

// Empty: the status has none.
google::rpc::ErrorInfo InfoOf(const absl::Status& status) {
  google::rpc::ErrorInfo info;
  const auto payload = status.GetPayload(
      absl::StrCat(kDetailPrefix, info.GetDescriptor()->full_name()));
  if (!payload || !info.ParseFromString(std::string(*payload))) return {};
  return info;
}

}  // namespace

void SetErrorDetail(const google::protobuf::Message& detail,
                    absl::Status* status) {
  // Maps in a fixed order, so that equal errors are equal statuses.
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    detail.SerializeToCodedStream(&coded);
  }
  status->SetPayload(
      absl::StrCat(kDetailPrefix, detail.GetDescriptor()->full_name()),
      absl::Cord(bytes));
}

void SetErrorInfo(std::string_view reason, const ErrorMetadata& metadata,
                  absl::Status* status) {
  google::rpc::ErrorInfo info;
  info.set_reason(std::string(reason));
  info.set_domain("carme");
  for (const auto& [key, value] : metadata) {
    (*info.mutable_metadata())[key] = value;
  }
  SetErrorDetail(info, status);
}

std::string ErrorReason(const absl::Status& status) {
  return InfoOf(status).reason();
}

ErrorMetadata ErrorMetadataOf(const absl::Status& status) {
  const google::rpc::ErrorInfo info = InfoOf(status);
  ErrorMetadata metadata(info.metadata().begin(), info.metadata().end());
  std::sort(metadata.begin(), metadata.end());
  return metadata;
}

}  // namespace carme
