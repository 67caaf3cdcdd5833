// A directory that says what a test tells it to say.
#ifndef CARME_TESTS_BACKEND_IDENTITY_SESSION_FAKE_DIRECTORY_H_
#define CARME_TESTS_BACKEND_IDENTITY_SESSION_FAKE_DIRECTORY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "backend/identity/directory.h"

namespace carme::backend {

// Thread-safe. Everybody it was told nothing about is an ordinary user; all
// passwords are "right".
class FakeDirectory : public Directory {
 public:
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
    absl::MutexLock lock(&mutex_);
    const auto found = people_.find(std::string(username));
    return found != people_.end() ? found->second
                                  : Named(std::string(username));
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
  absl::Status change_ ABSL_GUARDED_BY(mutex_);
  bool must_change_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Notification* release_ ABSL_GUARDED_BY(mutex_) = nullptr;
  int lookups_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_IDENTITY_SESSION_FAKE_DIRECTORY_H_
