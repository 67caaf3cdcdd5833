// The series of one source by a short key, so that a round looks up a number
// instead of a name with labels.
#ifndef CARME_SLURM_HOOKS_SAMPLER_SERIES_SET_H_
#define CARME_SLURM_HOOKS_SAMPLER_SERIES_SET_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "slurm-hooks/sampler/sample_buffer.h"

namespace carme::sampler {

// Used on one thread.
class SeriesSet {
 public:
  SeriesSet(uint32_t source, Labels labels)
      : source_(source), labels_(std::move(labels)) {}

  // Adds a value, if there is one, to the series of this name. `index` numbers
  // the names of the set; a series is created with its first value.
  void Add(SampleBuffer* buffer, int64_t now_ms, size_t index,
           std::string_view name, std::optional<double> value) {
    if (!value) return;
    if (index >= ids_.size()) ids_.resize(index + 1, kUnknown);
    if (ids_[index] == kUnknown) {
      ids_[index] = buffer->AddSeries(source_, name, labels_);
    }
    buffer->Add(ids_[index], now_ms, *value);
  }

  // Nothing more is added.
  void End(SampleBuffer* buffer) {
    for (const SampleBuffer::SeriesId id : ids_) {
      if (id != kUnknown) buffer->EndSeries(id);
    }
    ids_.clear();
  }

 private:
  static constexpr SampleBuffer::SeriesId kUnknown = UINT32_MAX - 1;
  uint32_t source_;
  Labels labels_;
  std::vector<SampleBuffer::SeriesId> ids_;
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_SERIES_SET_H_
