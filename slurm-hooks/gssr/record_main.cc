// gssr-record: runs a command and records the GPUs of its job meanwhile.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "slurm-hooks/gpu/deadline_source.h"
#include "slurm-hooks/gpu/gpu_set.h"
#include "slurm-hooks/gssr/messages.h"
#include "slurm-hooks/gssr/record_files.h"
#include "slurm-hooks/gssr/recorder.h"
#include "slurm-hooks/gssr/wrapped_command.h"

namespace carme::gssr {
namespace {

constexpr int kWrongUse = 2;
constexpr int kNotExecutable = 126;
constexpr int kCommandNotFound = 127;
constexpr double kMinSampling_ms = 20;
constexpr double kMaxNumber = 1e9;
// Between SIGTERM and SIGKILL, after --max-runtime.
constexpr absl::Duration kEndTimeout = absl::Seconds(3);
constexpr absl::Duration kOpenTimeout = absl::Seconds(10);
constexpr absl::Duration kSampleTimeout = absl::Seconds(5);

struct Options {
  std::string directory = "gssr_report";
  int verbose = 0;
  bool test_only = false;
  std::string label;  // empty: the name of the job
  absl::Duration max_runtime = absl::InfiniteDuration();
  absl::Duration sample_interval = kSampleInterval;
  std::vector<std::string> command;
};

void Report(const MessageTemplate& message,
            std::initializer_list<MessageValue> values = {}) {
  fprintf(stderr, "gssr-record: %s\n", FormatMessage(message, values).c_str());
}

// False: `option` has no number. `*is_valid`: the number is in its range.
bool TakeNumber(std::string_view option, const char* value, Options* options,
                bool* is_valid) {
  const bool is_runtime = option == "--max-runtime";
  if (!is_runtime && option != "--sampling-time") return false;
  const double min = is_runtime ? 0 : kMinSampling_ms;
  double number = 0;
  *is_valid =
      absl::SimpleAtod(value, &number) && number >= min && number <= kMaxNumber;
  if (!*is_valid) {
    Report(gssr_messages::kBadNumber, {{"option", option}, {"min", min}});
  } else if (!is_runtime) {
    options->sample_interval = absl::Milliseconds(number);
  } else if (number > 0) {
    options->max_runtime = absl::Seconds(number);
  }
  return true;
}

// nullopt: `*exit_code` is the program's.
std::optional<Options> ParseOptions(int argc, char** argv, int* exit_code) {
  Options options;
  *exit_code = 0;
  int i = 1;
  for (; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (!option.starts_with("-")) break;
    if (option == "--") {
      ++i;
      break;
    }
    if (option == "-h" || option == "--help") {
      puts(FormatMessage(gssr_messages::kUsage).c_str());
      return std::nullopt;
    }
    if (option == "--version") {
      puts("gssr-record 2.1 (Carme " CARME_VERSION ")");
      return std::nullopt;
    }
    if (option == "-o" && i + 1 < argc && argv[i + 1][0] != '\0') {
      options.directory = argv[++i];
    } else if (option == "-o") {
      Report(gssr_messages::kNoDirectory);
      *exit_code = kWrongUse;
      return std::nullopt;
    } else if (option == "-v") {
      options.verbose += 1;
    } else if (option == "-vv") {
      options.verbose += 2;
    } else if (option == "--test-only") {
      options.test_only = true;
    } else if (option == "--label" && i + 1 < argc) {
      options.label = argv[++i];
    } else if (bool is_valid = false;
               i + 1 < argc &&
               TakeNumber(option, argv[i + 1], &options, &is_valid)) {
      ++i;
      if (is_valid) continue;
      *exit_code = kWrongUse;
      return std::nullopt;
    } else {
      Report(gssr_messages::kUnknownOption, {{"option", option}});
      *exit_code = kWrongUse;
      return std::nullopt;
    }
  }
  options.command.assign(argv + i, argv + argc);
  if (options.command.empty() && !options.test_only) {
    fprintf(stderr, "%s\n", FormatMessage(gssr_messages::kUsage).c_str());
    *exit_code = kWrongUse;
    return std::nullopt;
  }
  return options;
}

// nullptr: nothing is recorded, and standard error has the reason.
std::unique_ptr<Recorder> OpenRecorder(const Options& options,
                                       const StepFacts& facts) {
  auto files = RecordFiles::Create(options.directory, facts);
  absl::Status written = files.status();
  if (files.ok() && facts.process_id == "0" && !options.test_only) {
    written = files->WriteMeta(
        FormatMeta(facts, options.command, absl::Now(), absl::LocalTimeZone()));
  }
  if (!written.ok()) {
    Report(gssr_messages::kNotWritten,
           {{"error", std::string(written.message())}});
    return nullptr;
  }
  // The first process of a node records for all of the step there.
  if (facts.local_id != "0") return nullptr;
  auto source = gpu::DeadlineSource::Open(gpu::OpenGpuSource, kOpenTimeout,
                                          kSampleTimeout);
  if (!source.ok()) {
    Report(gssr_messages::kNoGpu,
           {{"error", std::string(source.status().message())}});
    return nullptr;
  }
  auto devices =
      gpu::SelectJobDevices((*source)->Devices(), gpu::ProcessEnvironment);
  if (devices.empty()) {
    Report(gssr_messages::kNoJobGpu);
    return nullptr;
  }
  const gpu::GpuSourceInfo info = (*source)->Info();
  if (options.verbose > 0 || options.test_only) {
    Report(gssr_messages::kSource, {{"count", devices.size()},
                                    {"kind", info.kind},
                                    {"driver", info.driver_version},
                                    {"library", info.library_path}});
  }
  if (files->run() > 1) {
    Report(gssr_messages::kRecordedBefore, {{"path", files->folder()}});
  } else if (options.verbose > 0) {
    Report(gssr_messages::kRecordingTo, {{"path", files->folder()}});
  }
  auto recorder = std::make_unique<Recorder>(
      *std::move(source), std::move(devices), *std::move(files));
  // A test leaves no files, which would be a recording before the real one.
  if (options.test_only) return recorder;
  if (const absl::Status started = recorder->Start(); !started.ok()) {
    Report(gssr_messages::kNotWritten,
           {{"error", std::string(started.message())}});
    return nullptr;
  }
  return recorder;
}

// Drops the recorder at its first error: the command goes on.
void Check(const absl::Status& status, std::unique_ptr<Recorder>* recorder) {
  if (status.ok()) return;
  Report(gssr_messages::kStopped, {{"error", std::string(status.message())}});
  recorder->reset();
}

// Ends the command at the end of its time.
class RuntimeLimit {
 public:
  explicit RuntimeLimit(absl::Time end) : end_(end) {}
  absl::Time Next() const { return end_; }
  void Check(absl::Time now, WrappedCommand* command) {
    if (now < end_) return;
    if (!is_asked_) Report(gssr_messages::kMaxRuntime);
    command->Signal(is_asked_ ? SIGKILL : SIGTERM);
    is_asked_ = true;
    end_ = now + kEndTimeout;
  }

