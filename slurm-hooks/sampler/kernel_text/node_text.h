// Parsers of the files about a whole node: network interfaces, file systems,
// the kernel's log. Pure.
#ifndef CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_NODE_TEXT_H_
#define CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_NODE_TEXT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carme::sampler {

struct InterfaceCounters {
  uint64_t received_bytes = 0;
  uint64_t received_errors = 0;
  uint64_t received_drops = 0;
  uint64_t sent_bytes = 0;
  uint64_t sent_errors = 0;
  uint64_t sent_drops = 0;
};
// /proc/net/dev by interface, without the loopback.
std::map<std::string, InterfaceCounters> ParseNetDev(std::string_view text);

// What a client of a network file system counts since the mount.
struct FileSystemCounters {
  std::string type;                       // "nfs", "nfs4", "lustre"
  std::optional<uint64_t> read_bytes;     // from the servers
  std::optional<uint64_t> written_bytes;  // to the servers
  std::optional<uint64_t> data_operations;
  std::optional<uint64_t> metadata_operations;
  std::optional<double> wait_seconds;  // summed over all operations
  std::optional<uint64_t> timeouts;
};
// /proc/self/mountstats, by mount point: the NFS mounts.
std::map<std::string, FileSystemCounters> ParseMountStats(
    std::string_view text);
// "stats" of a Lustre client (llite).
FileSystemCounters ParseLustreStats(std::string_view text);
// "meta_nodes" and "storage_nodes" of a BeeGFS client: its open connections.
// nullopt: not such a file.
std::optional<uint64_t> ParseBeegfsConnections(std::string_view text);

// A record of the kernel's log that matters to a job.
struct KernelEvent {
  std::string kind;  // as NodeEvent's: "xid", "oom", "edac", "link"
  std::string text;
  std::map<std::string, std::string> labels;
  // Of an OOM kill: the control group of the killed process. Of an Xid: the PCI
  // address of the GPU, lower case.
  std::string subject;
};
// A record of /dev/kmsg. nullopt: no such event.
std::optional<KernelEvent> ParseKernelRecord(std::string_view record);
// Whether the path of a control group is that of the job or below it.
bool IsOfJob(std::string_view cgroup, std::string_view slurm_job);

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_KERNEL_TEXT_NODE_TEXT_H_
