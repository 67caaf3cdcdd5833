// A strict reader of a program's TOML file. Each key is read once and has a
// default. Unknown keys, wrong types and values out of range are errors, all
// reported at once with file and line.
//
// Packages install files with `configured = false`, which every program
// refuses: an administrator sets the keys first, and deletes that line.
//
//   ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
//   ConfigTable root = file.root();
//   ConfigTable tls = root.Table("tls");
//   tls.Read("certificate", &config.certificate, Required());
//   root.Read("loops", &config.loops, Range(0, 64));
//   RETURN_IF_ERROR(file.Finish());
//
// Not thread-safe. Includes no TOML header.
#ifndef CARME_COMMON_CONFIG_CONFIG_H_
#define CARME_COMMON_CONFIG_CONFIG_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme {

// The rule for a value, in addition to its type.
struct ConfigRule {
  bool required = false;
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
};
inline ConfigRule Required() { return {.required = true}; }
inline ConfigRule Range(int64_t min, int64_t max) {
  return {.min = min, .max = max};
}

// A table of the file. Cheap to copy; valid while the ConfigFile lives.
class ConfigTable {
 public:
  // An absent key leaves the default in `*value`. Required strings and lists
  // must not be empty.
  void Read(std::string_view key, std::string* value, ConfigRule rule = {});
  void Read(std::string_view key, bool* value, ConfigRule rule = {});
  void Read(std::string_view key, int* value, ConfigRule rule = {});
  void Read(std::string_view key, int64_t* value, ConfigRule rule = {});
  void Read(std::string_view key, std::vector<std::string>* value,
            ConfigRule rule = {});
  // The key's suffix is its unit: `_ms`, `_s` or `_min`.
  void Read(std::string_view key, absl::Duration* value, ConfigRule rule = {});

  // An absent table reads as an empty one.
  ConfigTable Table(std::string_view key);
  // An array of tables; empty when absent.
  std::vector<ConfigTable> Tables(std::string_view key);
  bool Has(std::string_view key) const;
  // The keys in the file, sorted; for tables with keys that the site defines.
  std::vector<std::string> Keys() const;

  // Adds an error at the key's line: for rules of the program.
  void Refuse(std::string_view key, std::string_view message);

 private:
  friend class ConfigFile;
  struct Node;
  explicit ConfigTable(std::shared_ptr<Node> node);
  std::shared_ptr<Node> node_;
};

class ConfigFile {
 public:
  // NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT for broken TOML;
  // IsNotConfigured() for `configured = false`.
  static absl::StatusOr<ConfigFile> Load(const std::string& path);
  static absl::StatusOr<ConfigFile> Parse(std::string_view text,
                                          const std::string& path);
  ConfigTable root();
  // INVALID_ARGUMENT with all errors, one per line, if there are any.
  absl::Status Finish();

 private:
  friend class ConfigTable;
  struct State;
  explicit ConfigFile(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

// True for the error of a file that no administrator has configured yet.
bool IsNotConfigured(const absl::Status& status);

}  // namespace carme

#endif  // CARME_COMMON_CONFIG_CONFIG_H_
