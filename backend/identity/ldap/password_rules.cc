#include "backend/identity/ldap/password_rules.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "backend/identity/ldap/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

constexpr size_t kMinWord = 3;
constexpr size_t kMaxBytes = 1024;

std::string LengthRule(const PasswordConfig& config) {
  return FormatMessage(ldap_messages::kRuleLength,
                       {{"min", config.min_length}});
}

std::string ClassesRule(const PasswordConfig& config) {
  return FormatMessage(ldap_messages::kRuleClasses,
                       {{"min", config.min_classes}});
}

std::string WordsRule(const PasswordConfig& config) {
  if (config.denied_words.empty()) {
    return FormatMessage(ldap_messages::kRuleOwnName);
  }
  return FormatMessage(ldap_messages::kRuleWords,
                       {{"words", absl::StrJoin(config.denied_words, ", ")}});
}

// In UTF-8 every character has one byte that continues no other.
int Characters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

int Classes(std::string_view text) {
  bool small = false, capital = false, digit = false, other = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_islower(byte)) {
      small = true;
    } else if (absl::ascii_isupper(byte)) {
      capital = true;
    } else if (absl::ascii_isdigit(byte)) {
      digit = true;
    } else {
      other = true;
    }
  }
  return small + capital + digit + other;
}

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_iscntrl(static_cast<unsigned char>(c));
  });
}

// The user's name whole and in its parts, and those of the full name.
std::vector<std::string> OwnWords(const PasswordOwner& owner) {
  std::vector<std::string> words = {owner.username};
  for (const std::string& name : {owner.username, owner.display_name}) {
    for (absl::string_view part :
         absl::StrSplit(name, absl::ByAnyChar(" .,_-@+"), absl::SkipEmpty())) {
      words.emplace_back(part);
    }
  }
  return words;
}

bool HasAny(std::string_view password, const std::vector<std::string>& words) {
  const std::string small = absl::AsciiStrToLower(
      absl::string_view{password.data(), password.size()});
  return std::any_of(
      words.begin(), words.end(), [&small](const std::string& word) {
        return word.size() >= kMinWord &&
               absl::StrContains(small, absl::AsciiStrToLower(word));
      });
}

}  // namespace

void ReadPasswordConfig(ConfigTable table, PasswordConfig* config) {
  table.Read("min_length", &config->min_length, Range(8, 128));
  table.Read("min_classes", &config->min_classes, Range(1, 4));
  table.Read("denied_words", &config->denied_words);
  for (const std::string& word : config->denied_words) {
    if (word.size() < kMinWord) {
      table.Refuse("denied_words",
                   absl::StrCat("\"", word, "\": expected ", kMinWord,
                                " characters or more"));
    }
  }
}

absl::Status CheckNewPassword(const PasswordConfig& config,
                              const PasswordOwner& owner,
                              std::string_view password) {
  std::vector<std::string> wanted;
  if (Characters(password) < config.min_length) {
    wanted.push_back(LengthRule(config));
  }
  if (password.size() > kMaxBytes) {
    wanted.push_back(
        FormatMessage(ldap_messages::kRuleBytes, {{"max", kMaxBytes}}));
  }
  if (Classes(password) < config.min_classes) {
    wanted.push_back(ClassesRule(config));
  }
  if (HasControl(password)) {
    wanted.push_back(FormatMessage(ldap_messages::kRuleNoControl));
  }
  if (HasAny(password, OwnWords(owner)) ||
      HasAny(password, config.denied_words)) {
    wanted.push_back(WordsRule(config));
  }
  if (password == owner.old_password) {
    wanted.push_back(FormatMessage(ldap_messages::kRuleDiffers));
  }
  if (wanted.empty()) return absl::OkStatus();
  return MakeError(ldap_messages::kPasswordAgainstRules,
                   {{"rules", absl::StrJoin(wanted, "; ")}});
}

std::vector<std::string> DescribePasswordRules(const PasswordConfig& config) {
  std::vector<std::string> rules = {LengthRule(config)};
  if (config.min_classes > 1) rules.push_back(ClassesRule(config));
  rules.push_back(WordsRule(config));
  return rules;
}

}  // namespace carme::backend
