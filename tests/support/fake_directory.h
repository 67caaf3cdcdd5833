// A directory whose results a test sets.
#ifndef CARME_TESTS_SUPPORT_FAKE_DIRECTORY_H_
#define CARME_TESTS_SUPPORT_FAKE_DIRECTORY_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "backend/identity/directory.h"

namespace carme::backend {

// Thread-safe. Unless the test sets something else, each name is that of a user
// and of a group, no e-mail address is known, and all passwords are "right".
class FakeDirectory : public Directory {
 public:
  using FindPerson =
      std::function<absl::StatusOr<Person>(const std::string& name)>;
  using FindText =
      std::function<absl::StatusOr<std::string>(const std::string& name)>;

  FakeDirectory() = default;
  explicit FakeDirectory(FindPerson find) : find_person_(std::move(find)) {}

  static Person Named(const std::string& name, Role role = Role::kUser) {
    return {.username = name,
            .display_name = "Dr. " + name,
            .uid = name == "ada" ? Uid(20001) : Uid(20002),
            .role = role};
  }

  void SetPerson(const std::string& name, const absl::StatusOr<Person>& word) {
    absl::MutexLock lock(&mutex_);
    people_.insert_or_assign(name, word);
  }
  // Looks up the names that SetPerson did not set.
  void SetLookUp(FindPerson find) {
    absl::MutexLock lock(&mutex_);
    find_person_ = std::move(find);
  }
  void SetFindGroup(FindText find) {
    absl::MutexLock lock(&mutex_);
    find_group_ = std::move(find);
  }
  void SetFindByMail(FindText find) {
    absl::MutexLock lock(&mutex_);
    find_by_mail_ = std::move(find);
  }
  // From now on every login must set a new password.
  void RequireNewPasswords() {
    absl::MutexLock lock(&mutex_);
    must_change_ = true;
  }
  void RefuseNewPassword(const absl::Status& why) {
    absl::MutexLock lock(&mutex_);
    change_ = why;
  }
  // Look-ups block until then.
  void HoldUntil(absl::Notification* go) {
    absl::MutexLock lock(&mutex_);
    release_ = go;
  }
  int lookups() const {
    absl::MutexLock lock(&mutex_);
    return lookups_;
  }
  void AwaitLookups(int times) const {
    absl::MutexLock lock(&mutex_);
    const auto enough = [&] { return lookups_ >= times; };
    mutex_.Await(absl::Condition(&enough));
  }

  absl::StatusOr<Person> LookUp(std::string_view username) override {
    absl::Notification* go = nullptr;
    {
      absl::MutexLock lock(&mutex_);
      ++lookups_;
      go = release_;
    }
    if (go != nullptr) go->WaitForNotification();
    const std::string name(username);
    FindPerson find;
    {
      absl::MutexLock lock(&mutex_);
      const auto found = people_.find(name);
      if (found != people_.end()) return found->second;
      find = find_person_;
    }
    return find(name);
  }
  absl::StatusOr<std::string> FindGroup(std::string_view name) override {
    absl::MutexLock lock(&mutex_);
    return find_group_(std::string(name));
  }
  absl::StatusOr<std::string> FindByMail(std::string_view mail) override {
    absl::MutexLock lock(&mutex_);
    return find_by_mail_(std::string(mail));
  }
  absl::StatusOr<PasswordCheck> CheckPassword(
      std::string_view username, std::string_view password) override {
    if (password != "right") return absl::UnauthenticatedError("wrong");
    absl::MutexLock lock(&mutex_);
    return PasswordCheck{.person = Named(std::string(username)),
                         .must_change = must_change_};
  }
  absl::Status ChangePassword(std::string_view /*username*/,
                              std::string_view old_password,
                              std::string_view /*new_password*/) override {
    if (old_password != "right") return absl::UnauthenticatedError("wrong");
    absl::MutexLock lock(&mutex_);
    return change_;
  }
  bool ChangesPasswords() const override { return true; }
  std::vector<std::string> PasswordRules() const override {
    return {"at least 12 characters"};
  }

 private:
  mutable absl::Mutex mutex_;
  std::map<std::string, absl::StatusOr<Person>> people_ ABSL_GUARDED_BY(mutex_);
  FindPerson find_person_ ABSL_GUARDED_BY(mutex_) =
      [](const std::string& name) { return Named(name); };
  FindText find_group_ ABSL_GUARDED_BY(mutex_) = [](const std::string& name) {
    return name;
  };
  FindText find_by_mail_ ABSL_GUARDED_BY(mutex_) = [](const std::string&) {
    return absl::NotFoundError("no such e-mail address");
  };
  absl::Status change_ ABSL_GUARDED_BY(mutex_);
  bool must_change_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Notification* release_ ABSL_GUARDED_BY(mutex_) = nullptr;
  int lookups_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_SUPPORT_FAKE_DIRECTORY_H_
