#include "common/edf/render.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/edf/layer.h"
#include "common/edf/limits.h"
#include "common/edf/messages.h"
#include "common/edf/paths.h"
#include "common/edf/search.h"
#include "common/printable.h"

namespace carme {

class EdfInheritance {
 public:
  // All must outlive it.
  EdfInheritance(const EdfContext& context, EdfProblems* problems,
                 EdfProblems* warnings)
      : context_(context), problems_(problems), warnings_(warnings) {}

  // The file at `path`, which FindEdf returned for `name`, merged over its
  // bases in their order. nullopt, with problems: those of the layers and the
  // search, 2 an unreadable file, 5 a cycle of bases or more than
  // kMaxEdfLevels, 100 more than kMaxEdfFiles files.
  std::optional<EdfLayer> Load(const std::string& path, const EdfText& name);

  // The same for a text with the file name `label`.
  std::optional<EdfLayer> LoadText(std::string_view text,
                                   const std::string& label);

 private:
  std::optional<EdfLayer> LoadBase(const EdfText& name);
  DisplayText CauseOf(const absl::Status& unreadable) const;
  bool MayLoad(const std::string& path, const EdfText& name);

  const EdfContext& context_;
  EdfProblems* const problems_;
  EdfProblems* const warnings_;
  std::vector<std::string> open_;  // from the first file down to this one
  int files_ = 0;
};

namespace {

constexpr std::string_view kBareKeyLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool HasOnly(std::string_view text, std::string_view more) {
  for (const char c : text) {
    if (kBareKeyLetters.find(c) == std::string_view::npos &&
        more.find(c) == std::string_view::npos) {
      return false;
    }
  }
  return !text.empty();
}

// A path below /dev, or a qualified name of the Container Device Interface:
// "nvidia.com/gpu=all".
bool IsDevice(std::string_view text) {
  if (text.size() > kMaxEdfKeyBytes) return false;
  if (text.starts_with("/dev/")) {
    return HasOnly(text, "/._:,+-") && !HasParent(text) && text.size() > 5;
  }
  const size_t slash = text.find('/');
  const size_t equals = text.find('=');
  return slash < equals && equals != std::string_view::npos &&
         HasOnly(text.substr(0, slash), ".-_") &&
         HasOnly(text.substr(slash + 1, equals - slash - 1), "-_.") &&
         HasOnly(text.substr(equals + 1), "-_.:");
}

constexpr std::string_view kNvidiaGpu = "nvidia.com/gpu=";
constexpr std::string_view kHooks = "com.hooks.";

// Why a device has no effect on a node; empty: it has an effect.
DisplayText DeviceWarning(std::string_view device) {
  if (device.starts_with("/dev/") || device == kAllNvidiaGpus) return {};
  if (device.starts_with(kNvidiaGpu)) {
    return MakeText(edf_messages::kGpuWithoutEffect,
                    {{"all_gpus", kAllNvidiaGpus}});
  }
  return MakeText(edf_messages::kCdiWithoutEffect,
                  {{"all_gpus", kAllNvidiaGpus}});
}

// Expands and checks the merged content of all files.
class Resolver {
 public:
  Resolver(const EdfContext& context, EdfProblems* problems,
           EdfProblems* warnings)
      : context_(context), problems_(problems), warnings_(warnings) {}

  Edf Resolve(const EdfLayer& layer) {
    Edf edf;
    Image(layer, &edf);
    for (const EdfText& mount : layer.mounts) Mount(mount, &edf);
    Workdir(layer, &edf);
    edf.writable = layer.writable.value_or(edf.writable);
    edf.entrypoint = layer.entrypoint.value_or(edf.entrypoint);
    for (const EdfText& device : layer.devices) Device(device, &edf);
    Table(layer.env, "env", &edf.env);
    Table(layer.annotations, "annotations", &edf.annotations);
    WarnOfHooks(layer, edf);
    return edf;
  }

 private:
  // nullopt also if the total length of all values exceeds its limit, which is
  // reported once.
  std::optional<EdfText> Expanded(const EdfText& found) {
    if (bytes_ > kMaxEdfTotalBytes) return std::nullopt;
    std::optional<std::string> text =
        ExpandVariables(found, context_.variables, problems_);
    if (!text || !Spend(text->size(), found.place)) return std::nullopt;
    return EdfText{*std::move(text), found.place, found.name};
  }

