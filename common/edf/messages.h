// Problems of environment files (EDF), which users read in their terminal and
// on the page of environments.
#ifndef CARME_COMMON_EDF_MESSAGES_H_
#define CARME_COMMON_EDF_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::edf_messages {

// `name` is "mounts[2]" or the like.
inline constexpr TextTemplate kRefused{"EDF_REFUSED",
                                       "{name} is {value}: {why}"};

// Directories.
inline constexpr TextTemplate kPlaces{"EDF_PLACES", "{first}, {further}"};

inline constexpr TextTemplate kExpandsToNotUtf8{"EDF_EXPANDS_TO_NOT_UTF8",
                                                "expands to what is not UTF-8"};

inline constexpr TextTemplate kBraceMissing{"EDF_BRACE_MISSING",
                                            "expected \"{brace}\" at its end"};

inline constexpr TextTemplate kTooManyDefaults{
    "EDF_TOO_MANY_DEFAULTS", "expected at most {max} defaults in each other"};

inline constexpr TextTemplate kExpandsTooLong{
    "EDF_EXPANDS_TOO_LONG", "expands to more than {max} bytes"};

inline constexpr TextTemplate kNotAReference{
    "EDF_NOT_A_REFERENCE",
    "{found} is not a reference to a variable: {expected}"};

inline constexpr TextTemplate kNoRegistry{"EDF_NO_REGISTRY",
                                          "has no registry before \"#\""};

inline constexpr TextTemplate kNoUserName{"EDF_NO_USER_NAME",
                                          "has no user name before \"@\""};

inline constexpr TextTemplate kNoTag{"EDF_NO_TAG", "has no tag after \":\""};

inline constexpr TextTemplate kNoHostName{"EDF_NO_HOST_NAME",
                                          "has no host name before \"#\""};

inline constexpr TextTemplate kNoImageName{"EDF_NO_IMAGE_NAME",
                                           "has no image name"};

inline constexpr TextTemplate kNoDigest{
    "EDF_NO_DIGEST", "has no 64 hexadecimal digits after \"@sha256:\""};

inline constexpr TextTemplate kNamesTheStore{
    "EDF_NAMES_THE_STORE", "names the store: expected store#NAME[:VERSION]"};

inline constexpr TextTemplate kHasAScheme{"EDF_HAS_A_SCHEME", "has a \"://\""};

inline constexpr TextTemplate kNotAnImage{
    "EDF_NOT_AN_IMAGE",
    "{fault}: expected a path that begins with \"/\" or \"./\", "
    "[USER@][REGISTRY#]IMAGE[:TAG], or store#NAME[:VERSION]"};

inline constexpr TextTemplate kDigestOfUser{
    "EDF_DIGEST_OF_USER",
    "names image \"sha256\" for user \"{user}\": for a digest write "
    "\"{user}@sha256:\" and its 64 hexadecimal digits"};

inline constexpr TextTemplate kRefersToDockerHub{
    "EDF_REFERS_TO_DOCKER_HUB",
    "refers to Docker Hub: if \"{host}\" is a registry, write \"{image}\""};

inline constexpr TextTemplate kFoundString{"EDF_FOUND_STRING",
                                           "a string, {value}"};

inline constexpr TextTemplate kFoundInteger{"EDF_FOUND_INTEGER",
                                            "an integer, {value}"};

inline constexpr TextTemplate kFoundTrue{"EDF_FOUND_TRUE", "a boolean, true"};

inline constexpr TextTemplate kFoundFalse{"EDF_FOUND_FALSE",
                                          "a boolean, false"};

inline constexpr TextTemplate kFoundArray{"EDF_FOUND_ARRAY", "an array"};

inline constexpr TextTemplate kFoundTable{"EDF_FOUND_TABLE", "a table"};

inline constexpr TextTemplate kFoundFloat{"EDF_FOUND_FLOAT", "a float"};

inline constexpr TextTemplate kUnknownKey{
    "EDF_UNKNOWN_KEY", "unknown key {key}: it has no effect here"};

inline constexpr TextTemplate kWrongType{
    "EDF_WRONG_TYPE", "{name} is {found}: expected {expected}"};

inline constexpr TextTemplate kExpectString{"EDF_EXPECT_STRING", "a string"};

inline constexpr TextTemplate kExpectBoolean{"EDF_EXPECT_BOOLEAN",
                                             "true or false"};

inline constexpr TextTemplate kExpectStrings{"EDF_EXPECT_STRINGS",
                                             "an array of strings"};

