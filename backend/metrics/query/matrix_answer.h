// Reads answers of the HTTP API of Prometheus: JSON texts of a database, which
// may have millions of points.
#ifndef CARME_BACKEND_METRICS_QUERY_MATRIX_ANSWER_H_
#define CARME_BACKEND_METRICS_QUERY_MATRIX_ANSWER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::metrics {

struct MatrixSeries {
  std::map<std::string, std::string> labels;
  std::vector<std::pair<int64_t, double>> points;  // Unix time in ms, value
};

// Of /api/v1/query_range. INVALID_ARGUMENT: not such a JSON text. Values that
// are not finite are left out.
absl::StatusOr<std::vector<MatrixSeries>> ParseMatrixAnswer(
    std::string_view json);

// `data` of any answer of the API, unchanged; a part of `json`. The same
// errors.
absl::StatusOr<std::string_view> DataOfAnswer(std::string_view json);

// `error` of an answer that is an error; empty: there is none.
std::string ErrorOfAnswer(std::string_view json);

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_QUERY_MATRIX_ANSWER_H_
