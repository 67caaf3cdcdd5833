#include "backend/identity/ldap/ldap_name.h"

#include <ldap.h>

#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/name_rules.h"

namespace carme::backend {
namespace {

constexpr NameRule kAttributeRule{
    .characters = kAlphanumeric | "-", .max_bytes = 64, .first = kAsciiLetters};

// A DN in its parts, for the scope of its use.
class ParsedDn {
 public:
  explicit ParsedDn(const std::string& dn) {
    if (dn.find('\0') != std::string::npos ||
        ldap_str2dn(dn.c_str(), &parts_, LDAP_DN_FORMAT_LDAPV3) !=
            LDAP_SUCCESS) {
      parts_ = nullptr;
    }
  }
  ParsedDn(const ParsedDn&) = delete;
  ParsedDn& operator=(const ParsedDn&) = delete;
  ~ParsedDn() {
    if (parts_ != nullptr) ldap_dnfree(parts_);
  }
  LDAPDN get() const { return parts_; }

 private:
  LDAPDN parts_ = nullptr;
};

}  // namespace

std::optional<std::string> CanonicalDn(const std::string& dn) {
  const ParsedDn parsed(dn);
  if (parsed.get() == nullptr) return std::nullopt;
  char* text = nullptr;
  if (ldap_dn2str(parsed.get(), &text, LDAP_DN_FORMAT_LDAPV3) != LDAP_SUCCESS) {
    return std::nullopt;
  }
  std::string canonical = absl::AsciiStrToLower(text);
  ldap_memfree(text);
  return canonical;
}

bool IsBelow(std::string_view dn, std::string_view base) {
  // A comma within a value is written \2c in a canonical DN.
  return !base.empty() && dn.size() > base.size() + 1 && dn.ends_with(base) &&
         dn[dn.size() - base.size() - 1] == ',';
}

std::string LeadingCn(const std::string& dn) {
  const ParsedDn parsed(dn);
  if (parsed.get() == nullptr || parsed.get()[0] == nullptr) return "";
  for (LDAPAVA** part = parsed.get()[0]; *part != nullptr; ++part) {
    const berval& name = (*part)->la_attr;
    const berval& value = (*part)->la_value;
    if (absl::EqualsIgnoreCase(absl::string_view(name.bv_val, name.bv_len),
                               "cn")) {
      return std::string(value.bv_val, value.bv_len);
    }
  }
  return "";
}

bool IsAttributeName(std::string_view name) {
  return kAttributeRule.Allows(name);
}

std::optional<LdapRange> ParseLdapRange(std::string_view name) {
  constexpr std::string_view kOption = ";range=";
  const size_t option = name.find(kOption);
  if (option == std::string_view::npos) return std::nullopt;
  const std::string_view bounds = name.substr(option + kOption.size());
  const size_t hyphen = bounds.find('-');
  LdapRange range{.attribute = std::string(name.substr(0, option)),
                  .last = std::nullopt};
  uint32_t first = 0;
  uint32_t last = 0;
  if (hyphen == std::string_view::npos ||
      !absl::SimpleAtoi(std::string(bounds.substr(0, hyphen)), &first)) {
    return std::nullopt;
  }
  range.first = first;
  const std::string_view end = bounds.substr(hyphen + 1);
  if (end == "*") return range;
  if (!absl::SimpleAtoi(std::string(end), &last) || last < first) {
    return std::nullopt;
  }
  range.last = last;
  return range;
}

std::string EscapeFilterValue(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || c == '.' || c == '_' || c == '-' ||
        c == ',' || c == '=' || c == ' ' || c == '@') {
      escaped.push_back(c);
    } else {
      absl::StrAppend(&escaped, "\\", absl::Hex(byte, absl::kZeroPad2));
    }
  }
  return escaped;
}

std::string FillFilter(std::string_view pattern,
                       const std::map<char, std::string_view>& values) {
  std::string filter;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const auto value = pattern[i] == '%' && i + 1 < pattern.size()
                           ? values.find(pattern[i + 1])
                           : values.end();
    if (value == values.end()) {
      filter.push_back(pattern[i]);
    } else {
      filter += EscapeFilterValue(value->second);
      ++i;
    }
  }
  return filter;
}

}  // namespace carme::backend
