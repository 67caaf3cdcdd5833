#include "backend/metrics/pages/job_pages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/metrics/archive/archive_builder.h"
#include "backend/metrics/archive/reduction.h"
#include "backend/metrics/ingest/sample_rules.h"
#include "backend/metrics/query/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr int64_t kDefaultPoints = 1000;
// Samples come every 5 s or less often; shorter gaps are not shown.
constexpr int64_t kShortestGap_s = 10;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

absl::StatusOr<TimeGrid> GridFor(const v1::MeasuredJob& job,
                                 const v1::GetJobMetricsRequest& request,
                                 int64_t now_ms) {
  TimeGrid grid{.from_ms = request.from_ms(), .to_ms = request.to_ms()};
  if (grid.from_ms == 0) grid.from_ms = job.started_at_ms();
  if (grid.to_ms == 0) {
    grid.to_ms = job.ended_at_ms() != 0 ? job.ended_at_ms() : now_ms;
  }
  const bool valid = grid.from_ms >= 0 && grid.to_ms <= now_ms + 3'600'000 &&
                     grid.from_ms <= grid.to_ms;
  if (valid) {
    grid.from_ms = grid.from_ms / 1000 * 1000;
    const int64_t length_s = (grid.to_ms - grid.from_ms) / 1000;
    grid.step_s = request.step_s() != 0
                      ? request.step_s()
                      : std::max<int64_t>(length_s / kDefaultPoints, 1);
  }
  if (!valid || grid.points() > JobPages::kMaxPoints) {
    return MakeError(query_messages::kTimesInvalid,
                     {{"max", JobPages::kMaxPoints}});
  }
  return grid;
}

absl::StatusOr<std::set<std::string>> NamesFor(
    const v1::GetJobMetricsRequest& request) {
  const bool valid =
      request.names_size() <= JobPages::kMaxNames &&
      std::all_of(request.names().begin(), request.names().end(),
                  [](const std::string& name) { return IsSeriesName(name); });
  if (!valid) {
    return MakeError(query_messages::kNamesInvalid,
                     {{"max", JobPages::kMaxNames}});
  }
  return std::set<std::string>(request.names().begin(), request.names().end());
}

// The step of an archive; 0: it has no series.
int64_t StepOf(const archive::v1::JobArchive& archive) {
  for (const archive::v1::ArchivedSeries& series : archive.series()) {
    if (!series.resolutions().empty()) return series.resolutions(0).step_s();
  }
  return 0;
}

void FillNotes(const archive::v1::JobArchive& archive,
               v1::GetJobMetricsResponse* response) {
  for (const archive::v1::ArchivedSource& row : archive.sources()) {
    *response->add_sources() = row.source();
  }
  *response->mutable_events() = archive.events();
  *response->mutable_quality() = archive.quality();
}

void FillFromArchive(const archive::v1::JobArchive& archive,
                     const std::set<std::string>& names, const TimeGrid& grid,
                     v1::GetJobMetricsResponse* response) {
  for (const archive::v1::ArchivedSeries& series : archive.series()) {
    if (series.resolutions().empty()) continue;
    if (!names.empty() && !names.contains(series.name())) continue;
    v1::MetricSeries* row = response->add_series();
    row->set_name(series.name());
    row->set_node(series.node());
    *row->mutable_labels() = series.labels();
    row->set_source(series.source());
    const std::vector<double> values =
        Resample(series.resolutions(0), IsCounter(series.name()), grid.from_ms,
                 grid.step_s, grid.points());
    *row->mutable_values() = {values.begin(), values.end()};
  }
  response->set_origin(v1::GetJobMetricsResponse::ORIGIN_ARCHIVE);
}

}  // namespace

archive::v1::JobNotes JobPages::NotesOf(const std::string& job) const {
  const std::shared_ptr<JobState> state = parts_.ingest->Find(job);
  return state == nullptr ? archive::v1::JobNotes() : state->Notes();
}

