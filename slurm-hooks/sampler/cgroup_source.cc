#include "slurm-hooks/sampler/cgroup_source.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "slurm-hooks/sampler/kernel_text/text_fields.h"
#include "slurm-hooks/sampler/sample_file.h"
#include "slurm-hooks/sampler/series_set.h"

namespace carme::sampler {
namespace {

constexpr size_t kMaxSteps = 64;  // a job can have thousands; each has files
constexpr size_t kMaxDevices = 16;
constexpr size_t kMaxTasks = 128;  // of a step, on one node
constexpr double kNanosecond = 1e-9;

std::set<std::string> StepsIn(const std::string& directory) {
  std::set<std::string> steps;
  const Directory opened = OpenDirectory(directory);
  if (opened == nullptr) return steps;
  while (const dirent* const entry = readdir(opened.get())) {
    const std::string_view step = StepOfDirectory(entry->d_name);
    if (!step.empty() && steps.size() < kMaxSteps) steps.emplace(step);
  }
  return steps;
}

}  // namespace

// The open files of one control group.
class CgroupSource::Group {
 public:
  Group(const JobCgroups& directories, uint32_t source, const Labels& labels,
        bool is_job)
      : labels_(labels),
        source_(source),
        is_job_(is_job),
        series_(source, labels) {
    const auto in = [&](const char* controller, const char* file) {
      const auto found = directories.find(controller);
      return found == directories.end()
                 ? SampleFile()
                 : SampleFile(found->second + "/" + file);
    };
    unified_ = directories.contains("");
    if (unified_) {
      cpu_stat_ = in("", "cpu.stat");
      memory_ = in("", "memory.current");
      memory_peak_ = in("", "memory.peak");
      memory_limit_ = in("", "memory.max");
      memory_stat_ = in("", "memory.stat");
      memory_events_ = in("", "memory.events");
      swap_ = in("", "memory.swap.current");
      pids_ = in("", "pids.current");
      io_ = in("", "io.stat");
      if (is_job) {
        cpus_ = in("", "cpuset.cpus.effective");
        pressure_ = {in("", "cpu.pressure"), in("", "memory.pressure"),
                     in("", "io.pressure")};
      }
      return;
    }
    if (is_job) cpus_ = in("cpuset", "cpuset.cpus");
    cpu_usage_ = in("cpuacct", "cpuacct.usage");
    cpu_acct_ = in("cpuacct", "cpuacct.stat");
    cpu_stat_ = in("cpu", "cpu.stat");
    memory_ = in("memory", "memory.usage_in_bytes");
    memory_peak_ = in("memory", "memory.max_usage_in_bytes");
    memory_limit_ = in("memory", "memory.limit_in_bytes");
    memory_stat_ = in("memory", "memory.stat");
    memory_events_ = in("memory", "memory.oom_control");
    memory_failures_ = in("memory", "memory.failcnt");
    const auto memory = directories.find("memory");
    if (memory != directories.end()) memory_directory_ = memory->second;
    pids_ = in("pids", "pids.current");
    io_ = in("blkio", "blkio.throttle.io_service_bytes");
    io_operations_ = in("blkio", "blkio.throttle.io_serviced");
  }

  void Sample(int64_t now_ms, SampleBuffer* buffer) {
    SampleCpu(now_ms, buffer);
    SampleMemory(now_ms, buffer);
    if (const auto text = pids_.Read()) {
      series_.Add(buffer, now_ms, kPids, "carme_job_processes",
                  AsDouble(ParseOnlyCount(*text)));
    }
    SampleIo(now_ms, buffer);
    SamplePressure(now_ms, buffer);
  }

  void End(SampleBuffer* buffer) {
    series_.End(buffer);
    for (auto& [device, series] : devices_) series.End(buffer);
    for (auto& [resource, series] : resources_) series.End(buffer);
  }

  bool counts_cpu() const {
    if (cpu_usage_.valid()) return true;
    const auto text = unified_ ? cpu_stat_.Read() : std::nullopt;
    return text && ParseCpuStat(*text).seconds.has_value();
  }

 private:
  // Indices of the names in `series_`.
  enum : size_t {
    kCpu,
    kCpuUser,
    kCpuSystem,
    kThrottled,
    kThrottledPeriods,
    kMemory,
    kMemoryPeak,
    kMemoryLimit,
    kAnonymous,
    kCache,
    kShared,
    kSwap,
    kOomKills,
    kLimitHits,
    kPids,
    kCpus,
  };

