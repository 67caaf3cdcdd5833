#include "backend/carmectl/support/shown_config.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "backend/carmectl/support/messages.h"
#include "common/config/toml.h"

namespace carme::carmectl {
namespace {

constexpr char kHidden[] = "***";
constexpr size_t kMaxShownBytes = 200;

// Their texts are shown if they are absolute paths.
constexpr std::string_view kPathKeys[] = {"access_log",
                                          "agent",
                                          "agent_config",
                                          "apptainer",
                                          "bind_password_file",
                                          "ca",
                                          "ca_file",
                                          "certificate",
                                          "client_ca",
                                          "client_crl",
                                          "conf",
                                          "crl",
                                          "directory",
                                          "images",
                                          "key",
                                          "ocsp_response",
                                          "password_file",
                                          "path",
                                          "runtime_directory",
                                          "scratch_directory",
                                          "slurm_conf",
                                          "socket",
                                          "srun",
                                          "state_directory",
                                          "status_file",
                                          "system_directories",
                                          "template_file",
                                          "web_root"};
// Theirs are shown if they are names or addresses.
constexpr std::string_view kWordKeys[] = {"address",
                                          "admin_group",
                                          "agents",
                                          "agents_listen",
                                          "allowed_group",
                                          "backend",
                                          "backend_name",
                                          "clients",
                                          "dial",
                                          "feature",
                                          "frontend_name",
                                          "group_base",
                                          "id",
                                          "jobs_domain",
                                          "jobs_host",
                                          "listen",
                                          "mail_attribute",
                                          "manager_group",
                                          "metrics_listen",
                                          "name_attribute",
                                          "networks",
                                          "partition",
                                          "partitions",
                                          "password_change",
                                          "peer_user",
                                          "portal",
                                          "portal_host",
                                          "proxy_name",
                                          "redirect_listen",
                                          "roles",
                                          "server",
                                          "server_name",
                                          "support_group",
                                          "uid_source",
                                          "url",
                                          "user_base"};
// Tables whose keys are chosen by the administrator.
constexpr std::string_view kFreeTables[] = {"environment", "headers",
                                            "variables"};

template <size_t kSize>
bool IsIn(const std::string_view (&list)[kSize], std::string_view key) {
  return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

// Neither "@", which separates a password in an address, nor "?", after which
// an address may have one; "=" only in names of a directory.
bool IsPlainWord(std::string_view text, std::string_view key) {
  const bool is_base = key.ends_with("_base");
  return text.size() <= kMaxShownBytes &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  std::string_view("._:/*-[]").find(c) !=
                      std::string_view::npos ||
                  (is_base && (c == '=' || c == ','));
         });
}

// Of a value that is no text.
bool IsSecretName(std::string_view key) {
  for (const std::string_view part : {"password", "secret", "token"}) {
    if (key.find(part) != std::string_view::npos) return true;
  }
  return false;
}

bool MayShowText(std::string_view key, std::string_view text) {
  if (text.empty()) return true;
  if (!IsPlainWord(text, key)) return false;
  return (IsIn(kPathKeys, key) && text[0] == '/') || IsIn(kWordKeys, key);
}

bool MayShow(std::string_view key, const toml::node& value) {
  const auto* const text = value.as_string();
  return text == nullptr ? !IsSecretName(key) : MayShowText(key, text->get());
}

void Hide(toml::table* table, bool is_free);

// `key` is that of the array for its elements.
void HideValue(toml::node* node, std::string_view key, bool is_free) {
  if (auto* const table = node->as_table()) {
    return Hide(table, is_free || IsIn(kFreeTables, key));
  }
  if (auto* const array = node->as_array()) {
    for (size_t i = 0; i < array->size(); ++i) {
      toml::node& element = *array->get(i);
      if (!element.is_value()) {
        HideValue(&element, key, is_free);
        continue;
      }
      if (is_free || !MayShow(key, element)) {
        array->replace(array->cbegin() + static_cast<ptrdiff_t>(i), kHidden);
      }
    }
  }
}

void Hide(toml::table* table, bool is_free) {
  std::vector<std::string> hidden;
  for (auto&& [key, node] : *table) {
    const std::string_view name = key.str();
    if (!node.is_value()) {
      HideValue(&node, name, is_free);
      continue;
    }
    if (is_free || !MayShow(name, node)) {
      hidden.emplace_back(name);
    }
  }
  for (const std::string& name : hidden) {
    table->insert_or_assign(name, kHidden);
  }
}

}  // namespace

absl::StatusOr<std::string> ShownConfig(std::string_view toml) {
  toml::parse_result parsed = toml::parse(toml);
  if (!parsed) {
    const auto& begin = parsed.error().source().begin;
    return MakePlainError(support_messages::kNotToml,
                          {{"line", begin.line}, {"column", begin.column}});
  }
  toml::table table = std::move(parsed).table();
  Hide(&table, /*is_free=*/false);
  std::ostringstream shown;
  shown << table << "\n";
  return shown.str();
}

}  // namespace carme::carmectl