absl::Status JobPages::FillFromDatabase(const v1::MeasuredJob& job,
                                        const std::set<std::string>& names,
                                        const TimeGrid& grid,
                                        v1::GetJobMetricsResponse* response) {
  std::vector<std::string> wanted(names.begin(), names.end());
  if (wanted.empty()) {
    ASSIGN_OR_RETURN(
        wanted, parts_.reader->NamesOf(job.job_id(), grid.from_ms, grid.to_ms));
  }
  const SourceIndex sources(NotesOf(job.job_id()));
  const int64_t window_s = std::max(grid.step_s, kShortestGap_s);
  for (const std::string& name : wanted) {
    ASSIGN_OR_RETURN(const std::vector<MatrixSeries> found,
                     parts_.reader->Read(job.job_id(), name, grid, window_s));
    for (const MatrixSeries& one : found) {
      v1::MetricSeries* row = response->add_series();
      row->set_name(name);
      for (const auto& [label, value] : one.labels) {
        if (label == "node") {
          row->set_node(value);
        } else {
          (*row->mutable_labels())[label] = value;
        }
      }
      row->set_source(sources.Find(row->node(), name));
      std::vector<double> values(static_cast<size_t>(grid.points()), kNaN);
      for (const auto& [at_ms, value] : one.points) {
        const int64_t place = (at_ms - grid.from_ms) / (grid.step_s * 1000);
        if (place >= 0 && place < grid.points()) {
          values[static_cast<size_t>(place)] = value;
        }
      }
      *row->mutable_values() = {values.begin(), values.end()};
    }
  }
  if (!response->series().empty()) {
    response->set_origin(v1::GetJobMetricsResponse::ORIGIN_DATABASE);
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::GetJobMetricsResponse> JobPages::Get(
    const v1::MeasuredJob& job, const v1::GetJobMetricsRequest& request) {
  ASSIGN_OR_RETURN(const std::set<std::string> names, NamesFor(request));
  ASSIGN_OR_RETURN(
      const TimeGrid grid,
      GridFor(job, request, absl::ToUnixMillis(parts_.clock->Now())));
  v1::GetJobMetricsResponse response;
  response.set_from_ms(grid.from_ms);
  response.set_to_ms(grid.to_ms);
  response.set_step_s(static_cast<uint32_t>(grid.step_s));
  bool has_any = false;  // the first series tells the archive's step
  absl::StatusOr<archive::v1::JobArchive> archive =
      parts_.store->ReadSeries(job.job_id(), [&](std::string_view name) {
        return !std::exchange(has_any, true) || names.empty() ||
               names.contains(std::string(name));
      });
  if (!archive.ok() && !absl::IsNotFound(archive.status())) {
    response.set_problem(std::string(archive.status().message()));
  }
  FillNotes(archive.ok() ? *archive
                         : ArchiveWithoutSeries(job, NotesOf(job.job_id())),
            &response);
  const int64_t archive_step_s = archive.ok() ? StepOf(*archive) : 0;
  const bool is_fine_enough =
      archive_step_s != 0 && archive_step_s <= grid.step_s;
  if (is_fine_enough) {
    FillFromArchive(*archive, names, grid, &response);
    return response;
  }
  const absl::Status read = FillFromDatabase(job, names, grid, &response);
  if (!response.series().empty() && read.ok()) return response;
  response.clear_series();
  if (archive_step_s != 0) {
    FillFromArchive(*archive, names, grid, &response);
  } else if (response.problem().empty()) {
    response.set_problem(FormatMessage(read.ok()
                                           ? query_messages::kNoSamples
                                           : query_messages::kDatabaseAway));
  }
  return response;
}

absl::StatusOr<archive::v1::JobArchive> JobPages::WholeJob(
    const v1::MeasuredJob& job) {
  absl::StatusOr<archive::v1::JobArchive> archive =
      parts_.store->Read(job.job_id());
  if (!absl::IsNotFound(archive.status())) return archive;
  archive = BuildArchive(job, NotesOf(job.job_id()), parts_.clock->Now(),
                         parts_.reader);
  RETURN_IF_ERROR(archive.status());
  if (archive->series().empty()) {
    return MakeError(query_messages::kNothingToExport,
                     {{"cause", FormatMessage(query_messages::kNoSamples)}});
  }
  return archive;
}

}  // namespace carme::metrics
