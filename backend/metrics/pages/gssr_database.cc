#include "backend/metrics/pages/gssr_database.h"

#include <stdlib.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "backend/metrics/pages/gssr_fields.h"
#include "backend/metrics/query/messages.h"
#include "common/file.h"
#include "common/gssr/recording_database.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

namespace fs = std::filesystem;
using gssr::RecordingField;

// A directory of this process alone, removed with the object.
class ExportDirectory {
 public:
  static absl::StatusOr<ExportDirectory> Create() {
    std::error_code ignored;
    std::string path =
        (fs::temp_directory_path(ignored) / "carme-export-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) {
      return MakeError(query_messages::kExportNotWritten,
                       {{"cause", std::strerror(errno)}});
    }
    return ExportDirectory(std::move(path));
  }
  ExportDirectory(ExportDirectory&& other) noexcept
      : path_(std::exchange(other.path_, "")) {}
  ~ExportDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  std::string File() const { return path_ + "/gssr.sqlite3"; }

 private:
  explicit ExportDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Its rows are the points at which anything of the GPU was sampled.
gssr::GpuSeries SeriesOf(const NodeGpus& node, const std::string& gpu) {
  gssr::GpuSeries series;
  series.gpu_id = gpu;
  series.started = absl::FromUnixMillis(node.started_ms);
  for (int place = 0; place < node.points; ++place) {
    gssr::RecordedSample sample;
    sample.time_s = static_cast<double>(place * node.step_s);
    for (const RecordingField& field : gssr::kRecordingFields) {
      const archive::v1::ArchivedSeries* const from = node.Find(gpu, field);
      const double value =
          field.is_difference ? IncreaseAt(from, place) : SampleAt(from, place);
      if (!std::isnan(value)) {
        sample.values[field.metric] = value * field.factor;
      }
    }
    if (!sample.values.empty()) series.samples.push_back(std::move(sample));
  }
  return series;
}

absl::Status WriteDatabase(const v1::MeasuredJob& job,
                           const std::map<std::string, NodeGpus>& nodes,
                           const std::string& path) {
  std::set<std::string> metrics;
  for (const RecordingField& field : gssr::kRecordingFields) {
    for (const auto& [name, node] : nodes) {
      if (node.Has(field)) metrics.insert(field.metric);
    }
  }
  ASSIGN_OR_RETURN(const auto database,
                   gssr::RecordingDatabase::Create(path, std::move(metrics)));
  int process = 0;
  for (const auto& [name, node] : nodes) {
    for (const std::string& gpu : node.gpus) {
      gssr::GpuSeries series = SeriesOf(node, gpu);
      series.job_id = absl::StrCat(job.slurm_job_id());
      series.step_id = "0";
      series.process_id = absl::StrCat(process);
      series.hostname = name;
      series.label = job.name();
      RETURN_IF_ERROR(database->Add(series));
    }
    ++process;
  }
  return database->Finish();
}

absl::Status NotWritten(const absl::Status& cause) {
  return MakeError(query_messages::kExportNotWritten,
                   {{"cause", cause.message()}});
}

}  // namespace

absl::StatusOr<ExportedFile> ExportGssrDatabase(
    const archive::v1::JobArchive& archive, int64_t max_bytes,
    const ExportNames& names) {
  const std::map<std::string, NodeGpus> nodes = GpusByNode(archive);
  if (nodes.empty()) {
    return MakeError(query_messages::kNothingToExport,
                     {{"cause", FormatMessage(query_messages::kNoGpuSamples)}});
  }
  ASSIGN_OR_RETURN(const ExportDirectory directory, ExportDirectory::Create());
  const absl::Status written =
      WriteDatabase(archive.job(), nodes, directory.File());
  if (!written.ok()) return NotWritten(written);
  absl::StatusOr<std::string> content =
      ReadFile(directory.File(), static_cast<size_t>(max_bytes));
  if (absl::IsResourceExhausted(content.status())) {
    return MakeError(query_messages::kExportTooLarge,
                     {{"mib", max_bytes >> 20}});
  }
  if (!content.ok()) return NotWritten(content.status());
  return ExportedFile{absl::StrCat(names.cluster, "_",
                                   archive.job().slurm_job_id(), ".sqlite3"),
                      *std::move(content)};
}

}  // namespace carme::metrics