  bool Spend(size_t bytes, const EdfPlace& place) {
    bytes_ += bytes;
    if (bytes_ <= kMaxEdfTotalBytes) return true;
    problems_->Add(EdfNumber::kLimit, place,
                   MakeText(edf_messages::kEnvironmentTooLong,
                            {{"max", kMaxEdfTotalBytes}}));
    return false;
  }

  void Image(const EdfLayer& layer, Edf* edf) {
    const EdfText none;
    const std::optional<EdfText> found =
        layer.image ? Expanded(*layer.image) : none;
    if (!found) return;
    if (found->text.empty()) {
      problems_->Add(EdfNumber::kMissingImage, found->place,
                     MakeText(edf_messages::kImageMissing));
      return;
    }
    auto image = ParseImage(*found, context_.cwd, problems_);
    if (!image) return;
    DisplayText warning = ReferenceWarning(*image);
    if (!warning.empty()) {
      warnings_->Refuse(EdfNumber::kImage, *found, std::move(warning));
    }
    edf->image = *std::move(image);
  }

  void Mount(const EdfText& found, Edf* edf) {
    if (bytes_ > kMaxEdfTotalBytes) return;
    auto mount = ParseMount(found, context_.variables, context_.cwd, problems_);
    if (!mount || !Spend(MountText(*mount).size(), found.place)) return;
    if (mount->flags.count("sqsh") != 0 && !Squash(found, *mount)) return;
    AddOnce(*std::move(mount), found, kMaxEdfMounts, &edf->mounts);
  }

  bool Squash(const EdfText& found, const EdfMount& mount) {
    switch (context_.files.kind(mount.source)) {
      case EdfFileKind::kMissing:
        problems_->Refuse(EdfNumber::kSquashMissing, found,
                          MakeText(edf_messages::kSquashfsMissing,
                                   {{"path", Quoted(mount.source)}}));
        return false;
      case EdfFileKind::kOther:
        problems_->Refuse(EdfNumber::kSquashKind, found,
                          MakeText(edf_messages::kSquashfsNotAFile,
                                   {{"path", Quoted(mount.source)}}));
        return false;
      default:
        return true;
    }
  }

  void Device(const EdfText& found, Edf* edf) {
    const std::optional<EdfText> device = Expanded(found);
    if (!device) return;
    if (IsDevice(device->text)) {
      AddOnce(device->text, found, kMaxEdfDevices, &edf->devices);
      DisplayText warning = DeviceWarning(device->text);
      if (!warning.empty()) {
        warnings_->Refuse(EdfNumber::kDevice, *device, std::move(warning));
      }
    } else {
      problems_->Refuse(EdfNumber::kDevice, *device,
                        MakeText(edf_messages::kDeviceInvalid));
    }
  }

  template <typename Item>
  void AddOnce(Item item, const EdfText& found, size_t max,
               std::vector<Item>* list) {
    for (const Item& other : *list) {
      if (other == item) return;
    }
    if (list->size() == max) {
      problems_->Refuse(EdfNumber::kLimit, found,
                        MakeText(edf_messages::kOneTooMany, {{"max", max}}));
    } else {
      list->push_back(std::move(item));
    }
  }

  void Workdir(const EdfLayer& layer, Edf* edf) {
    if (!layer.workdir) return;
    const std::optional<EdfText> found = Expanded(*layer.workdir);
    if (!found || found->text.empty()) return;
    if (!LooksLikePath(found->text)) {
      problems_->Refuse(EdfNumber::kPath, *found,
                        MakeText(edf_messages::kRelativePath));
      return;
    }
    edf->workdir = AbsolutePath(found->text, context_.cwd);
    DisplayText fault = PathFault(edf->workdir);
    if (!fault.empty()) {
      problems_->Refuse(EdfNumber::kPath, *found, std::move(fault));
    }
  }

  void Table(const std::map<std::string, EdfText>& layer, const char* name,
             std::map<std::string, std::string>* table) {
    if (layer.size() > kMaxEdfEntries) {
      problems_->Add(
          EdfNumber::kLimit, {},
          MakeText(edf_messages::kTooManyInherited, {{"name", name},
                                                     {"entries", layer.size()},
                                                     {"max", kMaxEdfEntries}}));
      return;
    }
    for (const auto& [key, found] : layer) {
      std::optional<EdfText> value = Expanded(found);
      if (value && Spend(key.size(), found.place)) {
        (*table)[key] = std::move(value->text);
      }
    }
  }

