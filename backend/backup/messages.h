// Errors of `carmectl backup` and `carmectl restore`.
#ifndef CARME_BACKEND_BACKUP_MESSAGES_H_
#define CARME_BACKEND_BACKUP_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::backend::backup_messages {

inline constexpr ErrorTemplate kFileExists{
    absl::StatusCode::kAlreadyExists, "BACKUP_FILE_EXISTS",
    "\"{path}\" exists: choose a new name"};

inline constexpr ErrorTemplate kSchemaVersion{
    absl::StatusCode::kFailedPrecondition, "BACKUP_SCHEMA_VERSION",
    "the database has schema version {found}: expected 1 to {newest}; use the "
    "carmectl of the backend that runs on it"};

inline constexpr ErrorTemplate kSameFile{
    absl::StatusCode::kInvalidArgument, "BACKUP_SAME_FILE",
    "database and keys have the same file: choose two names"};

inline constexpr ErrorTemplate kUnexpectedFile{
    absl::StatusCode::kInvalidArgument, "BACKUP_UNEXPECTED_FILE",
    "not a backup: it has \"{file}\""};

inline constexpr ErrorTemplate kManifestNotFirst{
    absl::StatusCode::kInvalidArgument, "BACKUP_MANIFEST_NOT_FIRST",
    "not a backup: expected \"manifest.json\" first"};

inline constexpr ErrorTemplate kManifestInvalid{absl::StatusCode::kDataLoss,
                                                "BACKUP_MANIFEST_INVALID",
                                                "the manifest is invalid"};

inline constexpr ErrorTemplate kFormat{
    absl::StatusCode::kInvalidArgument, "BACKUP_FORMAT",
    "the backup has format {found} of Carme {version}: expected {expected}; "
    "restore it with the carmectl of that version"};

inline constexpr ErrorTemplate kFileDamaged{
    absl::StatusCode::kDataLoss, "BACKUP_FILE_DAMAGED",
    "\"{file}\" is damaged: it has {bytes} bytes with SHA-256 {sha256}, "
    "expected {expected_bytes} with {expected_sha256}"};

inline constexpr ErrorTemplate kNotABackup{absl::StatusCode::kInvalidArgument,
                                           "BACKUP_NOT_A_BACKUP",
                                           "not a backup of carmectl"};

inline constexpr ErrorTemplate kUnknownFile{
    absl::StatusCode::kInvalidArgument, "BACKUP_UNKNOWN_FILE",
    "the backup has an unknown file \"{file}\""};

inline constexpr ErrorTemplate kFileNotListed{
    absl::StatusCode::kDataLoss, "BACKUP_FILE_NOT_LISTED",
    "\"{file}\" is not in the manifest, or twice in the backup"};

inline constexpr ErrorTemplate kIncomplete{
    absl::StatusCode::kDataLoss, "BACKUP_INCOMPLETE",
    "the backup is incomplete: \"{file}\" is missing"};

inline constexpr ErrorTemplate kFileOfAnother{
    absl::StatusCode::kPermissionDenied, "BACKUP_FILE_OF_ANOTHER",
    "\"{path}\" belongs to another user: remove it"};

inline constexpr ErrorTemplate kInUse{
    absl::StatusCode::kAborted, "BACKUP_IN_USE",
    "\"{path}\" is used by another carmectl: wait for it"};

inline constexpr ErrorTemplate kStateExists{
    absl::StatusCode::kFailedPrecondition, "BACKUP_STATE_EXISTS",
    "\"{path}\" exists: use --replace, which keeps the present files in a "
    "directory beside it"};

inline constexpr ErrorTemplate kNoDatabase{
    absl::StatusCode::kInvalidArgument, "BACKUP_NO_DATABASE",
    "\"{path}\" has no database: it is a file for --keys"};

inline constexpr ErrorTemplate kKeysOfAnother{
    absl::StatusCode::kInvalidArgument, "BACKUP_KEYS_OF_ANOTHER",
    "\"{keys}\" belongs to another backup than \"{path}\""};

inline constexpr ErrorTemplate kFileShrank{
    absl::StatusCode::kDataLoss, "BACKUP_FILE_SHRANK",
    "\"{path}\" became shorter while it was read"};

}  // namespace carme::backend::backup_messages

#endif  // CARME_BACKEND_BACKUP_MESSAGES_H_
