// The messages about archives of the audit log (common/message.h).
#ifndef CARME_BACKEND_AUDIT_ARCHIVE_MESSAGES_H_
#define CARME_BACKEND_AUDIT_ARCHIVE_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::audit_archive_messages {

inline constexpr ErrorTemplate kEndMissing{
    absl::StatusCode::kOutOfRange, "AUDIT_ARCHIVE_END_MISSING",
    "the end is missing: expected \"archive-ends\""};

inline constexpr ErrorTemplate kLineTooLong{
    absl::StatusCode::kDataLoss, "AUDIT_ARCHIVE_LINE_TOO_LONG",
    "a line has {bytes} bytes: expected at most {max}"};

inline constexpr ErrorTemplate kBeginMissing{absl::StatusCode::kDataLoss,
                                             "AUDIT_ARCHIVE_BEGIN_MISSING",
                                             "expected \"archive-begins\""};

inline constexpr ErrorTemplate kEndDiffers{
    absl::StatusCode::kDataLoss, "AUDIT_ARCHIVE_END_DIFFERS",
    "the end differs from the last line"};

inline constexpr ErrorTemplate kExists{absl::StatusCode::kAlreadyExists,
                                       "AUDIT_ARCHIVE_EXISTS",
                                       "\"{path}\" exists already"};

inline constexpr ErrorTemplate kNotFound{
    absl::StatusCode::kNotFound, "AUDIT_ARCHIVE_NOT_FOUND", "open \"{path}\""};

inline constexpr ErrorTemplate kLineInvalid{
    absl::StatusCode::kDataLoss, "AUDIT_ARCHIVE_LINE_INVALID",
    "\"{path}\", line {line}: {problem}"};

inline constexpr ErrorTemplate kLogBroken{
    absl::StatusCode::kDataLoss, "AUDIT_ARCHIVE_LOG_BROKEN",
    "audit log: {problem}: nothing is archived"};

inline constexpr ErrorTemplate kFileDiffers{
    absl::StatusCode::kDataLoss, "AUDIT_ARCHIVE_FILE_DIFFERS",
    "\"{path}\" differs from what was written"};

inline constexpr ErrorTemplate kEntryGone{absl::StatusCode::kDataLoss,
                                          "AUDIT_ARCHIVE_ENTRY_GONE",
                                          "entry {sequence} is gone"};

inline constexpr ErrorTemplate kConcurrentRun{
    absl::StatusCode::kFailedPrecondition, "AUDIT_ARCHIVE_CONCURRENT_RUN",
    "the log begins after {begin}: expected {expected}: another archiving is "
    "running"};

}  // namespace carme::backend::audit_archive_messages

#endif  // CARME_BACKEND_AUDIT_ARCHIVE_MESSAGES_H_
