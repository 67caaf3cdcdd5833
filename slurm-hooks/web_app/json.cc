#include "slurm-hooks/web_app/json.h"

#include "absl/strings/str_cat.h"

namespace carme::web_app {

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') {
      json += {'\\', byte};
    } else if (static_cast<unsigned char>(byte) < 0x20) {
      absl::StrAppend(&json, "\\u", absl::Hex(byte, absl::kZeroPad4));
    } else {
      json += byte;
    }
  }
  return json + "\"";
}

}  // namespace carme::web_app
