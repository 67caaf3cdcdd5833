#include "backend/node_history/rules/node_rule_evaluation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/message.h"
#include "common/printable.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxReasonBytes = 160;
constexpr size_t kMaxNamedEvaluations = 3;

bool IsWithin(absl::Duration window, absl::Time at, absl::Time now) {
  return absl::AbsDuration(now - at) < window;
}

// "24 h", "90 min", "7 d"
std::string WindowText(absl::Duration window) {
  const int64_t minutes = absl::ToInt64Minutes(window);
  if (minutes % 60 != 0) return absl::StrCat(minutes, " min");
  const int64_t hours = minutes / 60;
  if (hours > 48 && hours % 24 == 0) return absl::StrCat(hours / 24, " d");
  return absl::StrCat(hours, " h");
}

std::string NamesText(const std::set<std::string>& names) {
  const std::vector<std::string> all(names.begin(), names.end());
  if (all.size() <= kMaxNamedEvaluations) return absl::StrJoin(all, ", ");
  return absl::StrCat(
      absl::StrJoin(all.begin(), all.begin() + kMaxNamedEvaluations, ", "),
      ", …");
}

struct Counted {
  std::set<std::pair<v1::NodeEntrySource, std::string>> runs;
  std::set<std::string> users;
  std::set<std::string> names;
  int64_t newest = 0;
  bool Holds(const NodeRule& rule) const {
    return static_cast<int>(runs.size()) >= rule.count &&
           (rule.users <= 1 || static_cast<int>(users.size()) >= rule.users);
  }
};

// `after`: the sequence after which entries count.
Counted Count(const NodeRule& rule, const std::vector<NodeEntry>& entries,
              int64_t after, absl::Time now) {
  Counted counted;
  for (const NodeEntry& entry : entries) {
    if (entry.sequence <= after || entry.severity < rule.severity ||
        !rule.sources.contains(entry.source) ||
        !IsWithin(rule.window, entry.at, now) ||
        !MatchesGlob(rule.evaluation, entry.name)) {
      continue;
    }
    // Also if the file's check is changed.
    if (rule.action == NodeRuleAction::kDrain && !IsSiteRun(entry.source)) {
      continue;
    }
    counted.runs.insert({entry.source, entry.run});
    if (!entry.user.empty()) counted.users.insert(entry.user);
    if (!entry.name.empty()) counted.names.insert(entry.name);
    counted.newest = std::max(counted.newest, entry.sequence);
  }
  return counted;
}

// The newest entry of source RULE with this name; null: none.
const NodeEntry* LastOfRule(const std::vector<NodeEntry>& entries,
                            std::string_view name) {
  const auto found = std::find_if(
      entries.rbegin(), entries.rend(), [&](const NodeEntry& entry) {
        return entry.source == v1::NODE_ENTRY_SOURCE_RULE && entry.name == name;
      });
  return found == entries.rend() ? nullptr : &*found;
}

std::string TextOf(const NodeRule& rule, const Counted& counted) {
  const std::string_view text =
      rule.reason.empty()
          ? std::string_view("{count} times in {window} ({evaluations})")
          : std::string_view(rule.reason);
  return Readable(
      FormatMessage(text, {{"count", counted.runs.size()},
                           {"window", WindowText(rule.window)},
                           {"evaluations", NamesText(counted.names)}}),
      kMaxReasonBytes);
}

}  // namespace

bool MatchesGlob(std::string_view pattern, std::string_view text) {
  size_t p = 0;
  size_t t = 0;
  size_t star = std::string_view::npos;
  size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

NodeVerdict EvaluateNodeRules(const NodeRules& rules,
                              const std::vector<NodeEntry>& entries,
                              absl::Time now) {
  NodeVerdict verdict;
  const NodeEntry* const resumed = LastOfRule(entries, kResumeEntry);
  const int64_t cleared = resumed == nullptr ? 0 : resumed->sequence;
  for (const NodeEntry& entry : entries) {
    if (entry.sequence > cleared &&
        entry.source != v1::NODE_ENTRY_SOURCE_RULE &&
        entry.severity == v1::NODE_ENTRY_SEVERITY_ERROR &&
        IsWithin(rules.suspect_for, entry.at, now)) {
      verdict.state = v1::NODE_RULE_STATE_SUSPECT;
    }
  }
  for (const NodeRule& rule : rules.rules) {
    const NodeEntry* const last = LastOfRule(entries, rule.name);
    const bool avoids = rule.action == NodeRuleAction::kAvoid;
    int64_t after = cleared;
    if (last != nullptr && !avoids) after = std::max(after, last->sequence);
    const Counted counted = Count(rule, entries, after, now);
    if (!counted.Holds(rule)) continue;
    if (avoids) {
      verdict.state = v1::NODE_RULE_STATE_AVOIDED;
      // It is in the history already.
      if (last != nullptr && last->sequence > cleared &&
          IsWithin(rule.window, last->at, now)) {
        continue;
      }
    }
    verdict.due.push_back({.rule = &rule,
                           .runs = static_cast<int>(counted.runs.size()),
                           .newest = counted.newest,
                           .text = TextOf(rule, counted),
                           .evaluations = counted.names});
  }
  return verdict;
}

}  // namespace carme::backend
