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
inline constexpr MessageTemplate kNotOffered{
    "reservations are not offered at this site"};
inline constexpr MessageTemplate kProjectRequired{
    "you may reserve only for a project that you manage"};
// Also the answer for a project that the caller is not a member of.
inline constexpr MessageTemplate kNoSuchProject{"project not found"};
inline constexpr MessageTemplate kProjectNotManaged{
    "you do not manage this project; ask its owner or one of its managers"};
inline constexpr MessageTemplate kProjectNotActive{"the project is not active"};
inline constexpr MessageTemplate kManagersMayNot{
    "project managers may not make reservations at this site"};
inline constexpr MessageTemplate kTooManyMembers{
    "the project has {members} members: a reservation takes at most {max}"};
inline constexpr MessageTemplate kInvalidTitle{
    "title: expected 1 to {max} printable characters"};
inline constexpr MessageTemplate kTooManyNodes{
    "{nodes} nodes: this site allows at most {max} (max_nodes)"};
inline constexpr MessageTemplate kTooLong{
    "{minutes} minutes: this site allows at most {max} (max_minutes)"};
inline constexpr MessageTemplate kTooManyOfUser{
    "you have {reservations} active reservations: this site allows at most "
    "{max} (max_per_user)"};
inline constexpr MessageTemplate kTooManyOfProject{
    "the project has {reservations} active reservations: this site allows at "
    "most {max} (max_per_project)"};
inline constexpr MessageTemplate kUnknownPartition{
    "partition \"{partition}\": expected one of {partitions}"};
inline constexpr MessageTemplate kInvalidDuration{
    "duration must be at least one minute, in whole minutes"};
inline constexpr MessageTemplate kStartInThePast{
    "the start must be in the future"};
inline constexpr MessageTemplate kStartTooLate{
    "the start is in {days} days: this site allows at most {max} "
    "(max_days_ahead)"};
inline constexpr MessageTemplate kNoNodes{"{nodes} nodes: expected at least 1"};
inline constexpr MessageTemplate kTooFewFreeNodes{
    "only {free} of {nodes} nodes of partition \"{partition}\" are in no other "
    "reservation then: request fewer nodes or another time"};
inline constexpr MessageTemplate kSlurmUnavailable{
    "Slurm is not available; try again later"};

// Notifications.
inline constexpr MessageTemplate kProjectEnded{
    "Your reservation \"{title}\" is cancelled because its project has ended."};
inline constexpr MessageTemplate kNotCreated{
    "Your reservation \"{title}\" could not be created: Slurm did not "
    "respond."};
inline constexpr MessageTemplate kRemovedInSlurm{
    "Your reservation \"{title}\" was removed in Slurm."};

}  // namespace carme::backend::reservation_messages

#endif  // CARME_BACKEND_RESERVATIONS_MESSAGES_H_
