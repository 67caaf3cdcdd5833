#include "backend/policy/image_choice.h"

#include <string>
#include <utility>

#include "backend/policy/limits/template_limits.h"
#include "backend/policy/messages.h"
#include "backend/policy/spec/limit_source.h"
#include "backend/policy/spec/quoted.h"
#include "common/message.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

class Choice {
 public:
  Choice(const PolicyInput& asked, const JobTemplate* job_template,
         JobSpec* spec)
      : input_(asked), template_(job_template), spec_(*spec) {}

  std::vector<Violation> Run() {
    if (!spec_.batch) ChooseApp();
    if (spec_.environment.empty()) {
      ChooseImage();
    } else {
      CheckEnvironment();
    }
    return std::move(violations_);
  }
  const Image* image() const { return image_; }

 private:
  void Refuse(Violation violation) {
    violations_.push_back(std::move(violation));
  }
  void RefuseAll(std::vector<Violation> violations) {
    for (Violation& violation : violations) Refuse(std::move(violation));
  }

  void ChooseApp() {
    const std::vector<App>& apps = *input_.apps;
    if (spec_.app.empty() && !apps.empty()) spec_.app = apps[0].id;
    std::vector<std::string> ids;
    for (const App& app : apps) {
      if (app.id == spec_.app) return;
      ids.push_back(app.id);
    }
    const std::string offered = QuotedList(ids);
    Refuse({Refusal::kInvalid, "app", "apps", offered,
            ConfigurationLimitSource(),
            MakeText(policy_messages::kAppNotOffered,
                     {{"app", spec_.app}, {"offered", offered}})});
  }

  void ChooseImage() {
    std::vector<std::string> ids;
    for (const Image& image : *input_.images) {
      if (!spec_.batch && !image.Has(spec_.app)) continue;
      if (template_ != nullptr && !AllowsImage(*template_, image.id)) continue;
      if (spec_.image.empty()) spec_.image = image.id;
      if (spec_.image == image.id) {
        image_ = &image;
        return;
      }
      ids.push_back(image.id);
    }
    const std::string offered = QuotedList(ids);
    if (!input_.image_problem.empty()) {
      Refuse({Refusal::kImpossible, "image", "images", offered,
              kCarmeLimitSource, input_.image_problem});
      return;
    }
    const bool narrowed = template_ != nullptr && !template_->images.empty();
    Refuse({narrowed ? Refusal::kForbidden : Refusal::kInvalid, "image",
            "images", offered,
            narrowed ? SourceOf(*template_) : ConfigurationLimitSource(),
            ImageNotOffered(narrowed, offered)});
  }

  DisplayText ImageNotOffered(bool by_template,
                              const std::string& offered) const {
    const std::string& image = spec_.image;
    if (spec_.batch) {
      return by_template ? MakeText(policy_messages::kImageNotOfTemplate,
                                    {{"image", image}, {"offered", offered}})
                         : MakeText(policy_messages::kImageNotOffered,
                                    {{"image", image}, {"offered", offered}});
    }
    return by_template ? MakeText(policy_messages::kImageWithAppNotOfTemplate,
                                  {{"image", image},
                                   {"app", spec_.app},
                                   {"offered", offered}})
                       : MakeText(policy_messages::kImageWithAppNotOffered,
                                  {{"image", image},
                                   {"app", spec_.app},
                                   {"offered", offered}});
  }

  // Without a directory for shared images another user's image is copied before
  // a job starts in it; the mounting of environments copies none.
  void ChooseEnvironmentsImage() {
    if (input_.environment_image.empty()) return;
    for (const Image& image : *input_.images) {
      if (image.id == input_.environment_image) image_ = &image;
    }
    if (image_ == nullptr || image_->owner.empty() ||
        image_->owner_uid == input_.uid || image_->store_uid) {
      return;
    }
    Refuse({Refusal::kForbidden, "environment", "owner", image_->owner,
            ImageLimitSource(image_->id),
            MakeText(policy_messages::kEnvironmentImageOfAnotherUser,
                     {{"environment", spec_.environment},
                      {"image", image_->id},
                      {"owner", image_->owner}})});
    image_ = nullptr;  // skips the other checks of the image
  }

  // The apps of an environment are unknown, so any app is accepted.
  void CheckEnvironment() {
    if (!spec_.image.empty()) {
      Refuse({Refusal::kInvalid, "image", "environment", spec_.environment,
              kCarmeLimitSource,
              MakeText(policy_messages::kImageWithEnvironment,
                       {{"image", spec_.image},
                        {"environment", spec_.environment}})});
    }
    if (input_.environment.ok()) {
      if (template_ != nullptr) {
        RefuseAll(CheckEnvironmentsImage(*template_, spec_,
                                         input_.environment_image));
      }
      return ChooseEnvironmentsImage();
    }
    const bool invalid = absl::IsInvalidArgument(input_.environment);
    Refuse({invalid ? Refusal::kInvalid : Refusal::kUnavailable, "environment",
            "environment", "", kCarmeLimitSource,
            TextOfStatus(input_.environment)});
  }

  const PolicyInput& input_;
  const JobTemplate* const template_;  // null: none
  JobSpec& spec_;
  const Image* image_ = nullptr;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> ChooseWhatRuns(const PolicyInput& asked,
                                      const JobTemplate* job_template,
                                      JobSpec* spec, const Image** image) {
  Choice choice(asked, job_template, spec);
  std::vector<Violation> violations = choice.Run();
  *image = choice.image();
  return violations;
}

// A file that belongs to the image's owner is copied only on the job's first
// node.
std::vector<Violation> CheckSharing(const Image& image, Uid user,
                                    const JobSpec& spec) {
  if (image.owner.empty() || image.owner_uid == user || image.store_uid ||
      spec.nodes <= 1) {
    return {};
  }
  return {{Refusal::kForbidden, "nodes", "nodes", "1",
           ImageLimitSource(image.id),
           MakeText(policy_messages::kNodesForImageOfAnotherUser,
                    {{"nodes", spec.nodes},
                     {"image", image.id},
                     {"owner", image.owner}})}};
}

}  // namespace carme::backend
