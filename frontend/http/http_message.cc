#include "frontend/http/http_message.h"

#include <algorithm>

namespace carme::frontend {

bool HttpHeaders::Add(std::string name, std::string value) {
  if (Find(name) != nullptr) return false;
  fields_.emplace_back(std::move(name), std::move(value));
  return true;
}

void HttpHeaders::Set(std::string_view name, std::string value) {
  for (auto& [key, old] : fields_) {
    if (key != name) continue;
    old = std::move(value);
    return;
  }
  fields_.emplace_back(name, std::move(value));
}

const std::string* HttpHeaders::Find(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string_view HttpHeaders::Get(std::string_view name) const {
  const std::string* value = Find(name);
  return value == nullptr ? std::string_view() : *value;
}

bool HttpHeaders::HasPrefix(std::string_view prefix) const {
  return std::any_of(fields_.begin(), fields_.end(), [&](const auto& field) {
    return field.first.starts_with(prefix);
  });
}

}  // namespace carme::frontend