inline constexpr TextTemplate kExpectStringOrStrings{
    "EDF_EXPECT_STRING_OR_STRINGS", "a string or an array of strings"};

inline constexpr TextTemplate kExpectTable{"EDF_EXPECT_TABLE", "a table"};

inline constexpr TextTemplate kExpectAnnotation{
    "EDF_EXPECT_ANNOTATION", "a string, a number, a boolean or a table"};

inline constexpr TextTemplate kZeroByte{"EDF_ZERO_BYTE",
                                        "expected no zero byte"};

inline constexpr TextTemplate kInvalidKey{
    "EDF_INVALID_KEY",
    "{table} has the key {key}: expected a printable name of 1 to {max} bytes, "
    "once, and in env without \"=\""};

inline constexpr TextTemplate kTooManyEntries{
    "EDF_TOO_MANY_ENTRIES",
    "{name} has {entries} entries: expected at most {max}"};

inline constexpr TextTemplate kFileTooLong{
    "EDF_FILE_TOO_LONG", "is {bytes} bytes long: expected at most {max}"};

inline constexpr TextTemplate kSqshNotAlone{"EDF_SQSH_NOT_ALONE",
                                            "expected \"sqsh\" to stand alone"};

inline constexpr TextTemplate kExpectOneFlag{"EDF_EXPECT_ONE_FLAG",
                                             "expected one of {flags}"};

inline constexpr TextTemplate kUnknownFlag{
    "EDF_UNKNOWN_FLAG",
    "expected \"sqsh\", or of ro, rw, bind, rbind, nosuid, nodev, noexec, "
    "private, rprivate, slave, rslave, joined with \"+\" or \",\""};

inline constexpr TextTemplate kMountFieldCount{
    "EDF_MOUNT_FIELD_COUNT",
    "has {fields} fields: expected SOURCE:DESTINATION[:FLAGS] or one path"};

inline constexpr TextTemplate kMountDestination{
    "EDF_MOUNT_DESTINATION",
    "expected a destination below \"/\" and without \"..\""};

inline constexpr TextTemplate kSource{"EDF_SOURCE", "source"};

inline constexpr TextTemplate kDestination{"EDF_DESTINATION", "destination"};

inline constexpr TextTemplate kMountPathFault{"EDF_MOUNT_PATH_FAULT",
                                              "{part} {path} {fault}"};

inline constexpr TextTemplate kMountPath{
    "EDF_MOUNT_PATH",
    "{part} {path}: expected a path that begins with \"/\" or \"./\""};

inline constexpr TextTemplate kMountFlags{"EDF_MOUNT_FLAGS",
                                          "flags {flags}: {fault}"};

inline constexpr TextTemplate kPathCharacter{
    "EDF_PATH_CHARACTER",
    "has a character that is not allowed in a path: expected text"};

inline constexpr TextTemplate kPathColon{
    "EDF_PATH_COLON",
    "has a \":\": expected none, because it separates fields"};

inline constexpr TextTemplate kPathTooLong{
    "EDF_PATH_TOO_LONG", "is {bytes} bytes long: expected at most {max}"};

inline constexpr TextTemplate kGpuWithoutEffect{
    "EDF_GPU_WITHOUT_EFFECT",
    "it has no effect here: a step has the GPUs that Slurm allocated to it; "
    "expected \"{all_gpus}\""};

inline constexpr TextTemplate kCdiWithoutEffect{
    "EDF_CDI_WITHOUT_EFFECT",
    "this CDI device is not supported and has no effect here: expected a path "
    "below \"/dev/\" or \"{all_gpus}\""};

inline constexpr TextTemplate kEnvironmentTooLong{
    "EDF_ENVIRONMENT_TOO_LONG",
    "the environment has more than {max} bytes once its variables are "
    "expanded: expected less"};

inline constexpr TextTemplate kImageMissing{
    "EDF_IMAGE_MISSING",
    "\"image\" is missing or empty: expected one here or in a "
    "\"base_environment\""};

inline constexpr TextTemplate kSquashfsMissing{
    "EDF_SQUASHFS_MISSING", "expected a SquashFS file at {path}"};

inline constexpr TextTemplate kSquashfsNotAFile{"EDF_SQUASHFS_NOT_A_FILE",
                                                "{path} is not a regular file"};

