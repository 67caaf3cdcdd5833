// Edits a documented TOML file line by line, so that its comments stay. Values
// are written by the TOML library: no answer can add a key or a table.
#ifndef CARME_BACKEND_CARMECTL_SETUP_SITE_CONFIG_TEMPLATE_H_
#define CARME_BACKEND_CARMECTL_SETUP_SITE_CONFIG_TEMPLATE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace carme::carmectl {

// A value in one line of TOML.
std::string TomlText(const std::string& value);
std::string TomlText(const std::vector<std::string>& value);
std::string TomlText(bool value);

// Not thread-safe. The first error is kept, and later calls do nothing.
class ConfigTemplate {
 public:
  explicit ConfigTemplate(std::string_view text);

  // `table` is its line, such as "[tls]" or "[[images]]"; "": the keys before
  // the first table. The key has a line there, `key = …` or `#key = …`.
  template <typename T>
  void Set(std::string_view table, std::string_view key, const T& value) {
    SetLine(table, key, TomlText(value));
  }
  // Set, or a comment if `value` is empty.
  void SetOrDisable(std::string_view table, std::string_view key,
                    const std::string& value);
  void Disable(std::string_view table, std::string_view key);
  // All lines of the table become comments.
  void DisableTable(std::string_view table);

  // At the end; `lines` are a table and its keys.
  void Append(const std::vector<std::string>& lines);

  const absl::Status& status() const { return status_; }
  std::string text() const;

 private:
  void SetLine(std::string_view table, std::string_view key,
               const std::string& value);
  // The line of `KEY = …` in the table; with `commented` also of `#KEY = …`.
  // The number of lines: there is none.
  size_t Find(std::string_view table, std::string_view key,
              bool commented) const;
  void Fail(std::string_view table, std::string_view key);

  std::vector<std::string> lines_;
  absl::Status status_;
};

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SETUP_SITE_CONFIG_TEMPLATE_H_
