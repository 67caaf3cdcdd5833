#include "slurm-hooks/gssr/record_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/file.h"
#include "common/printable.h"
#include "common/status.h"
#include "slurm-hooks/gssr/messages.h"

namespace carme::gssr {
namespace {

constexpr mode_t kFileMode = 0644;  // less the user's umask, for the CSV

std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : ValidUtf8(text)) {
    switch (c) {
      case '"':
      case '\\':
        quoted += '\\';
        quoted += c;
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          absl::StrAppendFormat(&quoted, "\\u%04x", static_cast<unsigned>(c));
        } else {
          quoted += c;
        }
    }
  }
  return quoted + "\"";
}

// A value that becomes a part of a path.
std::string PlainName(std::string name) {
  const bool is_plain =
      !name.empty() && name.size() <= 64 && name[0] != '.' &&
      std::all_of(name.begin(), name.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' ||
               c == '_' || c == '.';
      });
  return is_plain ? name : "0";
}

}  // namespace

StepFacts ReadStepFacts(const gpu::Environment& environment) {
  StepFacts facts;
  const auto value = [&](const char* name, std::string otherwise = "") {
    return environment(name).value_or(std::move(otherwise));
  };
  facts.is_in_slurm = environment("SLURM_JOB_ID").has_value();
  facts.cluster = PlainName(value("SLURM_CLUSTER_NAME", facts.cluster));
  facts.job_id = PlainName(value("SLURM_JOB_ID", "0"));
  if (facts.is_in_slurm) facts.job_name = value("SLURM_JOB_NAME");
  facts.step_id = PlainName(value("SLURM_STEP_ID", "0"));
  facts.process_id = PlainName(value("SLURM_PROCID", "0"));
  facts.local_id = value("SLURM_LOCALID", "0");
  facts.nodes = value("SLURM_JOB_NUM_NODES", value("SLURM_NNODES", "1"));
  facts.tasks = value("SLURM_NTASKS", "1");
  facts.gpus = value("SLURM_GPUS_ON_NODE", "0");
  facts.step_nodes = value("SLURM_STEP_NUM_NODES", "1");
  facts.step_tasks = value("SLURM_STEP_NUM_TASKS", "1");
  return facts;
}

std::string FormatMeta(const StepFacts& facts,
                       const std::vector<std::string>& command,
                       absl::Time start, absl::TimeZone zone) {
  std::vector<std::string> arguments;
  for (size_t i = 1; i < command.size(); ++i) {
    arguments.push_back(Quote(command[i]));
  }
  const std::pair<const char*, std::string> lines[] = {
      {"gssr-record-version", Quote("2.1")},
      {"date", Quote(absl::FormatTime("%Y-%m-%dT%H:%M:%S%z", start, zone))},
      {"cluster", Quote(facts.cluster)},
      {"jobid", Quote(facts.job_id)},
      {"jobname", Quote(facts.job_name)},
      {"nnodes", Quote(facts.nodes)},
      {"ntasks", Quote(facts.tasks)},
      {"ngpus", Quote(facts.gpus)},
      {"step_nnodes", Quote(facts.step_nodes)},
      {"step_ntasks", Quote(facts.step_tasks)},
      {"executable", Quote(command.empty() ? "" : command[0])},
      {"arguments", absl::StrCat("[", absl::StrJoin(arguments, ", "), "]")}};
  return absl::StrCat("{\n",
                      absl::StrJoin(lines, ",\n",
                                    [](std::string* out, const auto& line) {
                                      absl::StrAppend(out, "    \"", line.first,
                                                      "\": ", line.second);
                                    }),
                      "\n}\n");
}

std::string FormatSource(const gpu::GpuSourceInfo& info,
                         const std::vector<gpu::GpuDevice>& devices) {
  return absl::StrCat(
      "{\n  \"source\": ", Quote(info.kind),
      ",\n  \"driver\": ", Quote(info.driver_version),
      ",\n  \"library\": ", Quote(info.library_path), ",\n  \"gpus\": [",
      absl::StrJoin(
          devices, ",",
          [](std::string* out, const gpu::GpuDevice& device) {
            absl::StrAppend(
                out, "\n    {\"gpuId\": ", device.minor.value_or(device.index),
                ", \"uuid\": ", Quote(device.uuid),
                ", \"name\": ", Quote(device.name), ", \"power_limit_w\": ",
                device.power_limit_w ? absl::StrCat(*device.power_limit_w)
                                     : std::string("null"),
                "}");
          }),
      "\n  ]\n}\n");
}

RecordFiles::RecordFiles(std::string folder, std::string process_id, int run)
    : folder_(std::move(folder)),
      process_id_(std::move(process_id)),
      run_(run) {}

absl::StatusOr<RecordFiles> RecordFiles::Create(const std::string& directory,
                                                const StepFacts& facts) {
  const std::string step =
      absl::StrCat(facts.cluster, "_", facts.job_id, "/step_", facts.step_id);
  for (int run = 1; run <= kMaxRuns; ++run) {
    RecordFiles files(run == 1
                          ? absl::StrCat(directory, "/", step)
                          : absl::StrCat(directory, "/run_", run, "/", step),
                      facts.process_id, run);
    if (files.HasFiles()) continue;
    std::error_code error;
    std::filesystem::create_directories(files.folder_, error);
    if (error) {
      return ErrnoError(error.value(),
                        absl::StrCat("create \"", files.folder_, "\""));
    }
    return files;
  }
  return MakePlainError(
      gssr_messages::kTooManyRuns,
      {{"path", absl::StrCat(directory, "/", step)}, {"max", kMaxRuns}});
}

bool RecordFiles::HasFiles() const {
  for (const char* const suffix : {".csv", ".meta.txt", ".source.json"}) {
    std::error_code ignored;
    if (std::filesystem::exists(Path(suffix), ignored)) return true;
  }
  return false;
}

std::string RecordFiles::Path(std::string_view suffix) const {
  return absl::StrCat(folder_, "/proc_", process_id_,
                      absl::string_view(suffix.data(), suffix.size()));
}

absl::Status RecordFiles::WriteMeta(std::string_view meta) const {
  return WriteFile(Path(".meta.txt"), meta, kFileMode);
}

absl::Status RecordFiles::WriteSource(std::string_view source) const {
  return WriteFile(Path(".source.json"), source, kFileMode);
}

absl::Status RecordFiles::OpenCsv() {
  const std::string path = Path(".csv");
  csv_ = UniqueFd(open(path.c_str(),
                       O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
                       kFileMode));
  if (csv_.get() < 0) {
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  }
  return absl::OkStatus();
}

absl::Status RecordFiles::Append(std::string_view lines) {
  while (!lines.empty()) {
    const ssize_t put = write(csv_.get(), lines.data(), lines.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      return ErrnoError(errno, absl::StrCat("write \"", Path(".csv"), "\""));
    }
    lines.remove_prefix(static_cast<size_t>(put));
  }
  return absl::OkStatus();
}

}  // namespace carme::gssr
