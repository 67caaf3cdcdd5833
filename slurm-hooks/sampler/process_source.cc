#include "slurm-hooks/sampler/process_source.h"

#include <dirent.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "slurm-hooks/sampler/kernel_text/cgroup_text.h"
#include "slurm-hooks/sampler/kernel_text/text_fields.h"

namespace carme::sampler {
namespace {

constexpr size_t kMaxProcesses = 4096;
// The agent needs descriptors for its connections.
constexpr size_t kMaxOpenFiles = 128;  // two each
constexpr size_t kMaxLists = 2048;
constexpr size_t kMaxGroups = 1024;
constexpr int kMaxDepth = 4;  // step_0/user/task_0
// New groups appear with new steps and tasks. Walking the tree costs more than
// reading the lists.
constexpr uint64_t kRoundsBetweenWalks = 5;
// Process ids are used again.
constexpr uint64_t kRoundsBetweenFullScans = 60;
constexpr uint64_t kRoundsForRank = 3;

std::string PathOf(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

}  // namespace

struct ProcessSource::Group {
  Group(uint32_t source, const Labels& labels) : series(source, labels) {}
  SeriesSet series;
  ProcessCounter cpu;
  ProcessCounter reads;
  ProcessCounter writes;
  bool has_io = false;
  uint64_t resident_pages = 0;
  uint64_t count = 0;
  uint64_t round = 0;
};

ProcessSource::ProcessSource(ProcessSourceOptions options, SampleBuffer* buffer)
    : options_(std::move(options)),
      source_(buffer->AddSource("proc", "", "")),
      job_series_(source_, Labels()) {}

ProcessSource::~ProcessSource() = default;

void ProcessSource::FindLists(const std::string& directory,
                              const std::string& step, int depth) {
  if (lists_.size() >= kMaxLists || depth > kMaxDepth) return;
  ProcessList& list = lists_[directory];
  list.step = step;
  list.round = round_;
  const Directory opened = OpenDirectory(directory);
  if (opened == nullptr) return;
  while (const dirent* const entry = readdir(opened.get())) {
    if (entry->d_type != DT_DIR || entry->d_name[0] == '.') continue;
    const std::string_view own_step = StepOfDirectory(entry->d_name);
    FindLists(directory + "/" + entry->d_name,
              step.empty() ? std::string(own_step) : step, depth + 1);
  }
}

void ProcessSource::ReadLists() {
  if (round_ % kRoundsBetweenWalks == 1) {
    FindLists(options_.cgroup, "", 0);
    std::erase_if(lists_, [this](const auto& entry) {
      return entry.second.round != round_;
    });
  }
  std::vector<pid_t> pids;
  for (const auto& [directory, list] : lists_) {
    const auto text = ReadSampleFile(directory + "/cgroup.procs");
    if (!text || text->empty()) continue;
    pids.clear();
    std::string_view rest = *text;
    while (!rest.empty()) {
      const auto pid = ParseCount(TakeLine(&rest));
      if (pid) pids.push_back(static_cast<pid_t>(*pid));
    }
    for (const pid_t pid : pids) AddMember(pid, list.step);
  }
}

void ProcessSource::ReadAllProcesses() {
  if (round_ % kRoundsBetweenFullScans == 0) others_.clear();
  const Directory proc = OpenDirectory("/proc");
  if (proc == nullptr) return;
  while (const dirent* const entry = readdir(proc.get())) {
    const auto number = ParseCount(entry->d_name);
    if (!number) continue;
    const auto pid = static_cast<pid_t>(*number);
    if (others_.contains(pid)) continue;
    if (!processes_.contains(pid)) {
      const auto text = ReadSampleFile(PathOf(pid, "environ"));
      if (!text || options_.slurm_job.empty() ||
          ParseEnvironment(*text).job != options_.slurm_job) {
        others_.emplace(pid, true);
        continue;
      }
    }
    AddMember(pid, "");
  }
}

void ProcessSource::AddMember(pid_t pid, const std::string& step) {
  const auto found = processes_.find(pid);
  if (found != processes_.end()) {
    Process& known = found->second;
    known.round = round_;
    // Between fork and exec a task has the environment of its parent.
    if (known.rank.empty() && round_ - known.first_round <= kRoundsForRank) {
      ReadRank(pid, &known);
    }
    return;
  }
  if (processes_.size() >= kMaxProcesses) return;
  Process process;
  process.round = round_;
  process.first_round = round_;
  process.step = step;
  ReadRank(pid, &process);
  processes_.emplace(pid, std::move(process));
}

void ProcessSource::ReadRank(pid_t pid, Process* process) const {
  const auto text = ReadSampleFile(PathOf(pid, "environ"));
  if (!text) return;
  ProcessRank rank = ParseEnvironment(*text);
  if (process->step.empty()) process->step = std::move(rank.step);
  // Slurm sets SLURM_PROCID in the batch and extern steps, too.
  const bool is_of_srun = ParseCount(process->step).has_value() &&
                          process->step != options_.agent_step;
  if (is_of_srun) process->rank = std::move(rank.rank);
}

ProcessSource::Group& ProcessSource::GroupOf(const Process& process) {
  std::pair<std::string, std::string> key = {process.step, process.rank};
  auto found = groups_.find(key);
  if (found == groups_.end()) {
    if (groups_.size() >= kMaxGroups) key = {"", ""};
    Labels labels;
    if (!key.first.empty()) labels["step"] = key.first;
    if (!key.second.empty()) labels["rank"] = key.second;
    found = groups_.try_emplace(key, std::make_unique<Group>(source_, labels))
                .first;
  }
  Group& group = *found->second;
  if (group.round != round_) {
    group.round = round_;
    group.count = 0;
    group.resident_pages = 0;
    group.cpu.BeginRound();
    group.reads.BeginRound();
    group.writes.BeginRound();
  }
  return group;
}

void ProcessSource::ReadMember(pid_t pid, Process* process) {
  std::optional<std::string_view> text = process->stat.Read();
  if (!text) {
    SampleFile file(PathOf(pid, "stat"));
    text = file.Read();
    if (!text) return;
    if (!process->stat.valid() && open_files_ < kMaxOpenFiles) {
      ++open_files_;
      process->stat = std::move(file);
      process->io = SampleFile(PathOf(pid, "io"));
    }
  }
  const auto stat = ParseProcessStat(*text);
  // slurmstepd waits for the tasks, but is not part of what the user runs.
  if (!stat || stat->name == "slurmstepd") return;
  Group& group = GroupOf(*process);
  // Unique until the boot's end: a process id is not used twice in one tick.
  const uint64_t key = stat->start_ticks << 22 ^
                       static_cast<uint64_t>(static_cast<uint32_t>(pid));
  group.cpu.AddProcess(key, stat->own_ticks, stat->children_ticks);
  job_cpu_.AddProcess(key, stat->own_ticks, stat->children_ticks);
  ReadIo(key, *process, &group);
  group.resident_pages += stat->resident_pages;
  ++group.count;
}

// The kernel adds the bytes of a child to those of the parent that waited for
// it.
void ProcessSource::ReadIo(uint64_t key, const Process& process, Group* group) {
  const auto text = process.io.Read();
  if (!text) return;
  const auto read = ParseKey(*text, "read_bytes:");
  const auto written = ParseKey(*text, "write_bytes:");
  if (!read || !written) return;
  group->has_io = true;
  has_io_ = true;
  group->reads.AddProcess(key, 0, *read);
  group->writes.AddProcess(key, 0, *written);
  job_reads_.AddProcess(key, 0, *read);
  job_writes_.AddProcess(key, 0, *written);
}

void ProcessSource::UpdateRanks() {
  if (options_.ranks == nullptr) return;
  std::unordered_map<pid_t, StepRank> ranks;
  for (const auto& [pid, process] : processes_) {
    if (process.rank.empty()) continue;
    ranks.emplace(pid, StepRank{process.step, process.rank});
  }
  options_.ranks->Replace(std::move(ranks));
}

void ProcessSource::Sample(int64_t now_ms, SampleBuffer* buffer) {
  static const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  static const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  ++round_;
  job_cpu_.BeginRound();
  job_reads_.BeginRound();
  job_writes_.BeginRound();
  if (options_.cgroup.empty()) {
    ReadAllProcesses();
  } else {
    ReadLists();
  }
  for (auto process = processes_.begin(); process != processes_.end();) {
    if (process->second.round == round_) {
      ReadMember(process->first, &process->second);
      ++process;
      continue;
    }
    if (process->second.stat.valid()) --open_files_;
    process = processes_.erase(process);
  }
  UpdateRanks();
  for (auto group = groups_.begin(); group != groups_.end();) {
    Group& one = *group->second;
    if (one.round != round_) {
      one.series.End(buffer);
      group = groups_.erase(group);
      continue;
    }
    one.series.Add(buffer, now_ms, 0, "carme_rank_cpu_seconds_total",
                   static_cast<double>(one.cpu.EndRound()) * tick);
    one.series.Add(buffer, now_ms, 1, "carme_rank_memory_bytes",
                   static_cast<double>(one.resident_pages) * page_bytes);
    one.series.Add(buffer, now_ms, 2, "carme_rank_processes",
                   static_cast<double>(one.count));
    const uint64_t reads = one.reads.EndRound();
    const uint64_t writes = one.writes.EndRound();
    if (one.has_io) {
      one.series.Add(buffer, now_ms, 3, "carme_rank_io_read_bytes_total",
                     static_cast<double>(reads));
      one.series.Add(buffer, now_ms, 4, "carme_rank_io_written_bytes_total",
                     static_cast<double>(writes));
    }
    ++group;
  }
  const uint64_t job_ticks = job_cpu_.EndRound();
  const uint64_t job_reads = job_reads_.EndRound();
  const uint64_t job_writes = job_writes_.EndRound();
  if (has_io_) {
    job_series_.Add(buffer, now_ms, 1, "carme_job_storage_read_bytes_total",
                    static_cast<double>(job_reads));
    job_series_.Add(buffer, now_ms, 2, "carme_job_storage_written_bytes_total",
                    static_cast<double>(job_writes));
  }
  if (!options_.counts_job_cpu) return;
  job_series_.Add(buffer, now_ms, 0, "carme_job_cpu_seconds_total",
                  static_cast<double>(job_ticks) * tick);
}

}  // namespace carme::sampler