inline constexpr TextTemplate kDeviceInvalid{
    "EDF_DEVICE_INVALID",
    "expected a path below \"/dev/\" or a CDI name such as "
    "\"nvidia.com/gpu=all\""};

inline constexpr TextTemplate kOneTooMany{
    "EDF_ONE_TOO_MANY",
    "is one too many with what is inherited: expected at most {max}"};

inline constexpr TextTemplate kRelativePath{
    "EDF_RELATIVE_PATH", "expected a path that begins with \"/\" or \"./\""};

inline constexpr TextTemplate kTooManyInherited{
    "EDF_TOO_MANY_INHERITED",
    "\"{name}\" has {entries} entries with what is inherited: expected at most "
    "{max}"};

inline constexpr TextTemplate kHookWithoutEffect{
    "EDF_HOOK_WITHOUT_EFFECT",
    "annotation {annotation}: hooks are not supported here, so it has no "
    "effect"};

inline constexpr TextTemplate kUnreadable{"EDF_UNREADABLE",
                                          "cannot read {path}: {cause}"};

inline constexpr TextTemplate kBaseReturns{
    "EDF_BASE_RETURNS", "the chain of base environments returns to {path}"};

inline constexpr TextTemplate kTooManyLevels{
    "EDF_TOO_MANY_LEVELS", "is a level too deep: expected at most {max}"};

inline constexpr TextTemplate kTooManyFiles{
    "EDF_TOO_MANY_FILES", "is a file too many: expected at most {max}"};

inline constexpr TextTemplate kSearchPath{
    "EDF_SEARCH_PATH",
    "EDF_PATH names {directory}: expected absolute directories, with \":\" "
    "between them"};

inline constexpr TextTemplate kNoFileName{"EDF_NO_FILE_NAME",
                                          "has no file name"};

inline constexpr TextTemplate kNoExtension{
    "EDF_NO_EXTENSION", "has no extension: expected \".toml\""};

inline constexpr TextTemplate kWrongExtension{
    "EDF_WRONG_EXTENSION", "has the extension {extension}: expected \".toml\""};

inline constexpr TextTemplate kNotFoundAt{
    "EDF_NOT_FOUND_AT", "environment {name} not found at {path}"};

inline constexpr TextTemplate kNotAFile{
    "EDF_NOT_A_FILE", "cannot read {path}: expected a regular file"};

inline constexpr TextTemplate kNameMissing{
    "EDF_NAME_MISSING", "expected the name or path of an environment"};

inline constexpr TextTemplate kNameWithDots{"EDF_NAME_WITH_DOTS",
                                            "expected a name without \"..\""};

inline constexpr TextTemplate kNotFoundIn{
    "EDF_NOT_FOUND_IN", "environment {name} not found at {directories}"};

inline constexpr TextTemplate kNestedTooDeep{
    "EDF_NESTED_TOO_DEEP",
    "brackets are nested too deep: expected at most {max}"};

inline constexpr TextTemplate kTooManyDots{
    "EDF_TOO_MANY_DOTS",
    "the keys of one statement have too many dots: expected at most {max}"};

inline constexpr TextTemplate kByteOutsideQuotes{
    "EDF_BYTE_OUTSIDE_QUOTES",
    "byte 0x{byte} is outside of quotes: expected ASCII there, without control "
    "characters"};

inline constexpr TextTemplate kNotAValue{
    "EDF_NOT_A_VALUE",
    "{found} is not a value: expected a string in quotes, true, false, a "
    "decimal number, an array or a table"};

inline constexpr TextTemplate kInvalidEscape{
    "EDF_INVALID_ESCAPE",
    "\"\\\" in a string must be followed by one of b t n f r u U \" \\, or a "
    "new line that begins with ASCII"};

inline constexpr TextTemplate kReferenceForm{
    "EDF_REFERENCE_FORM", "expected \"{form}\", or \"$$\" for a dollar sign"};

inline constexpr TextTemplate kReferenceForms{
    "EDF_REFERENCE_FORMS", "expected \"{form}\" or \"{with_default}\""};

inline constexpr TextTemplate kUndefinedVariable{
    "EDF_UNDEFINED_VARIABLE",
    "variable {name} is not defined: expected it in the environment of the "
    "command, or a default: \"{with_default}\""};

inline constexpr ErrorTemplate kNoFiles{absl::StatusCode::kNotFound,
                                        "EDF_NO_FILES", "no files here"};

}  // namespace carme::edf_messages

#endif  // CARME_COMMON_EDF_MESSAGES_H_
