#include "backend/metrics/query/database_reader.h"

#include <httplib.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backend/metrics/ingest/sample_rules.h"
#include "backend/metrics/query/messages.h"
#include "backend/metrics/query/promql_restriction.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

constexpr int kMaxConcurrentQueries = 16;
constexpr size_t kMaxErrorBytes = 200;

absl::Status Unreachable(const std::string& cause) {
  return MakeError(query_messages::kDatabaseUnreachable, {{"cause", cause}});
}

// The end of the database's text: VictoriaMetrics repeats the query, with the
// matcher of all jobs, before it says what is wrong.
std::string CauseOf(const std::string& body) {
  const std::string error = ErrorOfAnswer(body);
  if (error.empty()) return PlainText(body, kMaxErrorBytes);
  if (error.size() <= kMaxErrorBytes) return PlainText(error, kMaxErrorBytes);
  return absl::StrCat(
      "...",
      PlainText(std::string_view(error).substr(error.size() - kMaxErrorBytes),
                kMaxErrorBytes));
}

}  // namespace

std::string UnixSeconds(int64_t ms) {
  return absl::StrFormat("%d.%03d", ms / 1000, ms % 1000);
}

DatabaseReader::DatabaseReader(DatabaseAddress address, absl::Duration timeout)
    : address_(std::move(address)),
      timeout_(timeout),
      limiter_(kMaxConcurrentQueries, ConcurrencyLimiter<int>::kUnlimited) {}

absl::StatusOr<std::string> DatabaseReader::Send(
    Question question, const std::vector<std::string>& jobs, size_t max_bytes) {
  const auto slot = limiter_.TryAcquire();
  if (!slot.acquired()) return Unreachable("too many queries");
  const auto client = NewDatabaseClient(address_, timeout_);
  if (client == nullptr) return Unreachable("invalid address");
  Parameters& parameters = question.parameters;
  parameters.emplace_back("nocache", "1");
  // VictoriaMetrics applies it to each selector.
  parameters.emplace_back("extra_filters[]",
                          absl::StrCat("{", JobMatcher(jobs), "}"));
  const std::string form = httplib::detail::params_to_query_str(
      httplib::Params(parameters.begin(), parameters.end()));
  std::string body;
  bool too_large = false;
  httplib::Request request;
  request.method = question.method;
  request.path = question.path;
  if (question.method == "GET") {
    absl::StrAppend(&request.path, "?", form);
  } else {
    request.body = form;
    request.set_header("Content-Type", "application/x-www-form-urlencoded");
  }
  request.content_receiver = [&](const char* data, size_t size, uint64_t,
                                 uint64_t) {
    too_large = body.size() + size > max_bytes;
    if (!too_large) body.append(data, size);
    return !too_large;
  };
  const httplib::Result result = client->send(request);
  if (too_large) {
    return MakeError(query_messages::kAnswerTooLarge,
                     {{"mib", max_bytes >> 20}});
  }
  if (!result) return Unreachable(httplib::to_string(result.error()));
  if (result->status == 200) return body;
  const std::string cause =
      absl::StrCat("it responded ", result->status, ": ", CauseOf(body));
  if (result->status == 400 || result->status == 422) {
    return MakeError(query_messages::kDatabaseRefused, {{"cause", cause}});
  }
  return Unreachable(cause);
}

absl::StatusOr<std::vector<std::string>> DatabaseReader::NamesOf(
    const std::string& job, int64_t from_ms, int64_t to_ms) {
  // VictoriaMetrics changes newest points unless the step is more than a
  // minute.
  const TimeGrid grid{.from_ms = to_ms, .to_ms = to_ms, .step_s = 3600};
  const int64_t window_s = std::max<int64_t>((to_ms - from_ms) / 1000, 1);
  ASSIGN_OR_RETURN(
      const std::string body,
      QueryRange(absl::StrCat("group by (__name__) (last_over_time({",
                              JobMatcher({job}), "}[", window_s, "s]))"),
                 {job}, grid));
  ASSIGN_OR_RETURN(const std::vector<MatrixSeries> rows,
                   ParseMatrixAnswer(body));
  std::vector<std::string> names;
  for (const MatrixSeries& row : rows) {
    const auto name = row.labels.find("__name__");
    if (name != row.labels.end() && IsSeriesName(name->second)) {
      names.push_back(name->second);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::vector<MatrixSeries>> DatabaseReader::Read(
    const std::string& job, const std::string& name, const TimeGrid& grid,
    int64_t window_s) {
  const char* const function =
      absl::EndsWith(name, "_total") ? "last_over_time" : "avg_over_time";
  return ReadGrid(job,
                  absl::StrCat(function, "(", name, "{", JobMatcher({job}),
                               "}[", window_s, "s])"),
                  grid);
}

absl::StatusOr<std::vector<MatrixSeries>> DatabaseReader::ReadLargest(
    const std::string& job, const std::string& name, const TimeGrid& grid,
    int64_t window_s) {
  return ReadGrid(job,
                  absl::StrCat("max_over_time(", name, "{", JobMatcher({job}),
                               "}[", window_s, "s])"),
                  grid);
}

absl::StatusOr<std::vector<MatrixSeries>> DatabaseReader::ReadLargestOfGpus(
    const std::string& job, const std::string& name, const TimeGrid& grid,
    int64_t window_s) {
  return ReadGrid(job,
                  absl::StrCat("max by (node, gpu) (max_over_time(", name, "{",
                               JobMatcher({job}), "}[", window_s, "s]))"),
                  grid);
}

absl::StatusOr<std::vector<MatrixSeries>> DatabaseReader::ReadGrid(
    const std::string& job, const std::string& query, const TimeGrid& grid) {
  std::vector<MatrixSeries> all;
  std::map<std::map<std::string, std::string>, size_t> places;
  for (TimeGrid part = grid; part.from_ms <= grid.to_ms;
       part.from_ms += kMaxPoints * grid.step_s * 1000) {
    part.to_ms = std::min(grid.to_ms,
                          part.from_ms + (kMaxPoints - 1) * grid.step_s * 1000);
    ASSIGN_OR_RETURN(const std::string body, QueryRange(query, {job}, part));
    ASSIGN_OR_RETURN(std::vector<MatrixSeries> rows, ParseMatrixAnswer(body));
    for (MatrixSeries& row : rows) {
      row.labels.erase("__name__");
      row.labels.erase("job");
      const auto [place, is_new] = places.emplace(row.labels, all.size());
      if (is_new) {
        all.push_back(std::move(row));
        continue;
      }
      auto& points = all[place->second].points;
      points.insert(points.end(), row.points.begin(), row.points.end());
    }
  }
  return all;
}

absl::StatusOr<std::string> DatabaseReader::QueryRange(
    const std::string& query, const std::vector<std::string>& jobs,
    const TimeGrid& grid) {
  return Send({.method = "POST",
               .path = "/api/v1/query_range",
               .parameters = {{"query", query},
                              {"start", UnixSeconds(grid.from_ms)},
                              {"end", UnixSeconds(grid.to_ms)},
                              {"step", absl::StrCat(grid.step_s)}}},
              jobs, kMaxAnswerBytes);
}

absl::StatusOr<std::string> DatabaseReader::Ask(
    Question question, const std::vector<std::string>& jobs, size_t max_bytes) {
  ASSIGN_OR_RETURN(const std::string answer,
                   Send(std::move(question), jobs, max_bytes));
  const absl::StatusOr<std::string_view> data = DataOfAnswer(answer);
  if (!data.ok()) return Unreachable(std::string(data.status().message()));
  return std::string(*data);
}

}  // namespace carme::metrics
