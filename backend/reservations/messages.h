// The messages about reservations (common/message.h).
#ifndef CARME_BACKEND_RESERVATIONS_MESSAGES_H_
#define CARME_BACKEND_RESERVATIONS_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::reservation_messages {

// Also the answer for a reservation that the caller cannot see.
inline constexpr ErrorTemplate kNotFound{absl::StatusCode::kNotFound,
                                         "RESERVATION_NOT_FOUND",
                                         "reservation not found"};
inline constexpr ErrorTemplate kKeyUsed{
    absl::StatusCode::kAlreadyExists, "RESERVATION_IDEMPOTENCY_KEY_USED",
    "the idempotency key was used for another reservation; use a new key"};
inline constexpr ErrorTemplate kNotAllowedToCancel{
    absl::StatusCode::kPermissionDenied, "RESERVATION_CANCEL_DENIED",
    "only the owner may cancel this reservation, or a manager of its project "
    "or an administrator"};
inline constexpr ErrorTemplate kNotConfirmed{
    absl::StatusCode::kFailedPrecondition, "RESERVATION_NOT_CONFIRMED",
    "Slurm has not confirmed the reservation yet; try again in a few minutes"};
inline constexpr ErrorTemplate kChangedMeanwhile{
    absl::StatusCode::kAborted, "RESERVATION_CHANGED_MEANWHILE",
    "the reservation has changed meanwhile"};

// Reasons of a refusal.
inline constexpr TextTemplate kNotOffered{
    "RESERVATION_NOT_OFFERED", "reservations are not offered at this site"};
inline constexpr TextTemplate kProjectRequired{
    "RESERVATION_PROJECT_REQUIRED",
    "you may reserve only for a project that you manage"};
// Also the answer for a project that the caller is not a member of.
inline constexpr TextTemplate kNoSuchProject{"RESERVATION_NO_SUCH_PROJECT",
                                             "project not found"};
inline constexpr TextTemplate kProjectNotManaged{
    "RESERVATION_PROJECT_NOT_MANAGED",
    "you do not manage this project; ask its owner or one of its managers"};
inline constexpr TextTemplate kProjectNotActive{
    "RESERVATION_PROJECT_NOT_ACTIVE", "the project is not active"};
inline constexpr TextTemplate kManagersMayNot{
    "RESERVATION_MANAGERS_MAY_NOT",
    "project managers may not make reservations at this site"};
inline constexpr TextTemplate kTooManyMembers{
    "RESERVATION_TOO_MANY_MEMBERS",
    "the project has {members} members: a reservation takes at most {max}"};
inline constexpr TextTemplate kInvalidTitle{
    "RESERVATION_INVALID_TITLE",
    "title: expected 1 to {max} printable characters"};
inline constexpr TextTemplate kTooManyNodes{
    "RESERVATION_TOO_MANY_NODES",
    "{nodes} nodes: this site allows at most {max} (max_nodes)"};
inline constexpr TextTemplate kTooLong{
    "RESERVATION_TOO_LONG",
    "{minutes} minutes: this site allows at most {max} (max_minutes)"};
inline constexpr TextTemplate kTooManyOfUser{
    "RESERVATION_TOO_MANY_OF_USER",
    "you have {reservations} active reservations: this site allows at most "
    "{max} (max_per_user)"};
inline constexpr TextTemplate kTooManyOfProject{
    "RESERVATION_TOO_MANY_OF_PROJECT",
    "the project has {reservations} active reservations: this site allows at "
    "most {max} (max_per_project)"};
inline constexpr TextTemplate kUnknownPartition{
    "RESERVATION_UNKNOWN_PARTITION",
    "partition \"{partition}\": expected one of {partitions}"};
inline constexpr TextTemplate kInvalidDuration{
    "RESERVATION_INVALID_DURATION",
    "duration must be at least one minute, in whole minutes"};
inline constexpr TextTemplate kStartInThePast{
    "RESERVATION_START_IN_THE_PAST", "the start must be in the future"};
inline constexpr TextTemplate kStartTooLate{
    "RESERVATION_START_TOO_LATE",
    "the start is in {days} days: this site allows at most {max} "
    "(max_days_ahead)"};
inline constexpr TextTemplate kNoNodes{"RESERVATION_NO_NODES",
                                       "{nodes} nodes: expected at least 1"};
inline constexpr TextTemplate kTooFewFreeNodes{
    "RESERVATION_TOO_FEW_FREE_NODES",
    "only {free} of {nodes} nodes of partition \"{partition}\" are in no other "
    "reservation then: request fewer nodes or another time"};
inline constexpr TextTemplate kSlurmUnavailable{
    "RESERVATION_SLURM_UNAVAILABLE", "Slurm is not available; try again later"};

// Notifications.
inline constexpr TextTemplate kProjectEnded{
    "RESERVATION_PROJECT_ENDED",
    "Your reservation \"{title}\" is cancelled because its project has ended."};
inline constexpr TextTemplate kNotCreated{
    "RESERVATION_NOT_CREATED",
    "Your reservation \"{title}\" could not be created: Slurm did not "
    "respond."};
inline constexpr TextTemplate kRemovedInSlurm{
    "RESERVATION_REMOVED_IN_SLURM",
    "Your reservation \"{title}\" was removed in Slurm."};

}  // namespace carme::backend::reservation_messages

#endif  // CARME_BACKEND_RESERVATIONS_MESSAGES_H_
