#include "backend/privileged/storage/storage_messages.h"

#include <string>

#include "backend/privileged/protocol/outcome.h"
#include "backend/privileged/protocol/request_fields.h"
#include "common/status.h"

namespace carme::storage_reader {

using privileged::v1::StorageRequest;
using privileged::v1::StorageResponse;

absl::StatusOr<StorageRequest> ParseStorageRequest(std::string_view body) {
  StorageRequest request;
  RETURN_IF_ERROR(ParseMessage(body, &request));
  RETURN_IF_ERROR(
      CheckRequestHeader(request.request_id(), request.user(), request.uid()));
  return request;
}

StorageResponse MakeStorageResponse(privileged::v1::Outcome outcome,
                                    absl::string_view message) {
  StorageResponse response;
  response.set_outcome(outcome);
  response.set_message(std::string(message));
  return response;
}

StorageResponse StorageResponseFor(const absl::Status& status) {
  return MakeStorageResponse(OutcomeFor(status), status.message());
}

}  // namespace carme::storage_reader
