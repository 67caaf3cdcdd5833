// Errors of the site's certificate authority.
#ifndef CARME_BACKEND_CARMECTL_PKI_MESSAGES_H_
#define CARME_BACKEND_CARMECTL_PKI_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::carmectl::pki_messages {

inline constexpr ErrorTemplate kJobRole{
    absl::StatusCode::kInvalidArgument, "PKI_JOB_ROLE",
    "role is \"job\": expected backend, frontend, proxy, metrics "
    "or cluster"};

inline constexpr ErrorTemplate kInvalidName{
    absl::StatusCode::kInvalidArgument, "PKI_INVALID_NAME",
    "name is \"{name}\": expected 1 to 63 of a-z, 0-9, \".\" and \"-\""};

inline constexpr ErrorTemplate kTooManyDnsNames{
    absl::StatusCode::kInvalidArgument, "PKI_TOO_MANY_DNS_NAMES",
    "{names} DNS names: expected at most {max}"};

inline constexpr ErrorTemplate kInvalidDnsName{
    absl::StatusCode::kInvalidArgument, "PKI_INVALID_DNS_NAME",
    "DNS name is \"{name}\": expected a host name in lower case"};

inline constexpr ErrorTemplate kDirectoryOwner{
    absl::StatusCode::kPermissionDenied, "PKI_DIRECTORY_OWNER",
    "\"{directory}\" belongs to uid {owner} and has mode {mode}: expected uid "
    "{uid} and 700"};

inline constexpr ErrorTemplate kAuthorityExists{
    absl::StatusCode::kAlreadyExists, "PKI_AUTHORITY_EXISTS",
    "\"{directory}\" has an authority already"};

inline constexpr ErrorTemplate kKeyUnusable{
    absl::StatusCode::kFailedPrecondition, "PKI_KEY_UNUSABLE",
    "\"{path}\": expected no key, or a good one"};

inline constexpr ErrorTemplate kCertificateExists{
    absl::StatusCode::kAlreadyExists, "PKI_CERTIFICATE_EXISTS",
    "{identity} has a good certificate, serial {serial}: renew it, or revoke "
    "it first"};

inline constexpr ErrorTemplate kFileExists{
    absl::StatusCode::kAlreadyExists, "PKI_FILE_EXISTS",
    "\"{stem}{ending}\" is there already"};

inline constexpr ErrorTemplate kNothingToRenew{
    absl::StatusCode::kNotFound, "PKI_NOTHING_TO_RENEW",
    "{identity} has no certificate to renew"};

inline constexpr ErrorTemplate kSerialNotFound{
    absl::StatusCode::kNotFound, "PKI_SERIAL_NOT_FOUND",
    "no certificate has the serial \"{serial}\""};

inline constexpr ErrorTemplate kIndexDamaged{
    absl::StatusCode::kFailedPrecondition, "PKI_INDEX_DAMAGED",
    "line {line} of the index is \"{text}\": expected serial, role, name, DNS "
    "names and three times"};

inline constexpr ErrorTemplate kAuthorityEndsBefore{
    absl::StatusCode::kInvalidArgument, "PKI_AUTHORITY_ENDS_BEFORE",
    "it would end after its authority does, which is on {day}"};

inline constexpr ErrorTemplate kDnsNameMissing{
    absl::StatusCode::kInvalidArgument, "PKI_DNS_NAME_MISSING",
    "no DNS name: a backend's certificate needs one"};

inline constexpr ErrorTemplate kDnsNamesUnexpected{
    absl::StatusCode::kInvalidArgument, "PKI_DNS_NAMES_UNEXPECTED",
    "DNS names are for a backend: expected none"};

}  // namespace carme::carmectl::pki_messages

#endif  // CARME_BACKEND_CARMECTL_PKI_MESSAGES_H_
