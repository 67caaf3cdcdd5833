#include "common/net/tls/ticket_keys.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "common/encoding.h"
#include "common/file.h"
#include "common/log.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::net {
namespace {

using List = std::vector<TicketKeyPtr>;

constexpr size_t kKeyBytes =
    TicketKey::kNameBytes + 2 * TicketKey::kSecretBytes;
constexpr size_t kMaxKeys = 8;

struct Wipe {
  void operator()(TicketKey* key) const {
    OPENSSL_cleanse(key->cipher.data(), key->cipher.size());
    OPENSSL_cleanse(key->mac.data(), key->mac.size());
    delete key;
  }
};

TicketKeyPtr KeyOf(const std::string& bytes, absl::Time made) {
  std::shared_ptr<TicketKey> key(new TicketKey, Wipe());
  key->name = bytes.substr(0, TicketKey::kNameBytes);
  key->cipher = bytes.substr(TicketKey::kNameBytes, TicketKey::kSecretBytes);
  key->mac = bytes.substr(TicketKey::kNameBytes + TicketKey::kSecretBytes);
  key->made = made;
  return key;
}

bool IsOld(const TicketKeyPtr& key, absl::Time now) {
  // A key from the future was created with a wrong clock.
  return key->made + 2 * TicketKeys::kLife <= now ||
         key->made > now + TicketKeys::kLife;
}

bool IsDue(const List& list, absl::Time now) {
  return list.empty() || list.front()->made + TicketKeys::kLife <= now;
}

void Grow(List* list, absl::Time now) {
  list->insert(list->begin(), KeyOf(RandomBytes(kKeyBytes), now));
  if (list->size() > kMaxKeys) list->resize(kMaxKeys);
}

// One line per key: its time of creation, and its bytes.
std::string TextOf(const List& list) {
  std::string text;
  for (const TicketKeyPtr& key : list) {
    text += std::to_string(absl::ToUnixSeconds(key->made)) + " " +
            Base64UrlEncode(key->name + key->cipher + key->mac) + "\n";
  }
  return text;
}

std::optional<TicketKeyPtr> ParseLine(std::string_view line) {
  int64_t made = 0;
  const auto [end, error] =
      std::from_chars(line.data(), line.data() + line.size(), made);
  if (error != std::errc() || end == line.data() + line.size() || *end != ' ') {
    return std::nullopt;
  }
  line.remove_prefix(static_cast<size_t>(end - line.data()) + 1);
  const std::optional<std::string> bytes = Base64UrlDecode(line);
  if (!bytes || bytes->size() != kKeyBytes) return std::nullopt;
  return KeyOf(*bytes, absl::FromUnixSeconds(made));
}

TicketKeyPtr FindIn(const List& list, std::string_view name) {
  for (const TicketKeyPtr& key : list) {
    if (key->name == name) return key;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<std::shared_ptr<TicketKeys>> TicketKeys::Open(
    const std::string& path, absl::Time now) {
  std::shared_ptr<TicketKeys> keys(new TicketKeys(path));
  if (!path.empty()) {
    ASSIGN_OR_RETURN(keys->kept_, keys->ReadList(now));
  }
  RETURN_IF_ERROR(keys->Renew(now));
  return keys;
}

// Ignores expired keys, and a malformed file.
absl::StatusOr<List> TicketKeys::ReadList(absl::Time now) const {
  absl::StatusOr<std::string> text = ReadSecretFile(path_);
  if (absl::IsNotFound(text.status())) return List();
  if (!text.ok()) return text.status();
  List list;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    std::optional<TicketKeyPtr> key = ParseLine(rest.substr(0, end));
    if (!key || list.size() == kMaxKeys) {
      LogWarning("invalid session keys replaced", {{"file", path_}});
      return List();
    }
    if (!IsOld(*key, now)) list.push_back(*std::move(key));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  std::sort(list.begin(), list.end(),
            [](const auto& a, const auto& b) { return a->made > b->made; });
  return list;
}

absl::Status TicketKeys::Renew(absl::Time now) {
  List kept, fleeting;
  {
    std::lock_guard lock(mutex_);
    kept = kept_;
    fleeting = fleeting_;
  }
  const auto old = [now](const TicketKeyPtr& key) { return IsOld(key, now); };
  std::erase_if(kept, old);
  std::erase_if(fleeting, old);
  if (IsDue(fleeting, now)) Grow(&fleeting, now);
  const bool due = IsDue(kept, now);
  if (due) Grow(&kept, now);
  absl::Status written;
  if (due && !path_.empty()) {
    written = WriteFile(path_, TextOf(kept), 0600);
    watch_.Changed();
  }
  std::lock_guard lock(mutex_);
  kept_ = std::move(kept);
  fleeting_ = std::move(fleeting);
  return written;
}

absl::Status TicketKeys::Refresh(absl::Time now) {
  if (!path_.empty() && watch_.Changed()) {
    ASSIGN_OR_RETURN(List list, ReadList(now));
    std::lock_guard lock(mutex_);
    // Our keys can still decrypt the tickets that they encrypted, even if
    // another process has replaced the file.
    for (const TicketKeyPtr& key : kept_) {
      if (FindIn(list, key->name) == nullptr) list.push_back(key);
    }
    std::sort(list.begin(), list.end(),
              [](const auto& a, const auto& b) { return a->made > b->made; });
    kept_ = std::move(list);
  }
  return Renew(now);
}

TicketKeyPtr TicketKeys::Newest(bool tls13) const {
  std::lock_guard lock(mutex_);
  return (tls13 ? kept_ : fleeting_).front();
}

TicketKeyPtr TicketKeys::Find(bool tls13, std::string_view name) const {
  std::lock_guard lock(mutex_);
  return FindIn(tls13 ? kept_ : fleeting_, name);
}

}  // namespace carme::net
