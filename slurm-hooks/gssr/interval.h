// One record of gssr-record: minimum, mean and maximum of the samples of an
// interval, in the columns of gssr-record 2.1.
#ifndef CARME_SLURM_HOOKS_GSSR_INTERVAL_H_
#define CARME_SLURM_HOOKS_GSSR_INTERVAL_H_

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>

#include "common/gssr/recording_fields.h"
#include "slurm-hooks/gpu/gpu_source.h"

namespace carme::gssr {

inline constexpr size_t kColumnCount = std::size(kRecordingFields);

// `timestamp,gpuId,` and three columns for each field; ends with a newline.
std::string CsvHeader();

class Interval {
 public:
  void Add(const gpu::GpuSample& sample);
  // One line, and begins the next interval. A field without a value is empty.
  // The mean of the energy is its increase, in mJ, since the interval before;
  // empty if the counter was reset.
  std::string TakeCsvLine(int seconds, int gpu_id);

 private:
  struct Summary {
    double min = 0;
    double sum = 0;
    double max = 0;
    size_t count = 0;
  };
  struct Energy {
    uint64_t first = 0;
    uint64_t last = 0;
    bool was_reset = false;
  };

  void AppendEnergy(std::string* line) const;

  std::array<Summary, kColumnCount> summaries_;  // none of the energy
  std::optional<Energy> energy_;
};

}  // namespace carme::gssr

#endif  // CARME_SLURM_HOOKS_GSSR_INTERVAL_H_
