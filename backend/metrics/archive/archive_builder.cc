#include "backend/metrics/archive/archive_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "backend/metrics/archive/reduction.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

// For the step, before the series are known.
constexpr int64_t kSeriesPerName = 16;

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
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const std::vector<MatrixSeries> rows,
                     reader->Read(job.job_id(), name, grid, grid.step_s));
    for (const MatrixSeries& row : rows) {
      AddSeries(name, row, grid, sources, &archive);
    }
  }
  return archive;
}

}  // namespace carme::metrics