 private:
  absl::Time end_;
  bool is_asked_ = false;
};

int Run(const Options& options, WrappedCommand command,
        std::unique_ptr<Recorder> recorder) {
  const absl::Time start = absl::Now();
  const absl::Duration record_interval =
      std::max(kRecordInterval, options.sample_interval);
  RuntimeLimit limit(start + options.max_runtime);
  absl::Time next_sample = start;
  absl::Time next_record = start + record_interval;
  while (true) {
    const auto exit_code = command.ForwardSignals(std::min(
        limit.Next(),
        recorder == nullptr ? absl::Now() + absl::Hours(1) : next_sample));
    if (!exit_code) limit.Check(absl::Now(), &command);
    if (recorder != nullptr) {
      Check(recorder->Sample(), &recorder);
    }
    const absl::Time now = absl::Now();
    if (recorder != nullptr && (exit_code || now >= next_record)) {
      // The last interval is shorter: it has the time at which it would end.
      const absl::Duration elapsed = now - start;
      Check(recorder->WriteRecord(
                exit_code ? absl::Ceil(elapsed, kRecordInterval) : elapsed),
            &recorder);
      // After a pause of this program, no record is made up for the gap.
      while (next_record <= now) next_record += record_interval;
    }
    if (exit_code) return *exit_code;
    while (next_sample <= now) next_sample += options.sample_interval;
  }
}

int Main(int argc, char** argv) {
  int exit_code = 0;
  const auto options = ParseOptions(argc, argv, &exit_code);
  if (!options) return exit_code;
  WrappedCommand::BlockSignals();
  StepFacts facts = ReadStepFacts(gpu::ProcessEnvironment);
  if (!options->label.empty()) facts.job_name = options->label;
  if (!facts.is_in_slurm) Report(gssr_messages::kNotInSlurm);
  auto recorder = OpenRecorder(*options, facts);
  if (options->test_only) return recorder == nullptr ? 1 : 0;
  auto command = WrappedCommand::Start(options->command);
  if (!command.ok()) {
    fprintf(stderr, "gssr-record: %s\n",
            std::string(command.status().message()).c_str());
    return absl::IsNotFound(command.status()) ? kCommandNotFound
                                              : kNotExecutable;
  }
  return Run(*options, *command, std::move(recorder));
}

}  // namespace
}  // namespace carme::gssr

int main(int argc, char** argv) {
  const int exit_code = carme::gssr::Main(argc, argv);
  fflush(stdout);
  // A thread may still be in a driver that hangs: no destructor waits for it.
  _exit(exit_code);
}
