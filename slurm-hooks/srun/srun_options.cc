#include "slurm-hooks/srun/srun_options.h"

#include <optional>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "slurm-hooks/srun/messages.h"

namespace carme::node {
namespace {

enum class Value { kNone, kNeeded, kOptional };

struct Option {
  std::string_view name;
  char letter;  // 0: none
  Value value;
};

constexpr Option kOptions[] = {
    {"ntasks", 'n', Value::kNeeded},
    {"nodes", 'N', Value::kNeeded},
    {"cpus-per-task", 'c', Value::kNeeded},
    {"ntasks-per-node", 0, Value::kNeeded},
    {"ntasks-per-socket", 0, Value::kNeeded},
    {"ntasks-per-core", 0, Value::kNeeded},
    {"ntasks-per-gpu", 0, Value::kNeeded},
    {"threads-per-core", 0, Value::kNeeded},
    {"nodelist", 'w', Value::kNeeded},
    {"exclude", 'x', Value::kNeeded},
    {"relative", 'r', Value::kNeeded},
    {"distribution", 'm', Value::kNeeded},
    {"cpu-bind", 0, Value::kNeeded},
    {"mem-bind", 0, Value::kNeeded},
    {"hint", 0, Value::kNeeded},
    {"gpus", 'G', Value::kNeeded},
    {"gpus-per-node", 0, Value::kNeeded},
    {"gpus-per-task", 0, Value::kNeeded},
    {"gpu-bind", 0, Value::kNeeded},
    {"gres", 0, Value::kNeeded},
    {"mem", 0, Value::kNeeded},
    {"mem-per-cpu", 0, Value::kNeeded},
    {"mem-per-gpu", 0, Value::kNeeded},
    {"time", 't', Value::kNeeded},
    {"wait", 'W', Value::kNeeded},
    {"job-name", 'J', Value::kNeeded},
    {"mpi", 0, Value::kNeeded},
    {"chdir", 'D', Value::kNeeded},
    {"immediate", 'I', Value::kOptional},
    {"kill-on-bad-exit", 'K', Value::kOptional},
    {"exclusive", 0, Value::kOptional},
    {"exact", 0, Value::kNone},
    {"overlap", 0, Value::kNone},
    {"overcommit", 'O', Value::kNone},
    {"oversubscribe", 's', Value::kNone},
    {"whole", 0, Value::kNone},
    {"use-min-nodes", 0, Value::kNone},
    {"label", 'l', Value::kNone},
    {"unbuffered", 'u', Value::kNone},
    {"pty", 0, Value::kNone},
    {"quiet", 'Q', Value::kNone},
    {"verbose", 'v', Value::kNone},
    {"disable-status", 'X', Value::kNone},
};

struct Hint {
  std::string_view names;  // each within spaces
  std::string_view text;
};

constexpr Hint kHints[] = {
    {" environment edf ", srun_messages::kHintEnvironment.text},
    {" jobid clusters M ", srun_messages::kHintOtherJob.text},
    {" partition p account A qos q reservation constraint C licenses L begin "
     "dependency d no-allocate Z ",
     srun_messages::kHintNodes.text},
    {" output o error e input i ", srun_messages::kHintStreams.text},
    {" export export-file ", srun_messages::kHintExport.text},
};

std::string_view HintFor(const std::string& name) {
  const std::string word = absl::StrCat(" ", name, " ");
  for (const Hint& hint : kHints) {
    if (hint.names.find(word) != std::string_view::npos) return hint.text;
  }
  return "";
}

std::string Spelling(const Option& option) {
  return absl::StrCat(
      option.letter == 0
          ? ""
          : absl::StrCat("-", std::string(1, option.letter), ", "),
      "--", std::string(option.name));
}

// `name`: without dashes and value.
absl::Status Refused(const std::string& word, const std::string& name) {
  std::string options;
  for (const Option& option : kOptions) {
    absl::StrAppend(&options, options.empty() ? "--" : ", --",
                    std::string(option.name));
  }
  const std::string_view hint = HintFor(name);
  if (hint.empty()) {
    return MakePlainError(srun_messages::kOptionUnavailable,
                          {{"option", word}, {"options", options}});
  }
  return MakePlainError(
      srun_messages::kOptionUnavailableHint,
      {{"option", word}, {"hint", hint}, {"options", options}});
}

// Lists of nodes can be files to srun.
bool MayBeFile(const Option& option, const std::string& value) {
  return (option.name == "nodelist" || option.name == "exclude") &&
         value.find('/') != std::string::npos;
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& words) : words_(words) {}

