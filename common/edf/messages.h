// Problems of environment files (EDF), which users read in their terminal and
// on the page of environments.
#ifndef CARME_COMMON_EDF_MESSAGES_H_
#define CARME_COMMON_EDF_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::edf_messages {

inline constexpr MessageTemplate kExpandsToNotUtf8{
    "expands to what is not UTF-8"};

inline constexpr MessageTemplate kBraceMissing{
    "expected \"{brace}\" at its end"};

inline constexpr MessageTemplate kTooManyDefaults{
    "expected at most {max} defaults in each other"};

inline constexpr MessageTemplate kExpandsTooLong{
    "expands to more than {max} bytes"};

inline constexpr MessageTemplate kNotAReference{
    "{found} is not a reference to a variable: {expected}"};

inline constexpr MessageTemplate kNoRegistry{"has no registry before \"#\""};

inline constexpr MessageTemplate kNoUserName{"has no user name before \"@\""};

inline constexpr MessageTemplate kNoTag{"has no tag after \":\""};

inline constexpr MessageTemplate kNoHostName{"has no host name before \"#\""};

inline constexpr MessageTemplate kNoImageName{"has no image name"};

inline constexpr MessageTemplate kNoDigest{
    "has no 64 hexadecimal digits after \"@sha256:\""};

inline constexpr MessageTemplate kNamesTheStore{
    "names the store: expected store#NAME[:VERSION]"};

inline constexpr MessageTemplate kHasAScheme{"has a \"://\""};

inline constexpr MessageTemplate kNotAnImage{
    "{fault}: expected a path that begins with \"/\" or \"./\", "
    "[USER@][REGISTRY#]IMAGE[:TAG], or store#NAME[:VERSION]"};

inline constexpr MessageTemplate kDigestOfUser{
    "names image \"sha256\" for user \"{user}\": for a digest write "
    "\"{user}@sha256:\" and its 64 hexadecimal digits"};

inline constexpr MessageTemplate kRefersToDockerHub{
    "refers to Docker Hub: if \"{host}\" is a registry, write \"{image}\""};

inline constexpr MessageTemplate kFoundString{"a string, {value}"};

inline constexpr MessageTemplate kFoundInteger{"an integer, {value}"};

inline constexpr MessageTemplate kFoundTrue{"a boolean, true"};

inline constexpr MessageTemplate kFoundFalse{"a boolean, false"};

inline constexpr MessageTemplate kFoundArray{"an array"};

inline constexpr MessageTemplate kFoundTable{"a table"};

inline constexpr MessageTemplate kFoundFloat{"a float"};

inline constexpr MessageTemplate kUnknownKey{
    "unknown key {key}: it has no effect here"};

inline constexpr MessageTemplate kWrongType{
    "{name} is {found}: expected {expected}"};

inline constexpr MessageTemplate kExpectString{"a string"};

inline constexpr MessageTemplate kExpectBoolean{"true or false"};

inline constexpr MessageTemplate kExpectStrings{"an array of strings"};

inline constexpr MessageTemplate kExpectStringOrStrings{
    "a string or an array of strings"};

inline constexpr MessageTemplate kExpectTable{"a table"};

inline constexpr MessageTemplate kExpectAnnotation{
    "a string, a number, a boolean or a table"};

inline constexpr MessageTemplate kZeroByte{"expected no zero byte"};

inline constexpr MessageTemplate kInvalidKey{
    "{table} has the key {key}: expected a printable name of 1 to {max} bytes, "
    "once, and in env without \"=\""};

inline constexpr MessageTemplate kTooManyEntries{
    "{name} has {entries} entries: expected at most {max}"};

inline constexpr MessageTemplate kFileTooLong{
    "is {bytes} bytes long: expected at most {max}"};

inline constexpr MessageTemplate kSqshNotAlone{
    "expected \"sqsh\" to stand alone"};

inline constexpr MessageTemplate kExpectOneFlag{"expected one of {flags}"};

inline constexpr MessageTemplate kUnknownFlag{
    "expected \"sqsh\", or of ro, rw, bind, rbind, nosuid, nodev, noexec, "
    "private, rprivate, slave, rslave, joined with \"+\" or \",\""};

inline constexpr MessageTemplate kMountFieldCount{
    "has {fields} fields: expected SOURCE:DESTINATION[:FLAGS] or one path"};

inline constexpr MessageTemplate kMountDestination{
    "expected a destination below \"/\" and without \"..\""};

inline constexpr MessageTemplate kMountPath{
    "{part} {path}: expected a path that begins with \"/\" or \"./\""};

inline constexpr MessageTemplate kMountFlags{"flags {flags}: {fault}"};

