#include "backend/slurm/query/job_size.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backend/slurm/limits/walltime_limits.h"
#include "backend/slurm/query/gres.h"

namespace carme::backend {
namespace {

constexpr char kGpuTres[] = "gres/gpu";

absl::string_view TextOrEmpty(const char* text) {
  return text != nullptr ? text : "";
}

std::string_view View(absl::string_view text) {
  return {text.data(), text.size()};
}

bool IsSet(uint32_t number) { return number != NO_VAL && number != INFINITE; }

void AddTimes(const std::map<std::string, int>& gpus, int64_t times,
              std::map<std::string, int>* sum) {
  for (const auto& [type, count] : gpus) {
    const int64_t more = count * std::max<int64_t>(times, 1);
    int& total = (*sum)[type];
    total = static_cast<int>(std::min<int64_t>(INT32_MAX, total + more));
  }
}

int64_t SumOf(const std::map<std::string, int>& gpus) {
  int64_t sum = 0;
  for (const auto& [type, count] : gpus) sum += count;
  return sum;
}

// From Slurm's totals, which include GPUs and their types only if the site
// counts them (AccountingStorageTRES).
std::map<std::string, int> GpusIn(const TresCounts& tres) {
  std::map<std::string, int> gpus;
  for (const auto& [name, amount] : tres) {
    absl::string_view type = name;
    if (absl::ConsumePrefix(&type, "gres/gpu:")) {
      gpus[std::string(type)] = static_cast<int>(amount);
    }
  }
  const auto all = tres.find(kGpuTres);
  const int64_t untyped =
      (all == tres.end() ? 0 : static_cast<int64_t>(all->second)) - SumOf(gpus);
  if (untyped > 0) gpus["gpu"] = static_cast<int>(untyped);
  return gpus;
}

std::map<std::string, int> RequestedGpus(const slurm_job_info_t& job,
                                         int64_t nodes,
                                         const TresCounts& tres) {
  std::map<std::string, int> gpus;
  const int64_t tasks = IsSet(job.num_tasks) ? job.num_tasks : nodes;
  const int64_t sockets =
      job.sockets_per_node == NO_VAL16 ? 1 : job.sockets_per_node;
  AddTimes(ParseGpuRequest(View(TextOrEmpty(job.tres_per_node))), nodes, &gpus);
  AddTimes(ParseGpuRequest(View(TextOrEmpty(job.tres_per_job))), 1, &gpus);
  AddTimes(ParseGpuRequest(View(TextOrEmpty(job.tres_per_task))), tasks, &gpus);
  AddTimes(ParseGpuRequest(View(TextOrEmpty(job.tres_per_socket))),
           nodes * sockets, &gpus);
  std::map<std::string, int> summed = GpusIn(tres);
  return SumOf(summed) > SumOf(gpus) ? summed : gpus;
}

}  // namespace

std::map<std::string, int> ParseGpuRequest(std::string_view tres) {
  std::string gres;
  for (absl::string_view part :
       absl::StrSplit(absl::string_view(tres.data(), tres.size()),
                      absl::ByAnyChar(",;"), absl::SkipEmpty())) {
    if (!absl::ConsumePrefix(&part, "gres:")) {
      absl::ConsumePrefix(&part, "gres/");
    }
    if (!gres.empty()) gres += ",";
    gres += absl::StrReplaceAll(part, {{"=", ":"}});
  }
  return gres.empty() ? std::map<std::string, int>() : ParseGpus(gres);
}

SlurmSize SizeOf(const slurm_job_info_t& job) {
  const bool is_pending = (job.job_state & JOB_STATE_BASE) == JOB_PENDING;
  const auto requested =
      ParseTres(View(TextOrEmpty(job.tres_req_str))).value_or(TresCounts());
  const auto allocated =
      ParseTres(View(TextOrEmpty(job.tres_alloc_str))).value_or(TresCounts());
  SlurmSize size;
  uint32_t nodes = IsSet(job.num_nodes) ? job.num_nodes : 0;
  if (is_pending && IsSet(job.max_nodes))
    nodes = std::max(nodes, job.max_nodes);
  size.nodes = static_cast<int>(std::min<uint32_t>(nodes, INT32_MAX));
  const auto amount = [&](const char* name) {
    const auto request = requested.find(name);
    const auto allocation = allocated.find(name);
    const uint64_t wanted = request == requested.end() ? 0 : request->second;
    const bool all_of_node = job.shared == JOB_SHARED_NONE ||
                             (job.pn_min_memory == 0 && name[0] == 'm');
    if (is_pending || allocation == allocated.end()) return wanted;
    if (wanted == 0 || all_of_node) return allocation->second;
    // A job that has returned nodes keeps its request, which is for all nodes.
    return std::min(wanted, allocation->second);
  };
  size.cpus = static_cast<int>(std::min<uint64_t>(INT32_MAX, amount("cpu")));
  size.memory_mib = static_cast<int64_t>(amount("mem"));
  // Slurm reports no GPUs for a job without GPUs.
  if (is_pending) {
    if (job.tres_req_str != nullptr) {
      size.gpus = RequestedGpus(job, std::max(size.nodes, 1), requested);
    }
  } else if (job.gres_total != nullptr) {
    size.gpus = ParseGpus(job.gres_total);
  } else if (job.tres_alloc_str != nullptr) {
    size.gpus = GpusIn(allocated);
  }
  return size;
}

}  // namespace carme::backend
