// The file of an archive: a zstd frame with all of a JobArchive but its series,
// and one with the series. The two together are the message; archives of schema
// 1 have one frame with all.
#ifndef CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_FILE_H_
#define CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_FILE_H_

#include <google/protobuf/io/zero_copy_stream.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "carme/archive/v1/archive.pb.h"

namespace carme::metrics {

// What this program writes; it reads smaller ones, too.
inline constexpr uint32_t kArchiveSchema = 2;
// Of a decoded archive.
inline constexpr size_t kMaxDecodedArchiveBytes = size_t{1} << 30;

// The bytes of the file. `archive` is unchanged afterwards.
std::string EncodeArchive(archive::v1::JobArchive* archive);

// The archive with those of its series whose names `keeps` answers true for.
// `job` is the expected one. DATA_LOSS; FAILED_PRECONDITION: a later schema;
// RESOURCE_EXHAUSTED: it is too long.
absl::StatusOr<archive::v1::JobArchive> DecodeArchive(
    const std::string& job, google::protobuf::io::ZeroCopyInputStream* file,
    absl::FunctionRef<bool(std::string_view name)> keeps);
// Without series, of which the file is not read.
absl::StatusOr<archive::v1::JobArchive> DecodeArchiveHead(
    const std::string& job, google::protobuf::io::ZeroCopyInputStream* file);

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_ARCHIVE_ARCHIVE_FILE_H_