  absl::StatusOr<SrunCall> Read() {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_];
      if (word.size() < 2 || word[0] != '-') break;
      ++at_;
      if (word == "--") break;
      const absl::Status read = word[1] == '-' ? Long(word) : Short(word);
      if (!read.ok()) return read;
    }
    call_.program.assign(words_.begin() + static_cast<ptrdiff_t>(at_),
                         words_.end());
    if (call_.program.empty() || call_.program[0].empty()) {
      return MakePlainError(srun_messages::kProgramMissing);
    }
    return call_;
  }

 private:
  absl::Status Long(const std::string& word) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals - 2);
    for (const Option& option : kOptions) {
      if (option.name != name) continue;
      std::optional<std::string> value;
      if (equals != std::string::npos) value = word.substr(equals + 1);
      if (value.has_value() && option.value == Value::kNone) {
        return MakePlainError(srun_messages::kValueUnexpected,
                              {{"option", word}});
      }
      return Take(option, value, word);
    }
    return Refused(word, name);
  }

  // "-n2", "-n 2", "-lu".
  absl::Status Short(const std::string& word) {
    for (size_t i = 1; i < word.size(); ++i) {
      const Option* found = nullptr;
      for (const Option& option : kOptions) {
        if (option.letter == word[i]) found = &option;
      }
      if (found == nullptr) {
        return Refused(absl::StrCat("-", word.substr(i, 1)), word.substr(i, 1));
      }
      if (found->value == Value::kNone) {
        const absl::Status taken = Take(*found, std::nullopt, word);
        if (!taken.ok()) return taken;
        continue;
      }
      std::optional<std::string> value;
      if (i + 1 < word.size()) value = word.substr(i + 1);
      return Take(*found, value, word);
    }
    return absl::OkStatus();
  }

  absl::Status Take(const Option& option, std::optional<std::string> value,
                    const std::string& word) {
    if (!value.has_value() && option.value == Value::kNeeded) {
      if (at_ >= words_.size()) {
        return MakePlainError(srun_messages::kValueMissing, {{"option", word}});
      }
      value = words_[at_++];
    }
    if (value.has_value() && MayBeFile(option, *value)) {
      return MakePlainError(srun_messages::kNodeFile, {{"option", word}});
    }
    if (option.name == "chdir") {
      call_.directory = *value;
      return absl::OkStatus();
    }
    call_.chooses_mpi = call_.chooses_mpi || option.name == "mpi";
    call_.options.push_back(
        value.has_value()
            ? absl::StrCat("--", std::string(option.name), "=", *value)
            : absl::StrCat("--", std::string(option.name)));
    return absl::OkStatus();
  }

  const std::vector<std::string>& words_;
  size_t at_ = 0;
  SrunCall call_;
};

}  // namespace

absl::StatusOr<SrunCall> ReadSrunCall(const std::vector<std::string>& words) {
  return Reader(words).Read();
}

std::string SrunHelp() {
  constexpr size_t kColumns = 78;
  std::string text =
      "Usage: srun [OPTION]... [--] PROGRAM [ARGUMENT]...\n\n"
      "Starts PROGRAM on the nodes of this job, in the environment of this "
      "job.\nMPI programs need PMIx, which srun starts where slurm.conf has "
      "MpiDefault=pmix,\nor with --mpi=pmix.\n\n"
      "Options, with the meaning that they have in Slurm:\n ";
  size_t column = 1;
  for (const Option& option : kOptions) {
    const std::string spelling =
        absl::StrCat(" ", Spelling(option),
                     option.value == Value::kNeeded     ? "=VALUE"
                     : option.value == Value::kOptional ? "[=VALUE]"
                                                        : "",
                     ";");
    if (column + spelling.size() > kColumns) {
      text += "\n ";
      column = 1;
    }
    text += spelling;
    column += spelling.size();
  }
  text.back() = '\n';
  return text +
         "\nOther Slurm commands are not available inside a job:\n"
         "  salloc, sbatch   start a job in the portal, or by its API\n"
         "  squeue, sinfo    the portal's pages Jobs and Cluster\n"
         "  scancel          Stop in the portal; Ctrl+C for a step\n"
         "On a login node all of them are; a step of this job in another\n"
         "environment starts there:\n"
         "  srun --overlap --jobid=$SLURM_JOB_ID --environment=NAME PROGRAM\n";
}

}  // namespace carme::node
