// The messages about stored jobs and presets (common/message.h).
#ifndef CARME_BACKEND_JOBS_STORE_MESSAGES_H_
#define CARME_BACKEND_JOBS_STORE_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::job_store_messages {

inline constexpr ErrorTemplate kKeyUsed{
    absl::StatusCode::kAlreadyExists, "JOB_IDEMPOTENCY_KEY_USED",
    "the idempotency key was already used for another job, \"{job}\": use a "
    "new key for a new spec"};
inline constexpr ErrorTemplate kNoSuchJob{
    absl::StatusCode::kNotFound, "JOB_RECORD_NOT_FOUND", "no such job"};
inline constexpr ErrorTemplate kNoEnvironment{absl::StatusCode::kNotFound,
                                              "JOB_HAS_NO_ENVIRONMENT",
                                              "the job has no environment"};
inline constexpr ErrorTemplate kUserUnknown{absl::StatusCode::kNotFound,
                                            "JOB_OWNER_NEVER_LOGGED_IN",
                                            "the user has not logged in"};
inline constexpr ErrorTemplate kDatabaseSilent{
    absl::StatusCode::kUnavailable, "JOB_DATABASE_UNAVAILABLE",
    "the database has not responded for {seconds} s"};

// Presets.
inline constexpr ErrorTemplate kInvalidPresetName{
    absl::StatusCode::kInvalidArgument, "JOB_PRESET_NAME_INVALID",
    "name: expected 1 to {max} printable characters"};
inline constexpr ErrorTemplate kInvalidPresetSpec{
    absl::StatusCode::kInvalidArgument, "JOB_PRESET_SPEC_INVALID",
    "spec: builds and linkedTo are not allowed in a preset"};
inline constexpr ErrorTemplate kPresetTooLong{
    absl::StatusCode::kInvalidArgument, "JOB_PRESET_TOO_LONG",
    "spec has {bytes} bytes: expected at most {max}"};
inline constexpr ErrorTemplate kTooManyPresets{
    absl::StatusCode::kResourceExhausted, "JOB_PRESET_LIMIT_REACHED",
    "you have {presets} presets: expected fewer than {max}"};

}  // namespace carme::backend::job_store_messages

#endif  // CARME_BACKEND_JOBS_STORE_MESSAGES_H_
