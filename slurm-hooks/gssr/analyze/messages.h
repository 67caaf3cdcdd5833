// What gssr-analyze reports.
#ifndef CARME_SLURM_HOOKS_GSSR_ANALYZE_MESSAGES_H_
#define CARME_SLURM_HOOKS_GSSR_ANALYZE_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::gssr_analyze_messages {

inline constexpr MessageTemplate kUsage{
    "usage: gssr-analyze [-h] [--version] [-o REPORT.pdf|REPORT.html] "
    "[--text-only] [--export FILE.sqlite3|FILE.csv] PATH..."};

inline constexpr MessageTemplate kUnknownOption{
    "\"{option}\": unknown option, or its value is missing"};

inline constexpr MessageTemplate kSaved{"Saved PDF report to {path}"};

inline constexpr ErrorTemplate kPdf{absl::StatusCode::kInternal, "GSSR_PDF",
                                    "the PDF was not written: libharu {code}"};

inline constexpr MessageTemplate kExportName{
    "\"{path}\": expected a name that ends with .sqlite3 or .csv"};

inline constexpr ErrorTemplate kNothingRead{
    absl::StatusCode::kNotFound, "GSSR_NOTHING_READ",
    "no recording of GPUs was found: expected files of gssr-record, jobreport "
    "or gssr 0.3"};

inline constexpr ErrorTemplate kInvalidFile{absl::StatusCode::kInvalidArgument,
                                            "GSSR_INVALID_FILE", "{error}"};

}  // namespace carme::gssr_analyze_messages

#endif  // CARME_SLURM_HOOKS_GSSR_ANALYZE_MESSAGES_H_
