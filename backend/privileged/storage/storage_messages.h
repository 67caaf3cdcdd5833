// The messages of the storage reader.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_STORAGE_MESSAGES_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_STORAGE_MESSAGES_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "carme/privileged/v1/storage.pb.h"

namespace carme::storage_reader {

// `body` is a frame without its header. INVALID_ARGUMENT: not a request of this
// program, or a field out of bounds. An operation of the impersonator is a
// request with unknown fields.
absl::StatusOr<privileged::v1::StorageRequest> ParseStorageRequest(
    std::string_view body);

privileged::v1::StorageResponse MakeStorageResponse(
    privileged::v1::Outcome outcome, absl::string_view message);
// With the outcome of OutcomeFor().
privileged::v1::StorageResponse StorageResponseFor(const absl::Status& status);

}  // namespace carme::storage_reader

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_STORAGE_MESSAGES_H_
