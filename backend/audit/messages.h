// The messages about the audit log (common/message.h).
#ifndef CARME_BACKEND_AUDIT_MESSAGES_H_
#define CARME_BACKEND_AUDIT_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::audit_messages {

inline constexpr ErrorTemplate kNotAvailable{
    absl::StatusCode::kUnavailable, "AUDIT_NOT_AVAILABLE",
    "the audit log is not available; try again in a moment"};

inline constexpr ErrorTemplate kNewestEntryDiffers{
    absl::StatusCode::kDataLoss, "AUDIT_NEWEST_ENTRY_DIFFERS",
    "the newest entry in the table is {found}: expected {expected}, the last "
    "one that was written: rows were added or removed"};

inline constexpr ErrorTemplate kFilterTimeInvalid{
    absl::StatusCode::kInvalidArgument, "AUDIT_FILTER_TIME_INVALID",
    "filter.{field} is {found} s: expected a time"};

inline constexpr ErrorTemplate kFilterTooLong{
    absl::StatusCode::kInvalidArgument, "AUDIT_FILTER_TOO_LONG",
    "filter.{field} has {bytes} bytes: expected at most {max}"};

inline constexpr ErrorTemplate kFilterPeriodInvalid{
    absl::StatusCode::kInvalidArgument, "AUDIT_FILTER_PERIOD_INVALID",
    "filter.since is not before filter.until: expected an earlier time"};

inline constexpr ErrorTemplate kFilterDecisionInvalid{
    absl::StatusCode::kInvalidArgument, "AUDIT_FILTER_DECISION_INVALID",
    "filter.decision is \"{decision}\": expected \"allow\" or \"refuse\""};

inline constexpr ErrorTemplate kEntryNotJson{absl::StatusCode::kDataLoss,
                                             "AUDIT_ENTRY_NOT_JSON",
                                             "expected an entry as JSON"};

inline constexpr ErrorTemplate kHeadInvalid{
    absl::StatusCode::kDataLoss, "AUDIT_HEAD_INVALID",
    "audit log: its newest entry {sequence} has a hash of {bytes} bytes: "
    "expected {expected}: see \"carmectl audit verify\""};

inline constexpr ErrorTemplate kEntryOutOfOrder{
    absl::StatusCode::kDataLoss, "AUDIT_ENTRY_OUT_OF_ORDER",
    "entry {found} comes after {previous}: expected {expected}"};

inline constexpr ErrorTemplate kEntryChanged{
    absl::StatusCode::kDataLoss, "AUDIT_ENTRY_CHANGED",
    "entry {sequence} does not match its hash: the entry or an earlier one was "
    "changed"};

inline constexpr MessageTemplate kEntriesMissing{
    "the entries up to {end} are missing, and no entry mentions the archive "
    "\"{archive}\""};

inline constexpr MessageTemplate kHashNotFound{
    "no entry has the hash {hash}: entries at the end are missing, or the "
    "chain was recomputed"};

inline constexpr MessageTemplate kHashNotFoundOrArchived{
    "no entry has the hash {hash}: entries at the end are missing, or the "
    "chain was recomputed, or it is in an archive"};

}  // namespace carme::backend::audit_messages

#endif  // CARME_BACKEND_AUDIT_MESSAGES_H_
