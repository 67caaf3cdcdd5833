// Why an evaluation failed, could not run, or was skipped.
#ifndef CARME_SLURM_HOOKS_VET_EVALUATIONS_MESSAGES_H_
#define CARME_SLURM_HOOKS_VET_EVALUATIONS_MESSAGES_H_

#include "common/message.h"

namespace carme::vet::evaluation_messages {

inline constexpr MessageTemplate kVariableMissing{"variable {name} is not set"};
inline constexpr MessageTemplate kVariableDiffers{
    "variable {name} is \"{value}\": expected \"{expected}\""};

inline constexpr MessageTemplate kNotResolved{
    "host name {host} was not resolved: {cause}"};
inline constexpr MessageTemplate kNotReached{
    "{host} port {port} was not reached: {cause}"};
inline constexpr MessageTemplate kResolvedTo{
    "host name {host} resolves to {found}: expected {expected}"};
inline constexpr MessageTemplate kSlow{
    "{subject} took {found}: expected at most {expected}"};

inline constexpr MessageTemplate kPathMissing{
    "\"{path}\" cannot be opened: {cause}"};
inline constexpr MessageTemplate kNotMounted{
    "no file system is mounted at \"{path}\""};
inline constexpr MessageTemplate kFilesystemType{
    "the file system at \"{path}\" has type {found}: expected {expected}"};
inline constexpr MessageTemplate kReadOnly{
    "the file system at \"{path}\" is read-only"};
inline constexpr MessageTemplate kNotWritten{
    "a file in \"{path}\" was not written: {cause}"};
inline constexpr MessageTemplate kFileDiffers{
    "a file in \"{path}\" was read back with other content"};
inline constexpr MessageTemplate kTooLittleSpace{
    "\"{path}\" has {found} free: expected at least {expected}"};
inline constexpr MessageTemplate kTooFewInodes{
    "\"{path}\" has {found} free inodes: expected at least {expected}"};

inline constexpr MessageTemplate kUnreadable{"{path} cannot be read"};
inline constexpr MessageTemplate kTooLittle{
    "{subject} is {found}: expected at least {expected}"};
inline constexpr MessageTemplate kTooMuch{
    "{subject} is {found}: expected at most {expected}"};
inline constexpr MessageTemplate kNotEqual{
    "{subject} is {found}: expected {expected}"};
inline constexpr MessageTemplate kNoEdac{
    "the kernel has no memory controller with error counters (EDAC)"};
inline constexpr MessageTemplate kNoClock{
    "the clock of the CPUs cannot be read"};

inline constexpr MessageTemplate kNoUser{
    "user {user} is not in the user database: {cause}"};
inline constexpr MessageTemplate kWrongUid{
    "user {user} has the id {found}: expected {expected}"};
inline constexpr MessageTemplate kMunge{"MUNGE {step} failed: {cause}"};
inline constexpr MessageTemplate kMungeUid{
    "MUNGE decodes a credential of user id {expected} as of {found}"};

inline constexpr MessageTemplate kNotStarted{
    "\"{program}\" was not started: {cause}"};
inline constexpr MessageTemplate kExitCode{
    "\"{program}\" ended with exit code {code}{output}"};
inline constexpr MessageTemplate kSignal{
    "\"{program}\" was ended by signal {signal}"};
inline constexpr MessageTemplate kOutputLacks{
    "the output of \"{program}\" does not contain \"{expected}\""};
inline constexpr MessageTemplate kRandom{"chance decided so"};

inline constexpr MessageTemplate kNotAnImage{
    "\"{path}\" is neither SquashFS nor SIF"};
inline constexpr MessageTemplate kImageEmpty{
    "image \"{path}\" was mounted, but has no files"};

inline constexpr MessageTemplate kNoGpu{"this node has no GPU"};
inline constexpr MessageTemplate kGpuCall{"{call} failed: {cause}"};
inline constexpr MessageTemplate kGpuTooMuch{
    "GPU {gpu}: {subject} is {found}: expected at most {expected}"};
inline constexpr MessageTemplate kGpuThrottled{
    "GPU {gpu} is slowed down: {cause}"};
inline constexpr MessageTemplate kGpuLost{"GPU {gpu} does not answer: {cause}"};
inline constexpr MessageTemplate kGpuRemapFailed{
    "GPU {gpu}: a defective row of memory could not be remapped"};
inline constexpr MessageTemplate kGpuRemapPending{
    "GPU {gpu}: a row of memory is remapped after the next reset only"};
inline constexpr MessageTemplate kSaxpyDiffers{
    "GPU {gpu}: element {index} of the result is {found}: expected {expected}"};
inline constexpr MessageTemplate kNcclMethod{
    "method \"{method}\" is not supported: expected allreduce, broadcast or "
    "roundrobin"};
inline constexpr MessageTemplate kNcclId{
    "the unique id of NCCL from the other node is malformed"};
inline constexpr MessageTemplate kOneGpu{
    "NCCL needs two GPUs, this node has one"};
inline constexpr MessageTemplate kNcclDiffers{
    "GPU {gpu}: the sum of all GPUs is wrong"};
inline constexpr MessageTemplate kNcclBroadcastDiffers{
    "GPU {gpu}: what another GPU sent to all has arrived wrong"};

}  // namespace carme::vet::evaluation_messages

#endif  // CARME_SLURM_HOOKS_VET_EVALUATIONS_MESSAGES_H_