  void SampleCpu(int64_t now_ms, SampleBuffer* buffer) {
    CgroupCpu cpu;
    if (const auto text = cpu_stat_.Read()) cpu = ParseCpuStat(*text);
    if (const auto text = cpu_acct_.Read()) {
      const CgroupCpu split = ParseCpuAcctStat(*text);
      cpu.user_seconds = split.user_seconds;
      cpu.system_seconds = split.system_seconds;
    }
    if (const auto text = cpu_usage_.Read()) {
      const auto used = AsDouble(ParseOnlyCount(*text));
      if (used) cpu.seconds = *used * kNanosecond;
    }
    series_.Add(buffer, now_ms, kCpu, "carme_job_cpu_seconds_total",
                cpu.seconds);
    series_.Add(buffer, now_ms, kCpuUser, "carme_job_cpu_user_seconds_total",
                cpu.user_seconds);
    series_.Add(buffer, now_ms, kCpuSystem,
                "carme_job_cpu_system_seconds_total", cpu.system_seconds);
    series_.Add(buffer, now_ms, kThrottled,
                "carme_job_cpu_throttled_seconds_total", cpu.throttled_seconds);
    series_.Add(buffer, now_ms, kThrottledPeriods,
                "carme_job_cpu_throttled_periods_total",
                AsDouble(cpu.throttled_periods));
    if (const auto text = cpus_.Read()) {
      series_.Add(buffer, now_ms, kCpus, "carme_job_cpus",
                  AsDouble(CountCpus(*text)));
    }
  }

  void AddOne(int64_t now_ms, SampleBuffer* buffer, const SampleFile& file,
              size_t index, std::string_view name) {
    const auto text = file.Read();
    if (!text) return;
    series_.Add(buffer, now_ms, index, name, AsDouble(ParseOnlyCount(*text)));
  }

  void SampleMemory(int64_t now_ms, SampleBuffer* buffer) {
    AddOne(now_ms, buffer, memory_, kMemory, "carme_job_memory_bytes");
    AddOne(now_ms, buffer, memory_peak_, kMemoryPeak,
           "carme_job_memory_peak_bytes");
    AddOne(now_ms, buffer, swap_, kSwap, "carme_job_memory_swap_bytes");
    AddOne(now_ms, buffer, memory_failures_, kLimitHits,
           "carme_job_memory_limit_hits_total");
    if (const auto text = memory_limit_.Read()) {
      series_.Add(buffer, now_ms, kMemoryLimit, "carme_job_memory_limit_bytes",
                  AsDouble(ParseMemoryLimit(*text)));
    }
    if (const auto text = memory_stat_.Read()) {
      const CgroupMemory memory = ParseMemoryStat(*text);
      series_.Add(buffer, now_ms, kAnonymous,
                  "carme_job_memory_anonymous_bytes",
                  AsDouble(memory.anonymous_bytes));
      series_.Add(buffer, now_ms, kCache, "carme_job_memory_cache_bytes",
                  AsDouble(memory.cache_bytes));
      series_.Add(buffer, now_ms, kShared, "carme_job_memory_shared_bytes",
                  AsDouble(memory.shared_bytes));
      if (!unified_) {
        series_.Add(buffer, now_ms, kSwap, "carme_job_memory_swap_bytes",
                    AsDouble(memory.swap_bytes));
      }
    }
    const auto events = memory_events_.Read();
    if (!events) return;
    if (unified_) {
      series_.Add(buffer, now_ms, kLimitHits,
                  "carme_job_memory_limit_hits_total",
                  AsDouble(ParseKey(*events, "max")));
    } else if (is_job_) {
      return;  // does not count the kills in its steps
    }
    NoteOomKills(now_ms, buffer, ParseKey(*events, "oom_kill"));
  }

  void NoteOomKills(int64_t now_ms, SampleBuffer* buffer,
                    std::optional<uint64_t> kills) {
    if (!unified_) {
      FindTasks();
      for (const SampleFile& task : task_events_) {
        const auto text = task.Read();
        const auto of_task =
            text ? ParseKey(*text, "oom_kill") : std::optional<uint64_t>();
        if (of_task) kills = kills.value_or(0) + *of_task;
      }
    }
    if (!kills) return;
    series_.Add(buffer, now_ms, kOomKills, "carme_job_oom_kills_total",
                AsDouble(kills));
    // Version 2 counts kills in every group above, too.
    const bool reports = is_job_ || !unified_;
    if (reports && *kills > oom_kills_.value_or(*kills)) {
      const uint64_t count = *kills - *oom_kills_;
      buffer->AddEvent(
          now_ms, "oom",
          (count == 1 ? "1 process was"
                      : std::to_string(count) + " processes were") +
              std::string(" killed because the memory limit was reached"),
          labels_);
    }
    oom_kills_ = kills;
  }

  // Version 1 counts kills in the group of the task alone.
  void FindTasks() {
    struct stat info {};
    // A directory has a link for each one in it.
    if (stat(memory_directory_.c_str(), &info) != 0 ||
        info.st_nlink == links_) {
      return;
    }
    links_ = info.st_nlink;
    task_events_.clear();
    const Directory opened = OpenDirectory(memory_directory_);
    if (opened == nullptr) return;
    while (const dirent* const entry = readdir(opened.get())) {
      if (!std::string_view(entry->d_name).starts_with("task_") ||
          task_events_.size() >= kMaxTasks) {
        continue;
      }
      SampleFile file(memory_directory_ + "/" + entry->d_name +
                      "/memory.oom_control");
      if (file.valid()) task_events_.push_back(std::move(file));
    }
  }

