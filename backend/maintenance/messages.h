// The messages about maintenance (common/message.h).
#ifndef CARME_BACKEND_MAINTENANCE_MESSAGES_H_
#define CARME_BACKEND_MAINTENANCE_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::maintenance_messages {

inline constexpr ErrorTemplate kReservationNotConfirmed{
    absl::StatusCode::kUnavailable, "MAINTENANCE_RESERVATION_NOT_CONFIRMED",
    "Slurm has not confirmed the reservation, and maintenance was not started: "
    "try again"};

inline constexpr ErrorTemplate kStartTooFar{
    absl::StatusCode::kInvalidArgument, "MAINTENANCE_START_TOO_FAR",
    "startsAt must be at most a year from now"};

inline constexpr ErrorTemplate kEndInvalid{
    absl::StatusCode::kInvalidArgument, "MAINTENANCE_END_INVALID",
    "endsAt must be in the future and after startsAt"};

inline constexpr ErrorTemplate kEndTooFar{
    absl::StatusCode::kInvalidArgument, "MAINTENANCE_END_TOO_FAR",
    "endsAt must be at most a year after startsAt"};

inline constexpr ErrorTemplate kMessageInvalid{
    absl::StatusCode::kInvalidArgument, "MAINTENANCE_MESSAGE_INVALID",
    "message: expected 1 to {max} printable characters"};

inline constexpr ErrorTemplate kPartsWithoutReservation{
    absl::StatusCode::kInvalidArgument, "MAINTENANCE_PARTS_WITHOUT_RESERVATION",
    "partition and nodes are for a reservation: set reserve"};

inline constexpr ErrorTemplate kPartitionAndNodes{
    absl::StatusCode::kInvalidArgument, "MAINTENANCE_PARTITION_AND_NODES",
    "partition and nodes exclude each other: set one of them"};

inline constexpr ErrorTemplate kStartPassed{absl::StatusCode::kInvalidArgument,
                                            "MAINTENANCE_START_PASSED",
                                            "startsAt must not be in the past"};

inline constexpr TextTemplate kNoJobs{
    "MAINTENANCE_NO_JOBS",
    "no new jobs during maintenance, until {end}: {announcement}"};

inline constexpr TextTemplate kNoJobsAfterEnd{
    "MAINTENANCE_NO_JOBS_AFTER_END",
    "no new jobs during maintenance, longer than expected ({end}): "
    "{announcement}"};

}  // namespace carme::backend::maintenance_messages

#endif  // CARME_BACKEND_MAINTENANCE_MESSAGES_H_
