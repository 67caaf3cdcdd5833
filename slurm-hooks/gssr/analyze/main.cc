// gssr-analyze: reports of recordings of GPUs.
#include <stdio.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/file.h"
#include "common/printable.h"
#include "slurm-hooks/gssr/analyze/export.h"
#include "slurm-hooks/gssr/analyze/messages.h"
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

int Main(int argc, char** argv) {
  std::string html, exported;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "-h" || word == "--help") {
      puts(FormatMessage(gssr_analyze_messages::kUsage).c_str());
      return 0;
    }
    if (word == "--version") {
      puts("gssr-analyze (Carme " CARME_VERSION ")");
      return 0;
    }
    if (word == "-o" && i + 1 < argc) {
      html = argv[++i];
    } else if (word == "--export" && i + 1 < argc) {
      exported = argv[++i];
    } else if (word.starts_with("-")) {
      return WrongUse(gssr_analyze_messages::kUnknownOption,
                      {{"option", word}});
    } else {
      paths.emplace_back(word);
    }
  }
  if (paths.empty()) return WrongUse(gssr_analyze_messages::kUsage, {});
  if (!html.empty() && !html.ends_with(".html")) {
    return WrongUse(gssr_analyze_messages::kNoPdf, {{"path", html}});
  }
  const bool to_csv = exported.ends_with(".csv");
  if (!exported.empty() && !to_csv && !exported.ends_with(".sqlite3")) {
    return WrongUse(gssr_analyze_messages::kExportName, {{"path", exported}});
  }
  const auto recordings = ReadRecordings(paths);
  if (!recordings.ok()) return Fail(recordings.status());
  for (const std::string& warning : recordings->warnings) Complain(warning);
  const std::string report = FormatReport(Summarize(*recordings));
  fputs(report.c_str(), stdout);
  absl::Status written;
  if (!html.empty()) written = WriteFile(html, FormatHtml(report), kFileMode);
  if (written.ok() && !exported.empty()) {
    written = to_csv ? WriteFile(exported, FormatCsv(*recordings), kFileMode)
                     : ExportSqlite(*recordings, exported);
  }
  return written.ok() ? 0 : Fail(written);
}

}  // namespace
}  // namespace carme::gssr

int main(int argc, char** argv) { return carme::gssr::Main(argc, argv); }
