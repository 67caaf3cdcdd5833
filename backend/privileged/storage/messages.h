// Errors of the storage reader. Administrators read them on the page of
// storage areas.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_MESSAGES_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::storage_reader::storage_reader_messages {

inline constexpr ErrorTemplate kProgramLate{absl::StatusCode::kDeadlineExceeded,
                                            "STORAGE_READER_PROGRAM_LATE",
                                            "the program did not end in time"};

inline constexpr ErrorTemplate kProgramNotStarted{
    absl::StatusCode::kFailedPrecondition, "STORAGE_READER_PROGRAM_NOT_STARTED",
    "the program could not be started"};

inline constexpr ErrorTemplate kNoCommit{absl::StatusCode::kUnavailable,
                                         "STORAGE_READER_NO_COMMIT",
                                         "no commit arrived"};

inline constexpr ErrorTemplate kReaderEnded{absl::StatusCode::kUnavailable,
                                            "STORAGE_READER_ENDED",
                                            "the storage reader {cause}"};

inline constexpr ErrorTemplate kFigureUnexpected{
    absl::StatusCode::kInvalidArgument, "STORAGE_READER_FIGURE_UNEXPECTED",
    "found \"{found}\": expected {expected}"};

inline constexpr ErrorTemplate kNotRoot{absl::StatusCode::kPermissionDenied,
                                        "STORAGE_READER_NOT_ROOT",
                                        "started as uid {uid}: expected root"};

inline constexpr ErrorTemplate kTooManyUserReadings{
    absl::StatusCode::kResourceExhausted,
    "STORAGE_READER_TOO_MANY_USER_READINGS",
    "too many storage reads of this user: the limit is {limit} a minute (a "
    "quarter of readings_per_minute): wait a minute"};

inline constexpr ErrorTemplate kTooManyReadings{
    absl::StatusCode::kResourceExhausted, "STORAGE_READER_TOO_MANY_READINGS",
    "too many storage reads of all users: the limit is {limit} a minute "
    "(readings_per_minute): wait a minute"};

}  // namespace carme::storage_reader::storage_reader_messages

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_MESSAGES_H_
