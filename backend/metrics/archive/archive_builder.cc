#include "backend/metrics/archive/archive_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "backend/metrics/archive/reduction.h"
#include "backend/metrics/findings/job_receipt.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

// For the step, before the series are known.
constexpr int64_t kSeriesPerName = 16;
// Between two points of a query for the largest sample of all.
constexpr int64_t kPeakStep_s = 600;

// Adds the points of a series at the places of the grid.
void AddSeries(const std::string& name, const MatrixSeries& row,
               const TimeGrid& grid, const SourceIndex& sources,
               archive::v1::JobArchive* archive) {
  archive::v1::ArchivedSeries* series = archive->add_series();
  series->set_name(name);
  for (const auto& [label, value] : row.labels) {
    if (label == "node") {
      series->set_node(value);
    } else {
      (*series->mutable_labels())[label] = value;
    }
  }
  series->set_source(sources.Find(series->node(), name));
  archive::v1::Resolution* points = series->add_resolutions();
  points->set_step_s(static_cast<uint32_t>(grid.step_s));
  points->set_first_ms(grid.from_ms);
  std::vector<double> values(static_cast<size_t>(grid.points()),
                             std::numeric_limits<double>::quiet_NaN());
  for (const auto& [at_ms, value] : row.points) {
    const int64_t place = (at_ms - grid.from_ms) / (grid.step_s * 1000);
    if (place >= 0 && place < grid.points()) {
      values[static_cast<size_t>(place)] = value;
    }
  }
  *points->mutable_values() = {values.begin(), values.end()};
}

// Sets the peaks of the series of one name, which are those from `first` on.
absl::Status SetPeaks(const std::string& name, TimeGrid grid, int first,
                      DatabaseReader* reader,
                      archive::v1::JobArchive* archive) {
  grid.step_s = std::max(grid.step_s, kPeakStep_s);
  const int64_t step_ms = grid.step_s * 1000;
  grid.to_ms = grid.from_ms +
               (grid.to_ms - grid.from_ms + step_ms - 1) / step_ms * step_ms;
  ASSIGN_OR_RETURN(
      const std::vector<MatrixSeries> rows,
      reader->ReadLargest(archive->job().job_id(), name, grid, grid.step_s));
  std::map<std::map<std::string, std::string>, double> peaks;
  for (const MatrixSeries& row : rows) {
    for (const auto& [at_ms, value] : row.points) {
      double& peak = peaks.emplace(row.labels, value).first->second;
      peak = std::max(peak, value);
    }
  }
  for (int i = first; i < archive->series_size(); ++i) {
    archive::v1::ArchivedSeries* const series = archive->mutable_series(i);
    std::map<std::string, std::string> labels(series->labels().begin(),
                                              series->labels().end());
    if (!series->node().empty()) labels["node"] = series->node();
    const auto peak = peaks.find(labels);
    if (peak != peaks.end()) series->set_peak(peak->second);
  }
  return absl::OkStatus();
}

}  // namespace

archive::v1::JobArchive ArchiveWithoutSeries(
    const v1::MeasuredJob& job, const archive::v1::JobNotes& notes) {
  archive::v1::JobArchive archive;
  archive.set_schema(1);
  *archive.mutable_job() = job;
  *archive.mutable_sources() = notes.sources();
  *archive.mutable_events() = notes.events();
  *archive.mutable_quality() = notes.quality();
  return archive;
}

SourceIndex::SourceIndex(const archive::v1::JobNotes& notes) {
  for (const archive::v1::ArchivedSource& row : notes.sources()) {
    for (const std::string& series : row.series()) {
      sources_[{row.node(), series}] = row.source().id();
    }
  }
}

uint32_t SourceIndex::Find(const std::string& node,
                           const std::string& series) const {
  const auto found = sources_.find({node, series});
  return found == sources_.end() ? 0 : found->second;
}

absl::StatusOr<archive::v1::JobArchive> BuildArchive(
    const v1::MeasuredJob& job, const archive::v1::JobNotes& notes,
    absl::Time now, DatabaseReader* reader, const ArchiveSelection& selection) {
  archive::v1::JobArchive archive = ArchiveWithoutSeries(job, notes);
  if (job.started_at_ms() == 0) return archive;
  TimeGrid grid{.from_ms = job.started_at_ms() / 1000 * 1000,
                .to_ms = job.ended_at_ms() != 0 ? job.ended_at_ms()
                                                : absl::ToUnixMillis(now)};
  const int64_t length_s = (grid.to_ms - grid.from_ms) / 1000;
  ASSIGN_OR_RETURN(std::vector<std::string> names,
                   reader->NamesOf(job.job_id(), grid.from_ms, grid.to_ms));
  std::erase_if(names, [&](const std::string& name) {
    return !selection.names.empty() && !selection.names.contains(name);
  });
  const auto name_count = static_cast<int64_t>(names.size());
  grid.step_s =
      ArchiveStep_s(length_s, name_count * kSeriesPerName *
                                  std::max<int64_t>(job.nodes_size(), 1));
  grid.step_s = std::max(grid.step_s, selection.min_step_s);
  // The last point is not before the end.
  const int64_t step_ms = grid.step_s * 1000;
  grid.to_ms = grid.from_ms +
               (grid.to_ms - grid.from_ms + step_ms - 1) / step_ms * step_ms;
  const SourceIndex sources(notes);
  const std::set<std::string> with_peak = PeakSeries();
  for (const std::string& name : names) {
    const int first = archive.series_size();
    ASSIGN_OR_RETURN(const std::vector<MatrixSeries> rows,
                     reader->Read(job.job_id(), name, grid, grid.step_s));
    for (const MatrixSeries& row : rows) {
      AddSeries(name, row, grid, sources, &archive);
    }
    // In steps of a second the values are the samples.
    if (grid.step_s > 1 && with_peak.contains(name)) {
      RETURN_IF_ERROR(SetPeaks(name, grid, first, reader, &archive));
    }
  }
  return archive;
}

}  // namespace carme::metrics
