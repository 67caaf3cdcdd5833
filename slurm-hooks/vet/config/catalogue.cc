#include "slurm-hooks/vet/config/catalogue.h"

namespace carme::vet {
namespace {

using enum ParameterKind;

constexpr std::string_view kBySlurm =
    "Carme detects Slurm by the variables of the job";
constexpr std::string_view kByDriver = "Carme uses the libraries of the driver";

constexpr ParameterType kEnv[] = {{"expected", kVariables, true}};
constexpr ParameterType kTcp[] = {{"host", kText, true}, {"port", kCount}};
constexpr ParameterType kFilesystem[] = {
    {"path", kText, true},       {"mounted", kBool},
    {"fstype", kText},           {"writable", kBool},
    {"min_free", kBytes},        {"min_free_percent", kNumber},
    {"min_free_inodes", kCount}, {"max_latency", kSeconds}};
constexpr ParameterType kMemory[] = {{"min_total", kBytes},
                                     {"min_available", kBytes}};
constexpr ParameterType kEcc[] = {{"max_corrected", kCount},
                                  {"max_uncorrected", kCount},
                                  {"required", kBool}};
constexpr ParameterType kCpu[] = {
    {"count", kCount}, {"min_count", kCount}, {"min_clock_mhz", kNumber}};
constexpr ParameterType kClockSkew[] = {{"max", kSeconds}};
constexpr ParameterType kUser[] = {{"user", kText}, {"uid", kCount}};
constexpr ParameterType kDns[] = {
    {"host", kText, true}, {"address", kText}, {"max_latency", kSeconds}};
constexpr ParameterType kLinks[] = {{"payload", kBytes},
                                    {"min_bandwidth", kRate},
                                    {"max_latency", kSeconds},
                                    {"min_ratio", kNumber},
                                    {"max_rounds", kCount}};
constexpr ParameterType kCompute[] = {{"duration", kSeconds},
                                      {"min_cpu", kNumber},
                                      {"min_memory_bandwidth", kRate},
                                      {"min_ratio", kNumber},
                                      {"baseline", kText}};
constexpr ParameterType kImage[] = {{"path", kText, true}};
constexpr ParameterType kCommandKeys[] = {{"command", kCommand, true},
                                          {"output", kText}};
constexpr ParameterType kGpu[] = {{"required", kBool},
                                  {"count", kCount},
                                  {"max_temp", kNumber},
                                  {"max_used_memory", kNumber},
                                  {"max_ecc_uncorrected", kCount},
                                  {"max_remapped_rows", kCount},
                                  {"max_xid", kCount},
                                  {"throttling", kBool}};
constexpr ParameterType kGpuCompute[] = {
    {"required", kBool}, {"cuda_home", kText, false, kByDriver}};
constexpr ParameterType kNccl[] = {{"required", kBool},
                                   {"payload", kBytes},
                                   {"min_bandwidth", kRate},
                                   {"method", kText},
                                   {"topology", kTopology},
                                   {"warmup.payload", kBytes},
                                   {"warmup.runs", kCount},
                                   {"min_ratio", kNumber, false, {}, true},
                                   {"max_latency", kSeconds, false, {}, true},
                                   {"max_rounds", kCount, false, {}, true},
                                   {"scheduler", kText, false, kBySlurm}};

constexpr EvaluationType kTypes[] = {
    {"env", kEnv, 5},
    {"tcp", kTcp, 5},
    {"filesystem", kFilesystem, 10},
    {"memory", kMemory, 5},
    {"ecc", kEcc, 5},
    {"cpu", kCpu, 5},
    {"clock_skew", kClockSkew, 5, Place::kClock},
    {"user", kUser, 10},
    {"munge", {}, 10},
    {"dns", kDns, 10},
    {"links", kLinks, 10, Place::kLinks},
    {"compute", kCompute, 30},
    {"image", kImage, 30},
    {"command", kCommandKeys, 60},
    {"random", {}, 5},
    {"gpu", kGpu, 20},
    {"gpu_compute", kGpuCompute, 60},
    {"nccl", kNccl, 120},
};

// What vetnode's classes measure if a file does not say it: all GPUs of the job
// with each other.
constexpr ParameterDefault kAllReduceDefaults[] = {
    {"topology", kFull},          {"method", kAllReduce},
    {"payload", "4 GB"},          {"min_bandwidth", "15 GB/s"},
    {"warmup.payload", "256 MB"}, {"warmup.runs", "3"}};
constexpr ParameterDefault kBroadcastDefaults[] = {
    {"topology", kFull},          {"method", kBroadcast},
    {"payload", "4 GB"},          {"min_bandwidth", "15 GB/s"},
    {"warmup.payload", "256 MB"}, {"warmup.runs", "3"}};

struct VetnodeName {
  std::string_view name;
  std::string_view type;
  std::span<const ParameterDefault> defaults{};
};

// Names of vetnode: its classes without "vetnode.evaluations.", and those of
// its first versions.
constexpr VetnodeName kVetnodeNames[] = {
    {"env_var_eval.EnvVarEval", "env"},
    {"internet_access.InternetAccessEval", "tcp"},
    {"internet-access", "tcp"},
    {"random.RandomEval", "random"},
    {"gpu_eval.GPUEval", "gpu"},
    {"gpu-eval", "gpu"},
    {"cuda_eval.CUDAEval", "gpu_compute"},
    {"nccl_lib_eval.NcclLibEval", "nccl", kAllReduceDefaults},
    {"nccl_pytorch_eval.NcclPytorchEval", "nccl", kBroadcastDefaults},
    {"nccl_eval.NCCLEval", "nccl", kBroadcastDefaults},
    {"cuda_nccl_eval.CudaNCCLEval", "nccl", kBroadcastDefaults},
    {"rccl_lib_eval.RcclLibEval", "nccl", kAllReduceDefaults},
    {"nccl_on_rccl_lib_eval.NcclOnRcclLibEval", "nccl", kAllReduceDefaults},
    {"ping-nodes", "links"},
};

constexpr std::string_view kVetnodePackages[] = {"vetnode.evaluations.",
                                                 "shrike.evaluations."};

}  // namespace

std::span<const EvaluationType> Catalogue() { return kTypes; }

EvaluationName FindEvaluationType(std::string_view name) {
  for (const std::string_view package : kVetnodePackages) {
    if (name.starts_with(package)) name.remove_prefix(package.size());
  }
  EvaluationName found;
  for (const VetnodeName& vetnode : kVetnodeNames) {
    if (vetnode.name != name) continue;
    name = vetnode.type;
    found.defaults = vetnode.defaults;
    break;
  }
  for (const EvaluationType& type : kTypes) {
    if (type.name == name) found.type = &type;
  }
  return found;
}

}  // namespace carme::vet
