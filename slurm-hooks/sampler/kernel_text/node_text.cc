#include "slurm-hooks/sampler/kernel_text/node_text.h"

#include <array>
#include <cctype>
#include <cstddef>
#include <utility>

#include "slurm-hooks/sampler/kernel_text/text_fields.h"

namespace carme::sampler {
namespace {

constexpr size_t kMaxMounts = 256;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The text between `begin` and the next of `ends`; empty: not found.
std::string_view Between(std::string_view text, std::string_view begin,
                         std::string_view ends) {
  const size_t at = text.find(begin);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + begin.size());
  return text.substr(0, text.find_first_of(ends));
}

// "device a:/b mounted on /c with fstype nfs4 statvers=1.1"
std::pair<std::string, std::string> ParseMountHead(std::string_view line) {
  constexpr std::string_view kOn = " mounted on ";
  constexpr std::string_view kType = " with fstype ";
  const size_t on = line.find(kOn);
  const size_t type = line.rfind(kType);
  if (on == std::string_view::npos || type == std::string_view::npos ||
      type < on) {
    return {};
  }
  const size_t begin = on + kOn.size();
  std::string_view rest = line.substr(type + kType.size());
  return {std::string(line.substr(begin, type - begin)),
          std::string(TakeWord(&rest))};
}

void AddTo(std::optional<uint64_t>* sum, std::optional<uint64_t> value) {
  if (value) *sum = sum->value_or(0) + *value;
}

// "READ: 10 10 0 1840 411440 0 12 13 0": operations, transmissions, timeouts,
// bytes sent, bytes received, milliseconds queued, in flight, in total.
void AddNfsOperation(std::string_view name, std::string_view line,
                     FileSystemCounters* counters) {
  std::array<std::optional<uint64_t>, 8> fields;
  for (auto& field : fields) field = ParseCount(TakeWord(&line));
  if (!fields[0]) return;
  const bool is_data = name == "READ" || name == "WRITE" || name == "COMMIT";
  AddTo(is_data ? &counters->data_operations : &counters->metadata_operations,
        fields[0]);
  AddTo(&counters->timeouts, fields[2]);
  if (!fields[7]) return;
  counters->wait_seconds = counters->wait_seconds.value_or(0) +
                           static_cast<double>(*fields[7]) / 1000;
}

std::optional<KernelEvent> ParseXid(std::string_view message) {
  // "NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, name=python, GPU has fallen …"
  const std::string_view device = Between(message, "Xid (PCI:", ")");
  const std::string_view code = Between(message, "): ", ", ");
  if (device.empty() || !ParseCount(code)) return std::nullopt;
  KernelEvent event;
  event.kind = "xid";
  event.subject = std::string(device);
  for (char& letter : event.subject) {
    letter =
        static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  event.labels = {{"device", event.subject}, {"code", std::string(code)}};
  return event;
}

std::optional<KernelEvent> ParseOom(std::string_view message) {
  // "oom-kill:constraint=CONSTRAINT_MEMCG,…,task_memcg=/slurm/uid_1/job_7/…,
  // task=python,pid=99,uid=1"
  KernelEvent event;
  event.kind = "oom";
  event.subject = std::string(Between(message, "task_memcg=", ","));
  if (event.subject.empty()) return std::nullopt;
  const std::string_view program = Between(message, ",task=", ",");
  const std::string_view pid = Between(message, ",pid=", ",");
  if (!program.empty()) event.labels["program"] = std::string(program);
  if (!pid.empty()) event.labels["pid"] = std::string(pid);
  return event;
}

bool IsLinkChange(std::string_view message) {
  for (const char* part :
       {"Link is Down", "Link is Up", "link is down", "Link down", "Link up",
        "Link DOWN", "Link UP", "link down", "link up", "NIC Link is"}) {
    if (Contains(message, part)) return true;
  }
  return false;
}

}  // namespace

std::map<std::string, InterfaceCounters> ParseNetDev(std::string_view text) {
  std::map<std::string, InterfaceCounters> interfaces;
  while (!text.empty()) {
    std::string_view line = TakeLine(&text);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view head = line.substr(0, colon);
    const std::string_view name = TakeWord(&head);
    line.remove_prefix(colon + 1);
    // Eight numbers about received packets, eight about sent ones.
    std::array<std::optional<uint64_t>, 16> fields;
    for (auto& field : fields) field = ParseCount(TakeWord(&line));
    if (name.empty() || name == "lo" || !fields[11]) continue;
    interfaces[std::string(name)] = {.received_bytes = fields[0].value_or(0),
                                     .received_errors = fields[2].value_or(0),
                                     .received_drops = fields[3].value_or(0),
                                     .sent_bytes = fields[8].value_or(0),
                                     .sent_errors = fields[10].value_or(0),
                                     .sent_drops = fields[11].value_or(0)};
  }
  return interfaces;
}

std::map<std::string, FileSystemCounters> ParseMountStats(
    std::string_view text) {
  std::map<std::string, FileSystemCounters> mounts;
  FileSystemCounters* current = nullptr;
  bool in_operations = false;
  while (!text.empty()) {
    std::string_view line = TakeLine(&text);
    if (line.starts_with("device ")) {
      auto [point, type] = ParseMountHead(line);
      current = nullptr;
      in_operations = false;
      if ((type != "nfs" && type != "nfs4") || mounts.size() >= kMaxMounts) {
        continue;
      }
      current = &mounts[point];
      *current = FileSystemCounters();  // a later mount covers an earlier one
      current->type = std::move(type);
      continue;
    }
    if (current == nullptr) continue;
    std::string_view word = TakeWord(&line);
    if (word == "bytes:") {
      // Read and written by programs: normal, direct; then from and to servers.
      for (int i = 0; i < 4; ++i) TakeWord(&line);
      current->read_bytes = ParseCount(TakeWord(&line));
      current->written_bytes = ParseCount(TakeWord(&line));
    } else if (word == "per-op") {
      in_operations = true;
    } else if (in_operations && word.ends_with(":")) {
      word.remove_suffix(1);
      AddNfsOperation(word, line, current);
    }
  }
  return mounts;
}

FileSystemCounters ParseLustreStats(std::string_view text) {
  FileSystemCounters counters;
  counters.type = "lustre";
  while (!text.empty()) {
    std::string_view line = TakeLine(&text);
    // "read_bytes 10 samples [bytes] 4096 1048576 10485760 …"
    const std::string_view name = TakeWord(&line);
    const auto count = ParseCount(TakeWord(&line));
    if (TakeWord(&line) != "samples" || !count) continue;
    TakeWord(&line);
    TakeWord(&line);
    TakeWord(&line);
    const auto sum = ParseCount(TakeWord(&line));
    if (name == "read_bytes" || name == "write_bytes") {
      (name == "read_bytes" ? counters.read_bytes : counters.written_bytes) =
          sum;
      AddTo(&counters.data_operations, count);
    } else if (name != "read" && name != "write" &&
               !name.starts_with("ioctl") && !name.starts_with("mmap")) {
      AddTo(&counters.metadata_operations, count);
    }
  }
  return counters;
}

std::optional<uint64_t> ParseBeegfsConnections(std::string_view text) {
  std::optional<uint64_t> connections;
  while (!text.empty()) {
    std::string_view line = TakeLine(&text);
    if (TakeWord(&line) != "Connections:") continue;
    if (!connections) connections = 0;
    // "RDMA: 2 (10.0.0.1:8003); TCP: 1 (10.0.0.1:8003);"
    while (!line.empty()) {
      const std::string_view word = TakeWord(&line);
      if (word.ends_with(":")) AddTo(&connections, ParseCount(TakeWord(&line)));
    }
  }
  return connections;
}

std::optional<KernelEvent> ParseKernelRecord(std::string_view record) {
  // "6,1234,5678901,-;message", and lines with the device behind it.
  const size_t semicolon = record.find(';');
  if (semicolon == std::string_view::npos) return std::nullopt;
  std::string_view rest = record.substr(semicolon + 1);
  const std::string_view message = TakeLine(&rest);
  std::optional<KernelEvent> event;
  if (Contains(message, "NVRM: Xid")) {
    event = ParseXid(message);
  } else if (message.starts_with("oom-kill:")) {
    event = ParseOom(message);
  } else if (message.starts_with("EDAC ") ||
             Contains(message, "[Hardware Error]")) {
    event = KernelEvent{"edac", "", {}, ""};
  } else if (IsLinkChange(message)) {
    event = KernelEvent{"link", "", {}, ""};
  }
  if (event) event->text = std::string(message);
  return event;
}

bool IsOfJob(std::string_view cgroup, std::string_view slurm_job) {
  const std::string mark = "/job_" + std::string(slurm_job);
  const size_t at = cgroup.find(mark);
  if (at == std::string_view::npos || slurm_job.empty()) return false;
  const size_t end = at + mark.size();
  return end == cgroup.size() || cgroup[end] == '/';
}

}  // namespace carme::sampler
