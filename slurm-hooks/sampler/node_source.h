// Counters of the whole node that help to explain a job: waiting times, network
// interfaces, RDMA ports, network file systems. Other jobs on the node
// contribute to them, and their names begin with carme_node.
#ifndef CARME_SLURM_HOOKS_SAMPLER_NODE_SOURCE_H_
#define CARME_SLURM_HOOKS_SAMPLER_NODE_SOURCE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "slurm-hooks/sampler/kernel_text/node_text.h"
#include "slurm-hooks/sampler/metric_source.h"
#include "slurm-hooks/sampler/sample_file.h"
#include "slurm-hooks/sampler/series_set.h"

namespace carme::sampler {

class NodeSource : public MetricSource {
 public:
  // `root` is "/"; tests set a directory with proc and sys.
  NodeSource(const std::string& root, SampleBuffer* buffer);

  void Sample(int64_t now_ms, SampleBuffer* buffer) override;

 private:
  // A file with the counters of one thing that has labels.
  struct CounterFile {
    std::string name;
    double unit = 1;
    SampleFile file;
    SeriesSet series;
  };
  struct LabelledFile {
    Labels labels;
    SampleFile file;
    SeriesSet series;
  };
  void OpenRdmaPorts(const std::string& root);
  void OpenLustre(const std::string& root);
  void OpenBeegfs(const std::string& root);
  void SamplePressure(int64_t now_ms, SampleBuffer* buffer);
  void SampleInterfaces(int64_t now_ms, SampleBuffer* buffer);
  void SampleMounts(int64_t now_ms, SampleBuffer* buffer);
  void AddFileSystem(int64_t now_ms, SampleBuffer* buffer,
                     const FileSystemCounters& counters, SeriesSet* series);

  uint32_t source_ = 0;
  std::vector<LabelledFile> pressure_;
  SampleFile net_dev_;
  SampleFile mount_stats_;
  std::vector<CounterFile> rdma_;
  std::vector<LabelledFile> lustre_;
  std::vector<LabelledFile> beegfs_;
  std::map<std::string, SeriesSet> interfaces_;
  std::map<std::string, SeriesSet> mounts_;
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_NODE_SOURCE_H_
