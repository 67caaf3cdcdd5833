#include "frontend/http/content_coding.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace carme::frontend {
namespace {

// The weight in ";q=0.5"; 1 for an empty parameter, 0 for an invalid one.
double WeightOf(absl::string_view parameters) {
  parameters = absl::StripAsciiWhitespace(parameters);
  if (parameters.empty()) return 1;
  double weight = 0;
  if (!absl::ConsumePrefix(&parameters, "q=") &&
      !absl::ConsumePrefix(&parameters, "Q=")) {
    return 0;
  }
  if (parameters.size() > 5 || !absl::SimpleAtod(parameters, &weight)) return 0;
  return weight;
}

}  // namespace

bool AcceptsCoding(std::string_view accept_encoding, std::string_view coding) {
  bool any = false;
  const std::string list(accept_encoding);
  for (absl::string_view item : absl::StrSplit(list, ',')) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(item, absl::MaxSplits(';', 1));
    const std::string name =
        absl::AsciiStrToLower(absl::StripAsciiWhitespace(parts.first));
    const bool allowed = WeightOf(parts.second) > 0;
    if (name == coding) return allowed;
    if (name == "*") any = allowed;
  }
  return any;
}

}  // namespace carme::frontend
