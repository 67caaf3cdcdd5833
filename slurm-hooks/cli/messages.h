// Errors of the program `carme`.
#ifndef CARME_SLURM_HOOKS_CLI_MESSAGES_H_
#define CARME_SLURM_HOOKS_CLI_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::cli_messages {

inline constexpr ErrorTemplate kOutputNotWritten{
    absl::StatusCode::kDataLoss, "CLI_OUTPUT_NOT_WRITTEN",
    "standard output cannot be written"};

inline constexpr ErrorTemplate kPullFailed{
    absl::StatusCode::kUnknown, "CLI_PULL_FAILED",
    "\"{command}\" failed with exit code {exit_code}"};

inline constexpr ErrorTemplate kNotAFile{absl::StatusCode::kFailedPrecondition,
                                         "CLI_NOT_A_FILE",
                                         "{subject} is no file"};

inline constexpr ErrorTemplate kNotInARegistry{
    absl::StatusCode::kInvalidArgument, "CLI_NOT_IN_A_REGISTRY",
    "\"{image}\" is in no registry: expected [REGISTRY#]IMAGE[:TAG]"};

inline constexpr ErrorTemplate kNoImageFolder{
    absl::StatusCode::kFailedPrecondition, "CLI_NO_IMAGE_FOLDER",
    "no folder for images: expected EDF_IMAGESTORE, SCRATCH or HOME to be an "
    "absolute path"};

inline constexpr ErrorTemplate kNoImage{absl::StatusCode::kNotFound,
                                        "CLI_NO_IMAGE", "no image \"{image}\""};

inline constexpr ErrorTemplate kDigestTooShort{
    absl::StatusCode::kInvalidArgument, "CLI_DIGEST_TOO_SHORT",
    "\"{image}\": expected sha256: and at least {digits} hexadecimal digits"};

inline constexpr ErrorTemplate kNotAnImage{
    absl::StatusCode::kInvalidArgument, "CLI_NOT_AN_IMAGE",
    "\"{image}\": expected [REGISTRY#]IMAGE[:TAG] or sha256:DIGEST"};

inline constexpr ErrorTemplate kDigestAmbiguous{
    absl::StatusCode::kInvalidArgument, "CLI_DIGEST_AMBIGUOUS",
    "\"{image}\" begins {digests} digests: expected more of it"};

inline constexpr ErrorTemplate kNotInAJob{
    absl::StatusCode::kFailedPrecondition, "CLI_NOT_IN_A_JOB",
    "{variable} is not set: expected a job of Carme's; in a shell that does "
    "not know it, read \"$CARME_ENV\""};

inline constexpr ErrorTemplate kRankTooLarge{
    absl::StatusCode::kFailedPrecondition, "CLI_RANK_TOO_LARGE",
    "NODE_RANK is \"{rank}\": expected below {nodes}"};

inline constexpr ErrorTemplate kTorchrunFailed{
    absl::StatusCode::kUnknown, "CLI_TORCHRUN_FAILED",
    "torchrun on {node} ended with exit code {exit_code}"};

inline constexpr MessageTemplate kCommandMissing{
    "a command is missing: expected {commands}; see \"{command} --help\""};

inline constexpr MessageTemplate kCommandUnknown{
    "unknown command \"{found}\": expected {commands}; see \"{command} "
    "--help\""};

inline constexpr MessageTemplate kVetNotInstalled{
    "carme-vet is not in {path}: run carme vet on a node of the cluster, "
    "outside of images"};

inline constexpr MessageTemplate kImageRemoved{"removed {image}, {size}"};

inline constexpr MessageTemplate kNameRemoved{
    "removed {image}, whose file has another name still"};

}  // namespace carme::cli_messages

#endif  // CARME_SLURM_HOOKS_CLI_MESSAGES_H_
