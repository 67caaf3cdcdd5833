#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "slurm-hooks/gssr/analyze/messages.h"
#include "slurm-hooks/gssr/analyze/recordings.h"

namespace carme::gssr {
namespace {

using google::protobuf::Struct;
using google::protobuf::Value;

std::string TextOf(const Struct& object, const char* name) {
  const auto found = object.fields().find(name);
  if (found == object.fields().end()) return "";
  const Value& value = found->second;
  if (value.kind_case() == Value::kStringValue) return value.string_value();
  if (value.kind_case() == Value::kNumberValue) {
    // not "1.76702e+09" for a time
    return absl::StrFormat("%.15g", value.number_value());
  }
  return "";
}

const Struct* ObjectOf(const Struct& object, const char* name) {
  const auto found = object.fields().find(name);
  if (found == object.fields().end() || !found->second.has_struct_value()) {
    return nullptr;
  }
  return &found->second.struct_value();
}

}  // namespace

// Of gssr 0.3: {"metadata": {…}, "data": {"<gpu>": {"<metric>": [..]}}}.
absl::StatusOr<std::vector<GpuSeries>> ParseJson(std::string_view text) {
  Struct root;
  if (!google::protobuf::util::JsonStringToMessage(std::string(text), &root)
           .ok()) {
    return MakePlainError(gssr_analyze_messages::kInvalidFile,
                          {{"error", "it is not valid JSON"}});
  }
  const Struct* const metadata = ObjectOf(root, "metadata");
  const Struct* const data = ObjectOf(root, "data");
  if (metadata == nullptr || data == nullptr) {
    return MakePlainError(
        gssr_analyze_messages::kInvalidFile,
        {{"error", "it has no objects \"metadata\" and \"data\""}});
  }
  double interval_ms = 500;  // the default of 0.3
  if (double value = 0;
      absl::SimpleAtod(TextOf(*metadata, "sampling_time"), &value)) {
    interval_ms = value;
  }
  std::vector<GpuSeries> found;
  for (const auto& [gpu, metrics] : data->fields()) {
    GpuSeries series;
    series.job_id = TextOf(*metadata, "job_id");
    series.step_id = TextOf(*metadata, "step_id");
    series.process_id = TextOf(*metadata, "proc_id");
    series.hostname = TextOf(*metadata, "hostname");
    series.label = TextOf(*metadata, "label");
    series.command = TextOf(*metadata, "cmd");
    series.started = ParseRecordedTime(TextOf(*metadata, "start_time"));
    series.gpu_id = gpu;
    for (const auto& [name, values] : metrics.struct_value().fields()) {
      const auto& list = values.list_value().values();
      while (series.samples.size() < static_cast<size_t>(list.size())) {
        series.samples.push_back(
            {.time_s = static_cast<double>(series.samples.size()) *
                       interval_ms / 1000,
             .values = {}});
      }
      for (int i = 0; i < list.size(); ++i) {
        if (list[i].kind_case() != Value::kNumberValue ||  // null
            IsBlank(list[i].number_value())) {
          continue;
        }
        series.samples[static_cast<size_t>(i)].values[name] =
            list[i].number_value();
      }
    }
    found.push_back(std::move(series));
  }
  return found;
}

}  // namespace carme::gssr