  // Warns once per hook, unless `com.hooks.NAME.enabled` is "false". Nodes run
  // no hooks.
  void WarnOfHooks(const EdfLayer& layer, const Edf& edf) {
    std::set<std::string> warned;
    for (const auto& [key, found] : layer.annotations) {
      if (!key.starts_with(kHooks)) continue;
      const std::string hook = key.substr(0, key.find('.', kHooks.size()));
      const auto enabled = edf.annotations.find(absl::StrCat(hook, ".enabled"));
      const bool is_off =
          enabled != edf.annotations.end() && enabled->second == "false";
      if (is_off || !warned.insert(hook).second) continue;
      warnings_->Add(EdfNumber::kAnnotation, found.place,
                     MakeText(edf_messages::kHookWithoutEffect,
                              {{"annotation", Quoted(hook)}}));
    }
  }

  const EdfContext& context_;
  EdfProblems* const problems_;
  EdfProblems* const warnings_;
  size_t bytes_ = 0;
};

void Finish(const std::optional<EdfLayer>& layer, const EdfContext& context,
            EdfResult* result) {
  if (!layer) return;
  Edf edf =
      Resolver(context, &result->problems, &result->warnings).Resolve(*layer);
  if (result->problems.empty()) result->edf = std::move(edf);
}

}  // namespace

EdfResult RenderEdf(std::string_view name, const EdfContext& context) {
  EdfResult result;
  const EdfText found = {std::string(name), {}, "environment"};
  const auto path = FindEdf(found, context, &result.problems);
  if (!path) return result;
  result.path = *path;
  EdfInheritance inheritance(context, &result.problems, &result.warnings);
  Finish(inheritance.Load(*path, found), context, &result);
  return result;
}

EdfResult RenderEdfText(std::string_view text, const std::string& label,
                        const EdfContext& context) {
  EdfResult result;
  EdfInheritance inheritance(context, &result.problems, &result.warnings);
  Finish(inheritance.LoadText(text, label), context, &result);
  return result;
}

EdfResult ReadRenderedEdf(std::string_view text) {
  return RenderEdfText(text, "rendered.toml",
                       {.files = NoEdfFiles(), .variables = {}, .cwd = "/"});
}

std::optional<EdfLayer> EdfInheritance::Load(const std::string& path,
                                             const EdfText& name) {
  if (!MayLoad(path, name)) return std::nullopt;
  const absl::StatusOr<std::string> text =
      context_.files.read(path, kMaxEdfBytes);
  if (text.ok()) return LoadText(*text, path);
  const bool too_long = absl::IsResourceExhausted(text.status());
  problems_->Add(
      too_long ? EdfNumber::kLimit : EdfNumber::kUnreadable, name.place,
      MakeText(edf_messages::kUnreadable,
               {{"path", Quoted(path)}, {"cause", CauseOf(text.status())}}));
  return std::nullopt;
}

DisplayText EdfInheritance::CauseOf(const absl::Status& unreadable) const {
  DisplayText cause(std::string(unreadable.message()));
  if (context_.files.explain) cause = context_.files.explain(unreadable);
  cause.text = Readable(cause.text, kMaxEdfKeyBytes);
  return cause;
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
    problems_->Refuse(
        EdfNumber::kRecursion, name,
        MakeText(edf_messages::kBaseReturns, {{"path", Quoted(path)}}));
    return false;
  }
  if (open_.size() == kMaxEdfLevels) {
    problems_->Refuse(
        EdfNumber::kRecursion, name,
        MakeText(edf_messages::kTooManyLevels, {{"max", kMaxEdfLevels}}));
    return false;
  }
  if (++files_ <= kMaxEdfFiles) return true;
  // reported once, not for each further file
  if (files_ == kMaxEdfFiles + 1) {
    problems_->Refuse(
        EdfNumber::kLimit, name,
        MakeText(edf_messages::kTooManyFiles, {{"max", kMaxEdfFiles}}));
  }
  return false;
}

}  // namespace carme