  void SampleIo(int64_t now_ms, SampleBuffer* buffer) {
    std::optional<std::string_view> text = io_.Read();
    if (!text || text->empty()) return;
    std::map<std::string, CgroupIo> all;
    if (unified_) {
      all = ParseIoStat(*text);
    } else {
      const std::string bytes(*text);  // the buffer is shared
      text = io_operations_.Read();
      all = ParseBlkio(bytes, text.value_or(""));
    }
    for (const auto& [device, io] : all) {
      auto found = devices_.find(device);
      if (found == devices_.end()) {
        if (devices_.size() >= kMaxDevices) continue;
        Labels labels = labels_;
        labels["device"] = device;
        found = devices_.emplace(device, SeriesSet(source_, std::move(labels)))
                    .first;
      }
      SeriesSet& set = found->second;
      set.Add(buffer, now_ms, 0, "carme_job_io_read_bytes_total",
              AsDouble(io.read_bytes));
      set.Add(buffer, now_ms, 1, "carme_job_io_written_bytes_total",
              AsDouble(io.written_bytes));
      set.Add(buffer, now_ms, 2, "carme_job_io_reads_total",
              AsDouble(io.reads));
      set.Add(buffer, now_ms, 3, "carme_job_io_writes_total",
              AsDouble(io.writes));
    }
  }

  void SamplePressure(int64_t now_ms, SampleBuffer* buffer) {
    constexpr std::array<const char*, 3> kResources = {"cpu", "memory", "io"};
    for (size_t i = 0; i < kResources.size(); ++i) {
      const auto text = pressure_[i].Read();
      if (!text) continue;
      auto found = resources_.find(i);
      if (found == resources_.end()) {
        Labels labels = labels_;
        labels["resource"] = kResources[i];
        found =
            resources_.emplace(i, SeriesSet(source_, std::move(labels))).first;
      }
      const Pressure pressure = ParsePressure(*text);
      found->second.Add(buffer, now_ms, 0,
                        "carme_job_pressure_some_seconds_total",
                        pressure.some_seconds);
      found->second.Add(buffer, now_ms, 1,
                        "carme_job_pressure_full_seconds_total",
                        pressure.full_seconds);
    }
  }

  const Labels labels_;
  const uint32_t source_;
  const bool is_job_;
  bool unified_ = false;
  SampleFile cpu_usage_, cpu_acct_, cpu_stat_, cpus_;
  SampleFile memory_, memory_peak_, memory_limit_, memory_stat_;
  SampleFile memory_events_, memory_failures_, swap_;
  SampleFile pids_, io_, io_operations_;
  std::array<SampleFile, 3> pressure_;
  SeriesSet series_;
  std::map<std::string, SeriesSet> devices_;
  std::map<size_t, SeriesSet> resources_;
  std::string memory_directory_;  // of version 1
  nlink_t links_ = 0;             // of this directory when it was read
  std::vector<SampleFile> task_events_;
  std::optional<uint64_t> oom_kills_;
};

CgroupSource::CgroupSource(JobCgroups cgroups, SampleBuffer* buffer)
    : cgroups_(std::move(cgroups)),
      source_(
          buffer->AddSource("cgroup", cgroups_.contains("") ? "2" : "1", "")),
      job_(std::make_unique<Group>(cgroups_, source_, Labels(), true)) {
  FindSteps(buffer);
}

CgroupSource::~CgroupSource() = default;

bool CgroupSource::counts_cpu() const { return job_->counts_cpu(); }

JobCgroups CgroupSource::DirectoriesOf(const std::string& step) const {
  JobCgroups directories;
  for (const auto& [controller, directory] : cgroups_) {
    directories[controller] = directory + "/step_" + step;
  }
  return directories;
}

void CgroupSource::FindSteps(SampleBuffer* buffer) {
  std::set<std::string> present;
  for (const auto& [controller, directory] : cgroups_) {
    present.merge(StepsIn(directory));
  }
  for (auto step = steps_.begin(); step != steps_.end();) {
    if (present.contains(step->first)) {
      ++step;
      continue;
    }
    step->second->End(buffer);
    step = steps_.erase(step);
  }
  for (const std::string& step : present) {
    if (steps_.contains(step) || steps_.size() >= kMaxSteps) continue;
    steps_[step] = std::make_unique<Group>(DirectoriesOf(step), source_,
                                           Labels{{"step", step}}, false);
  }
}

void CgroupSource::Sample(int64_t now_ms, SampleBuffer* buffer) {
  FindSteps(buffer);
  job_->Sample(now_ms, buffer);
  for (const auto& [name, step] : steps_) step->Sample(now_ms, buffer);
}

}  // namespace carme::sampler
