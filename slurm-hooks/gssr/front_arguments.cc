#include "slurm-hooks/gssr/front_arguments.h"

#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/gssr/messages.h"

namespace carme::gssr {
namespace {

struct Option {
  const char* short_name;
  const char* name;
  bool has_value;
};

constexpr Option kProfileOptions[] = {{"-w", "--wrap", true},
                                      {"-l", "--label", true},
                                      {"-m", "--max-runtime", true},
                                      {"-t", "--sampling-time", true},
                                      {"-f", "--force-overwrite", false},
                                      {"-a", "--append", false},
                                      {"-o", "--output-folder", true}};
constexpr Option kAnalyzeOptions[] = {
    {"-i", "--input", true},    {"-s", "--silent", false},
    {"-rp", "--report", false}, {"-e", "--export", true},
    {"-o", "--output", true},   {"-f", "--force-overwrite", false}};

using Values = std::map<std::string, std::string>;  // by the long name

template <size_t size>
absl::StatusOr<Values> ReadOptions(const std::vector<std::string>& words,
                                   const Option (&options)[size]) {
  Values values;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::pair<std::string, std::string> parts = [&] {
      const size_t equals = words[i].find('=');
      if (!absl::StartsWith(words[i], "--") || equals == std::string::npos) {
        return std::pair(words[i], std::string());
      }
      return std::pair(words[i].substr(0, equals), words[i].substr(equals + 1));
    }();
    const Option* found = nullptr;
    for (const Option& option : options) {
      if (parts.first == option.short_name || parts.first == option.name) {
        found = &option;
      }
    }
    const bool is_joined = parts.first != words[i];
    if (found == nullptr || (is_joined && !found->has_value)) {
      return MakePlainError(gssr_messages::kFrontOption,
                            {{"option", words[i]}, {"verb", words[0]}});
    }
    if (found->has_value && !is_joined && ++i == words.size()) {
      return MakePlainError(gssr_messages::kFrontValue,
                            {{"option", found->name}});
    }
    values[found->name] = is_joined          ? parts.second
                          : found->has_value ? words[i]
                                             : "";
  }
  return values;
}

absl::StatusOr<FrontArguments> Profile(const Values& values,
                                       const std::string& job_id) {
  const auto wrap = values.find("--wrap");
  if (wrap == values.end() || wrap->second.empty()) {
    return MakePlainError(gssr_messages::kFrontValue, {{"option", "--wrap"}});
  }
  FrontArguments arguments;
  const auto folder = values.find("--output-folder");
  const std::string directory = folder == values.end()
                                    ? absl::StrCat("profile_out_JobID_", job_id)
                                    : folder->second;
  arguments.command = {"gssr-record", "-o", directory};
  for (const char* const name :
       {"--label", "--max-runtime", "--sampling-time"}) {
    const auto found = values.find(name);
    if (found == values.end()) continue;
    arguments.command.insert(arguments.command.end(), {name, found->second});
  }
  if (!values.contains("--label")) {
    arguments.command.insert(arguments.command.end(), {"--label", "unlabeled"});
  }
  arguments.command.insert(arguments.command.end(),
                           {"--", "/bin/sh", "-c", wrap->second});
  // Each step has a folder of its own, so all recordings are appended.
  if (!values.contains("--force-overwrite")) {
    arguments.recording_folder = directory;
  }
  return arguments;
}

absl::StatusOr<FrontArguments> Analyze(const Values& values) {
  const auto input = values.find("--input");
  if (input == values.end() || input->second.empty()) {
    return MakePlainError(gssr_messages::kFrontValue, {{"option", "--input"}});
  }
  FrontArguments arguments;
  arguments.is_silent = values.contains("--silent");
  arguments.command = {"gssr-analyze"};
  const bool is_overwritten = values.contains("--force-overwrite");
  if (values.contains("--report")) {
    const auto folder = values.find("--output");
    arguments.command.insert(
        arguments.command.end(),
        {"-o", absl::StrCat(folder == values.end() ? "." : folder->second,
                            "/gssr-report.pdf")});
  } else {
    arguments.command.emplace_back("--text-only");
  }
  if (const auto exported = values.find("--export");
      exported != values.end() && exported->second != ":memory:") {
    arguments.command.insert(arguments.command.end(),
                             {"--export", exported->second});
    if (!is_overwritten) arguments.new_file = exported->second;
  }
  arguments.command.insert(arguments.command.end(), {"--", input->second});
  return arguments;
}

}  // namespace

absl::StatusOr<FrontArguments> ParseFrontArguments(
    const std::vector<std::string>& words, const std::string& job_id) {
  if (words.empty()) return MakePlainError(gssr_messages::kFrontVerb);
  for (const std::string& word : words) {
    if (word == "-h" || word == "--help") return FrontArguments();
  }
  if (words[0] == "profile") {
    ASSIGN_OR_RETURN(const Values values, ReadOptions(words, kProfileOptions));
    return Profile(values, job_id);
  }
  if (words[0] != "analyze") return MakePlainError(gssr_messages::kFrontVerb);
  ASSIGN_OR_RETURN(const Values values, ReadOptions(words, kAnalyzeOptions));
  return Analyze(values);
}

}  // namespace carme::gssr
