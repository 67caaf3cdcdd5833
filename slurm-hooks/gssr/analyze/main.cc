// gssr-analyze: reports of recordings of GPUs.
#include <stdio.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/file.h"
#include "common/printable.h"
#include "common/status.h"
#include "slurm-hooks/gssr/analyze/export.h"
#include "slurm-hooks/gssr/analyze/messages.h"
#include "slurm-hooks/gssr/analyze/pdf_report.h"
#include "slurm-hooks/gssr/analyze/report.h"
#include "slurm-hooks/gssr/analyze/summary.h"

namespace carme::gssr {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUse = 2;
constexpr mode_t kFileMode = 0644;

void Complain(std::string_view text) {
  fprintf(stderr, "gssr-analyze: %s\n", ValidUtf8(text).c_str());
}

int WrongUse(const MessageTemplate& message,
             std::initializer_list<MessageValue> values) {
  Complain(FormatMessage(message, values));
  return kWrongUse;
}

int Fail(const absl::Status& status) {
  Complain({status.message().data(), status.message().size()});
  return kFailed;
}

// Of the public program.
constexpr char kDefaultReport[] = "gssr-report.pdf";

struct Options {
  std::string report;  // a page or PDF; empty: none
  std::string exported;
  std::vector<std::string> paths;
};

// nullopt: `*exit_code` is the program's.
std::optional<Options> ParseOptions(int argc, char** argv, int* exit_code) {
  Options options;
  *exit_code = 0;
  bool is_text_only = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "-h" || word == "--help") {
      puts(FormatMessage(gssr_analyze_messages::kUsage).c_str());
      return std::nullopt;
    }
    if (word == "--version") {
      puts("gssr-analyze (Carme " CARME_VERSION ")");
      return std::nullopt;
    }
    if ((word == "-o" || word == "--output") && i + 1 < argc) {
      options.report = argv[++i];
    } else if (word.starts_with("--output=")) {
      options.report = word.substr(word.find('=') + 1);
    } else if (word == "--export" && i + 1 < argc) {
      options.exported = argv[++i];
    } else if (word == "--text-only") {
      is_text_only = true;
    } else if (word == "--" && i + 1 < argc) {
      options.paths.emplace_back(argv[++i]);
    } else if (word.starts_with("-")) {
      *exit_code =
          WrongUse(gssr_analyze_messages::kUnknownOption, {{"option", word}});
      return std::nullopt;
    } else {
      options.paths.emplace_back(word);
    }
  }
  if (options.paths.empty()) {
    *exit_code = WrongUse(gssr_analyze_messages::kUsage, {});
    return std::nullopt;
  }
  if (!options.exported.empty() && !options.exported.ends_with(".csv") &&
      !options.exported.ends_with(".sqlite3")) {
    *exit_code = WrongUse(gssr_analyze_messages::kExportName,
                          {{"path", options.exported}});
    return std::nullopt;
  }
  if (options.report.empty() && options.exported.empty() && !is_text_only) {
    options.report = kDefaultReport;
  }
  return options;
}

absl::Status WriteReport(const std::string& path, const Recordings& recordings,
                         const std::vector<JobSummary>& jobs) {
  if (path.ends_with(".html")) {
    return WriteFile(path, FormatHtml(FormatReport(jobs)), kFileMode);
  }
  ASSIGN_OR_RETURN(const std::string pdf,
                   FormatPdf(jobs, Timelines(recordings, kMaxPlotPoints)));
  RETURN_IF_ERROR(WriteFile(path, pdf, kFileMode));
  puts(FormatMessage(gssr_analyze_messages::kSaved, {{"path", path}}).c_str());
  return absl::OkStatus();
}

absl::Status Export(const std::string& path, const Recordings& recordings) {
  return path.ends_with(".csv")
             ? WriteFile(path, FormatCsv(recordings), kFileMode)
             : ExportSqlite(recordings, path);
}

int Main(int argc, char** argv) {
  int exit_code = 0;
  const auto options = ParseOptions(argc, argv, &exit_code);
  if (!options) return exit_code;
  const auto recordings = ReadRecordings(options->paths);
  if (!recordings.ok()) return Fail(recordings.status());
  for (const std::string& warning : recordings->warnings) Complain(warning);
  const std::vector<JobSummary> jobs = Summarize(*recordings);
  fputs(FormatReport(jobs).c_str(), stdout);
  absl::Status written;
  if (!options->report.empty()) {
    written = WriteReport(options->report, *recordings, jobs);
  }
  if (written.ok() && !options->exported.empty()) {
    written = Export(options->exported, *recordings);
  }
  return written.ok() ? 0 : Fail(written);
}

}  // namespace
}  // namespace carme::gssr

int main(int argc, char** argv) { return carme::gssr::Main(argc, argv); }
