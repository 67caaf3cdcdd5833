#include "common/edf/inheritance.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/edf/limits.h"
#include "common/printable.h"

namespace carme {

std::optional<EdfLayer> EdfInheritance::Load(const std::string& path,
                                             const EdfText& name) {
  if (!MayLoad(path, name)) return std::nullopt;
  const absl::StatusOr<std::string> text =
      context_.files.read(path, kMostEdfBytes);
  if (text.ok()) return LoadText(*text, path);
  const bool too_long = absl::IsResourceExhausted(text.status());
  problems_->Add(
      too_long ? EdfNumber::kLimit : EdfNumber::kUnreadable, name.place,
      absl::StrCat(
          "cannot read ", Quoted(path), ": ",
          Readable(std::string(text.status().message()), kMostEdfKeyBytes)));
  return std::nullopt;
}

std::optional<EdfLayer> EdfInheritance::LoadText(std::string_view text,
                                                 const std::string& label) {
  std::optional<EdfLayer> own = ReadEdfLayer(text, label, problems_, warnings_);
  if (!own) return std::nullopt;
  open_.push_back(label);
  EdfLayer merged;
  bool whole = true;
  for (const EdfText& base : own->bases) {
    std::optional<EdfLayer> layer = LoadBase(base);
    whole = whole && layer;
    if (whole) merged = MergeEdfLayers(std::move(merged), *std::move(layer));
  }
  open_.pop_back();
  if (!whole) return std::nullopt;
  return MergeEdfLayers(std::move(merged), *std::move(own));
}

std::optional<EdfLayer> EdfInheritance::LoadBase(const EdfText& name) {
  std::optional<std::string> expanded =
      ExpandVariables(name, context_.variables, problems_);
  if (!expanded) return std::nullopt;
  const EdfText base = {*std::move(expanded), name.place, name.name};
  const std::optional<std::string> path = FindEdf(base, context_, problems_);
  if (!path) return std::nullopt;
  return Load(*path, base);
}

bool EdfInheritance::MayLoad(const std::string& path, const EdfText& name) {
  if (std::find(open_.begin(), open_.end(), path) != open_.end()) {
    problems_->Refuse(EdfNumber::kRecursion, name,
                      absl::StrCat("comes back to ", Quoted(path)));
    return false;
  }
  if (open_.size() == kMostEdfLevels) {
    problems_->Refuse(
        EdfNumber::kRecursion, name,
        absl::StrCat("is a level too deep: expected at most ", kMostEdfLevels));
    return false;
  }
  if (++files_ <= kMostEdfFiles) return true;
  // once: what is still to come would say the same
  if (files_ == kMostEdfFiles + 1) {
    problems_->Refuse(
        EdfNumber::kLimit, name,
        absl::StrCat("is a file too many: expected at most ", kMostEdfFiles));
  }
  return false;
}

}  // namespace carme
