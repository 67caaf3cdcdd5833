#include "slurm-hooks/sampler/kernel_text/process_text.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "slurm-hooks/sampler/kernel_text/text_fields.h"

namespace carme::sampler {
namespace {

std::string NumberOrEmpty(std::string_view value) {
  return ParseCount(value) ? std::string(value) : std::string();
}

// slurm.h: ids from this one on are the batch script's and other special steps.
constexpr uint64_t kFirstSpecialStep = 0xfffffff0;

std::string NormalStepOrEmpty(std::string_view value) {
  const auto id = ParseCount(value);
  return id && *id < kFirstSpecialStep ? std::string(value) : std::string();
}

uint64_t Increase(uint64_t now, uint64_t before) {
  return now > before ? now - before : 0;
}

}  // namespace

std::optional<ProcessStat> ParseProcessStat(std::string_view text) {
  // A program name may contain any character, parentheses and spaces included.
  const size_t name_begin = text.find('(');
  const size_t name_end = text.rfind(')');
  if (name_begin == std::string_view::npos ||
      name_end == std::string_view::npos || name_end < name_begin) {
    return std::nullopt;
  }
  ProcessStat stat;
  stat.name = text.substr(name_begin + 1, name_end - name_begin - 1);
  std::string_view rest = text.substr(name_end + 1);
  rest = TakeLine(&rest);
  // proc(5): the state is field 3.
  constexpr size_t kFirst = 3;
  std::array<std::optional<uint64_t>, 25 - kFirst> fields;
  for (auto& field : fields) field = ParseCount(TakeWord(&rest));
  const auto field = [&](size_t number) { return fields[number - kFirst]; };
  for (const size_t number : {14, 15, 16, 17, 22, 24}) {
    if (!field(number)) return std::nullopt;
  }
  stat.own_ticks = *field(14) + *field(15);
  stat.children_ticks = *field(16) + *field(17);
  stat.start_ticks = *field(22);
  stat.resident_pages = *field(24);
  return stat;
}

ProcessRank ParseEnvironment(std::string_view text) {
  ProcessRank found;
  while (!text.empty()) {
    const size_t end = text.find('\0');
    const std::string_view entry = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!entry.starts_with("SLURM_")) continue;
    const size_t equal = entry.find('=');
    if (equal == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equal);
    const std::string_view value = entry.substr(equal + 1);
    if (name == "SLURM_JOB_ID") found.job = NumberOrEmpty(value);
    if (name == "SLURM_STEP_ID") found.step = NormalStepOrEmpty(value);
    if (name == "SLURM_PROCID") found.rank = NumberOrEmpty(value);
  }
  return found;
}

void ProcessCounter::BeginRound() {
  ++round_;
  own_added_ = 0;
  children_added_ = 0;
}

void ProcessCounter::AddProcess(uint64_t key, uint64_t own_ticks,
                                uint64_t children_ticks) {
  Process& process = processes_[key];
  own_added_ += Increase(own_ticks, process.own_ticks);
  children_added_ += Increase(children_ticks, process.children_ticks);
  process = {own_ticks, children_ticks, round_};
}

uint64_t ProcessCounter::EndRound() {
  uint64_t ended = 0;
  for (auto process = processes_.begin(); process != processes_.end();) {
    if (process->second.round == round_) {
      ++process;
      continue;
    }
    ended += process->second.own_ticks + process->second.children_ticks;
    process = processes_.erase(process);
  }
  total_ += own_added_ + children_added_ - std::min(ended, children_added_);
  return total_;
}

}  // namespace carme::sampler
