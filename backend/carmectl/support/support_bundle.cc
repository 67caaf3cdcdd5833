#include "backend/carmectl/support/support_bundle.h"

#include <sys/stat.h>
#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backend/backup/tar_writer.h"
#include "backend/carmectl/support/shown_config.h"
#include "common/file.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

constexpr char kFolder[] = "carme-support";
constexpr size_t kMaxListedFiles = 1000;  // of a directory
constexpr absl::Duration kToolTimeout = absl::Seconds(60);
constexpr const char* kServices[] = {"carme-backend", "carme-frontend",
                                     "carme-impersonator", "carme-proxy",
                                     "carme-storage-reader"};

// What the tool prints, or why it prints nothing.
std::string OutputOf(const ToolRunner& tools,
                     std::vector<std::string> arguments) {
  const auto result =
      tools.Run({.arguments = std::move(arguments)}, kToolTimeout);
  if (!result.ok()) {
    return absl::StrCat(
        "not available: ", std::string(result.status().message()), "\n");
  }
  std::string output = result->output;
  if (!result->ok()) {
    absl::StrAppend(&output, "exit code ", result->exit_code, "\n",
                    result->error, "\n");
  }
  return output;
}

std::string Versions(const ToolRunner& tools) {
  utsname host{};
  uname(&host);
  std::string text = absl::StrCat("Carme ", CARME_VERSION, "\n", host.sysname,
                                  " ", host.release, " ", host.machine, "\n");
  absl::StrAppend(&text, ReadFile("/etc/os-release").value_or(""), "\n");
  for (const char* const tool : {"scontrol", "munge", "apptainer"}) {
    if (tools.Find(tool).empty()) continue;
    absl::StrAppend(&text, tool, ": ", OutputOf(tools, {tool, "--version"}),
                    "\n");
  }
  return text;
}

// Names and attributes, never content.
std::string ListOf(const std::string& directory) {
  std::vector<std::string> lines;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entries(directory, error);
  const std::filesystem::recursive_directory_iterator end;
  while (!error && entries != end && lines.size() < kMaxListedFiles) {
    const std::string path = entries->path().string();
    struct stat info {};
    if (lstat(path.c_str(), &info) == 0) {
      lines.push_back(
          absl::StrFormat("%06o %6d:%-6d %12d %s %s\n", info.st_mode,
                          info.st_uid, info.st_gid, info.st_size,
                          absl::FormatTime("%Y-%m-%dT%H:%M:%SZ",
                                           absl::FromUnixSeconds(info.st_mtime),
                                           absl::UTCTimeZone()),
                          path));
    }
    entries.increment(error);
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  if (error) {
    absl::StrAppend(&text, directory, ": ", error.message(), "\n");
  }
  return text;
}

absl::Status AddConfiguration(const SupportBundleOptions& options,
                              backend::TarWriter* tar) {
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(options.config_directory, error)) {
    if (entry.path().extension() != ".toml") continue;
    const std::string path = entry.path().string();
    const auto content = ReadFile(path);
    const auto shown = content.ok()
                           ? ShownConfig(*content)
                           : absl::StatusOr<std::string>(content.status());
    RETURN_IF_ERROR(tar->AddText(
        absl::StrCat("config/", entry.path().filename().string()),
        shown.ok()
            ? *shown
            : absl::StrCat("not available: ",
                           std::string(shown.status().message()), "\n")));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CreateSupportBundle(const SupportBundleOptions& options,
                                 const ToolRunner& tools) {
  ASSIGN_OR_RETURN(const auto tar, backend::TarWriter::Create(
                                       options.file, kFolder, options.now));
  RETURN_IF_ERROR(tar->AddText("versions.txt", Versions(tools)));
  RETURN_IF_ERROR(AddConfiguration(options, tar.get()));
  std::string files;
  for (const std::string& directory : options.listed_directories) {
    files += ListOf(directory);
  }
  RETURN_IF_ERROR(tar->AddText("files.txt", files));
  for (const char* const service : kServices) {
    RETURN_IF_ERROR(tar->AddText(
        absl::StrCat("logs/", service, ".txt"),
        OutputOf(tools, {"journalctl", "--no-pager", "--output=short-iso",
                         absl::StrCat("--unit=", service),
                         absl::StrCat("--lines=", options.log_lines)})));
  }
  if (options.with_doctor) {
    RETURN_IF_ERROR(tar->AddText(
        "doctor.json",
        OutputOf(tools, {"carmectl", "doctor", "--json", "--config-dir",
                         options.config_directory})));
  }
  return tar->Close();
}

}  // namespace carme::carmectl