inline constexpr MessageTemplate kPathCharacter{
    "has a character that is not allowed in a path: expected text"};

inline constexpr MessageTemplate kPathColon{
    "has a \":\": expected none, because it separates fields"};

inline constexpr MessageTemplate kPathTooLong{
    "is {bytes} bytes long: expected at most {max}"};

inline constexpr MessageTemplate kGpuWithoutEffect{
    "it has no effect here: a step has the GPUs that Slurm allocated to it; "
    "expected \"{all_gpus}\""};

inline constexpr MessageTemplate kCdiWithoutEffect{
    "this CDI device is not supported and has no effect here: expected a path "
    "below \"/dev/\" or \"{all_gpus}\""};

inline constexpr MessageTemplate kEnvironmentTooLong{
    "the environment has more than {max} bytes once its variables are "
    "expanded: expected less"};

inline constexpr MessageTemplate kImageMissing{
    "\"image\" is missing or empty: expected one here or in a "
    "\"base_environment\""};

inline constexpr MessageTemplate kSquashfsMissing{
    "expected a SquashFS file at {path}"};

inline constexpr MessageTemplate kSquashfsNotAFile{
    "{path} is not a regular file"};

inline constexpr MessageTemplate kDeviceInvalid{
    "expected a path below \"/dev/\" or a CDI name such as "
    "\"nvidia.com/gpu=all\""};

inline constexpr MessageTemplate kOneTooMany{
    "is one too many with what is inherited: expected at most {max}"};

inline constexpr MessageTemplate kRelativePath{
    "expected a path that begins with \"/\" or \"./\""};

inline constexpr MessageTemplate kTooManyInherited{
    "\"{name}\" has {entries} entries with what is inherited: expected at most "
    "{max}"};

inline constexpr MessageTemplate kHookWithoutEffect{
    "annotation {annotation}: hooks are not supported here, so it has no "
    "effect"};

inline constexpr MessageTemplate kUnreadable{"cannot read {path}: {cause}"};

inline constexpr MessageTemplate kBaseReturns{
    "the chain of base environments returns to {path}"};

inline constexpr MessageTemplate kTooManyLevels{
    "is a level too deep: expected at most {max}"};

inline constexpr MessageTemplate kTooManyFiles{
    "is a file too many: expected at most {max}"};

inline constexpr MessageTemplate kSearchPath{
    "EDF_PATH names {directory}: expected absolute directories, with \":\" "
    "between them"};

inline constexpr MessageTemplate kNoFileName{"has no file name"};

inline constexpr MessageTemplate kNoExtension{
    "has no extension: expected \".toml\""};

inline constexpr MessageTemplate kWrongExtension{
    "has the extension {extension}: expected \".toml\""};

inline constexpr MessageTemplate kNotFoundAt{
    "environment {name} not found at {path}"};

inline constexpr MessageTemplate kNotAFile{
    "cannot read {path}: expected a regular file"};

inline constexpr MessageTemplate kNameMissing{
    "expected the name or path of an environment"};

inline constexpr MessageTemplate kNameWithDots{
    "expected a name without \"..\""};

inline constexpr MessageTemplate kNotFoundIn{
    "environment {name} not found at {directories}"};

inline constexpr MessageTemplate kNestedTooDeep{
    "brackets are nested too deep: expected at most {max}"};

inline constexpr MessageTemplate kTooManyDots{
    "the keys of one statement have too many dots: expected at most {max}"};

inline constexpr MessageTemplate kByteOutsideQuotes{
    "byte 0x{byte} is outside of quotes: expected ASCII there, without control "
    "characters"};

inline constexpr MessageTemplate kNotAValue{
    "{found} is not a value: expected a string in quotes, true, false, a "
    "decimal number, an array or a table"};

inline constexpr MessageTemplate kInvalidEscape{
    "\"\\\" in a string must be followed by one of b t n f r u U \" \\, or a "
    "new line that begins with ASCII"};

inline constexpr MessageTemplate kReferenceForm{
    "expected \"{form}\", or \"$$\" for a dollar sign"};

inline constexpr MessageTemplate kReferenceForms{
    "expected \"{form}\" or \"{with_default}\""};

inline constexpr MessageTemplate kUndefinedVariable{
    "variable {name} is not defined: expected it in the environment of the "
    "command, or a default: \"{with_default}\""};

inline constexpr ErrorTemplate kNoFiles{absl::StatusCode::kNotFound,
                                        "EDF_NO_FILES", "no files here"};

}  // namespace carme::edf_messages

#endif  // CARME_COMMON_EDF_MESSAGES_H_
