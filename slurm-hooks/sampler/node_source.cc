#include "slurm-hooks/sampler/node_source.h"

#include <dirent.h>

#include <memory>
#include <optional>
#include <utility>

#include "slurm-hooks/sampler/kernel_text/cgroup_text.h"
#include "slurm-hooks/sampler/kernel_text/text_fields.h"

namespace carme::sampler {
namespace {

constexpr size_t kMaxEntries = 32;  // interfaces, ports, mounts of one kind

std::vector<std::string> EntriesOf(const std::string& path) {
  std::vector<std::string> names;
  const Directory opened = OpenDirectory(path);
  if (opened == nullptr) return names;
  while (const dirent* const entry = readdir(opened.get())) {
    if (entry->d_name[0] != '.' && names.size() < kMaxEntries) {
      names.emplace_back(entry->d_name);
    }
  }
  return names;
}

SeriesSet& SetOf(std::map<std::string, SeriesSet>* all, const std::string& key,
                 uint32_t source, const Labels& labels) {
  return all->try_emplace(key, source, labels).first->second;
}

}  // namespace

NodeSource::NodeSource(const std::string& root, SampleBuffer* buffer)
    : source_(buffer->AddSource("node", "", "")),
      net_dev_(root + "proc/net/dev"),
      mount_stats_(root + "proc/self/mountstats") {
  for (const char* resource : {"cpu", "memory", "io"}) {
    SampleFile file(root + "proc/pressure/" + resource);
    if (!file.valid()) continue;
    const Labels labels = {{"resource", resource}};
    pressure_.push_back({labels, std::move(file), SeriesSet(source_, labels)});
  }
  OpenRdmaPorts(root);
  OpenLustre(root);
  OpenBeegfs(root);
}

void NodeSource::OpenRdmaPorts(const std::string& root) {
  struct Counter {
    const char* file;
    const char* name;
    double unit;
  };
  // InfiniBand counts data in words of four bytes.
  constexpr Counter kCounters[] = {
      {"port_rcv_data", "carme_node_rdma_received_bytes_total", 4},
      {"port_xmit_data", "carme_node_rdma_sent_bytes_total", 4},
      {"port_rcv_errors", "carme_node_rdma_receive_errors_total", 1},
      {"symbol_error", "carme_node_rdma_symbol_errors_total", 1},
      {"link_downed", "carme_node_rdma_link_downs_total", 1},
      {"port_xmit_wait", "carme_node_rdma_send_waits_total", 1},
  };
  const std::string devices = root + "sys/class/infiniband";
  for (const std::string& device : EntriesOf(devices)) {
    const std::string ports = devices + "/" + device + "/ports";
    for (const std::string& port : EntriesOf(ports)) {
      for (const Counter& counter : kCounters) {
        SampleFile file(ports + "/" + port + "/counters/" + counter.file);
        if (!file.valid() || rdma_.size() >= kMaxEntries * 6) continue;
        rdma_.push_back(
            {counter.name, counter.unit, std::move(file),
             SeriesSet(source_, {{"device", device}, {"port", port}})});
      }
    }
  }
}

void NodeSource::OpenLustre(const std::string& root) {
  for (const char* place : {"proc/fs/lustre/llite", "sys/fs/lustre/llite",
                            "sys/kernel/debug/lustre/llite"}) {
    for (const std::string& mount : EntriesOf(root + place)) {
      SampleFile file(root + place + "/" + mount + "/stats");
      if (!file.valid()) continue;
      const Labels labels = {{"mount", mount.substr(0, mount.rfind('-'))},
                             {"type", "lustre"}};
      lustre_.push_back({labels, std::move(file), SeriesSet(source_, labels)});
    }
    if (!lustre_.empty()) return;
  }
}

void NodeSource::OpenBeegfs(const std::string& root) {
  const std::string clients = root + "proc/fs/beegfs";
  for (const std::string& client : EntriesOf(clients)) {
    for (const char* kind : {"meta", "storage"}) {
      SampleFile file(clients + "/" + client + "/" + kind + "_nodes");
      if (!file.valid()) continue;
      const Labels labels = {
          {"mount", client}, {"type", "beegfs"}, {"servers", kind}};
      beegfs_.push_back({labels, std::move(file), SeriesSet(source_, labels)});
    }
  }
}

void NodeSource::Sample(int64_t now_ms, SampleBuffer* buffer) {
  SamplePressure(now_ms, buffer);
  SampleInterfaces(now_ms, buffer);
  for (CounterFile& counter : rdma_) {
    const auto text = counter.file.Read();
    if (!text) continue;
    const auto value = AsDouble(ParseOnlyCount(*text));
    if (!value) continue;
    counter.series.Add(buffer, now_ms, 0, counter.name, *value * counter.unit);
  }
  SampleMounts(now_ms, buffer);
}

void NodeSource::SamplePressure(int64_t now_ms, SampleBuffer* buffer) {
  for (LabelledFile& resource : pressure_) {
    const auto text = resource.file.Read();
    if (!text) continue;
    const Pressure pressure = ParsePressure(*text);
    resource.series.Add(buffer, now_ms, 0,
                        "carme_node_pressure_some_seconds_total",
                        pressure.some_seconds);
    resource.series.Add(buffer, now_ms, 1,
                        "carme_node_pressure_full_seconds_total",
                        pressure.full_seconds);
  }
}

void NodeSource::SampleInterfaces(int64_t now_ms, SampleBuffer* buffer) {
  const auto text = net_dev_.Read();
  if (!text) return;
  for (const auto& [name, counters] : ParseNetDev(*text)) {
    if (!interfaces_.contains(name) && interfaces_.size() >= kMaxEntries) {
      continue;
    }
    SeriesSet& set = SetOf(&interfaces_, name, source_, {{"device", name}});
    const auto add = [&](size_t index, const char* series, uint64_t value) {
      set.Add(buffer, now_ms, index, series, static_cast<double>(value));
    };
    add(0, "carme_node_network_received_bytes_total", counters.received_bytes);
    add(1, "carme_node_network_sent_bytes_total", counters.sent_bytes);
    add(2, "carme_node_network_receive_errors_total", counters.received_errors);
    add(3, "carme_node_network_send_errors_total", counters.sent_errors);
    add(4, "carme_node_network_receive_drops_total", counters.received_drops);
    add(5, "carme_node_network_send_drops_total", counters.sent_drops);
  }
}

void NodeSource::AddFileSystem(int64_t now_ms, SampleBuffer* buffer,
                               const FileSystemCounters& counters,
                               SeriesSet* series) {
  series->Add(buffer, now_ms, 0, "carme_node_filesystem_read_bytes_total",
              AsDouble(counters.read_bytes));
  series->Add(buffer, now_ms, 1, "carme_node_filesystem_written_bytes_total",
              AsDouble(counters.written_bytes));
  series->Add(buffer, now_ms, 2, "carme_node_filesystem_data_operations_total",
              AsDouble(counters.data_operations));
  series->Add(buffer, now_ms, 3,
              "carme_node_filesystem_metadata_operations_total",
              AsDouble(counters.metadata_operations));
  series->Add(buffer, now_ms, 4, "carme_node_filesystem_wait_seconds_total",
              counters.wait_seconds);
  series->Add(buffer, now_ms, 5, "carme_node_filesystem_timeouts_total",
              AsDouble(counters.timeouts));
}

void NodeSource::SampleMounts(int64_t now_ms, SampleBuffer* buffer) {
  if (const auto text = mount_stats_.Read()) {
    for (const auto& [mount, counters] : ParseMountStats(*text)) {
      if (!mounts_.contains(mount) && mounts_.size() >= kMaxEntries) continue;
      SeriesSet& set = SetOf(&mounts_, mount, source_,
                             {{"mount", mount}, {"type", counters.type}});
      AddFileSystem(now_ms, buffer, counters, &set);
    }
  }
  for (LabelledFile& client : lustre_) {
    const auto text = client.file.Read();
    if (!text) continue;
    AddFileSystem(now_ms, buffer, ParseLustreStats(*text), &client.series);
  }
  for (LabelledFile& client : beegfs_) {
    const auto text = client.file.Read();
    if (!text) continue;
    client.series.Add(buffer, now_ms, 0, "carme_node_filesystem_connections",
                      AsDouble(ParseBeegfsConnections(*text)));
  }
}

}  // namespace carme::sampler
