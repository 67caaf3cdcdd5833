// Causes that `carmectl doctor` prints when it inspects a host.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_HOST_MESSAGES_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_HOST_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::carmectl::doctor_host_messages {

inline constexpr ErrorTemplate kAccountMissing{
    absl::StatusCode::kNotFound, "DOCTOR_HOST_ACCOUNT_MISSING",
    "the account \"{name}\" does not exist"};

inline constexpr ErrorTemplate kNameWithoutAddress{
    absl::StatusCode::kNotFound, "DOCTOR_HOST_NAME_WITHOUT_ADDRESS",
    "the name \"{host}\" has no address: {cause}"};

inline constexpr ErrorTemplate kAuthorityUnusable{
    absl::StatusCode::kFailedPrecondition, "DOCTOR_HOST_AUTHORITY_UNUSABLE",
    "\"{path}\" cannot be used: {cause}"};

inline constexpr ErrorTemplate kCertificateUnusable{
    absl::StatusCode::kFailedPrecondition, "DOCTOR_HOST_CERTIFICATE_UNUSABLE",
    "\"{path}\" or its key cannot be used: {cause}"};

inline constexpr ErrorTemplate kTlsFailed{absl::StatusCode::kFailedPrecondition,
                                          "DOCTOR_HOST_TLS_FAILED",
                                          "TLS: {cause}"};

inline constexpr ErrorTemplate kNotHostPort{absl::StatusCode::kInvalidArgument,
                                            "DOCTOR_HOST_NOT_HOST_PORT",
                                            "\"{text}\" is not HOST:PORT"};

inline constexpr ErrorTemplate kNoDate{absl::StatusCode::kNotFound,
                                       "DOCTOR_HOST_NO_DATE",
                                       "the response has no Date"};

inline constexpr ErrorTemplate kToolMissing{
    absl::StatusCode::kNotFound, "DOCTOR_HOST_TOOL_MISSING",
    "the program {tool} is not installed"};

inline constexpr ErrorTemplate kToolLate{absl::StatusCode::kDeadlineExceeded,
                                         "DOCTOR_HOST_TOOL_LATE",
                                         "{tool} did not end within {timeout}"};

}  // namespace carme::carmectl::doctor_host_messages

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_HOST_MESSAGES_H_
