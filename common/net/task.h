// A coroutine with one result for the coroutine that awaits it.
//
// Use it for code that waits on an EventLoop. Not thread-safe: a task is used
// on the thread of its loop.
//
// 1. A task begins when it is awaited, or when EventLoop::Spawn gets it.
// 2. A task always runs to its end. A suspended task must not be destroyed; to
//    stop it, make the operation that it waits for fail (Stream::Cancel).
// 3. Awaiting a task that ends at once does not grow the stack, so a loop
//    around `co_await` may run forever.
// 4. GCC 12 compiles the destruction of suspended coroutines wrongly: keep the
//    result of `co_await` in a variable before testing it. No `co_await` in a
//    condition, a `?:` or an argument.
// 5. A lambda that is a coroutine must outlive its run.
#ifndef CARME_COMMON_NET_TASK_H_
#define CARME_COMMON_NET_TASK_H_

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace carme::net {

namespace internal {

// A child that ends inside its parent's await_suspend must not resume the
// parent, which is not suspended yet: then `starting` is set. Symmetric
// transfer would need a tail call, which GCC makes only with optimization.
struct TaskPromiseBase {
  struct FinalAwaiter {
    bool await_ready() noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(
        std::coroutine_handle<Promise> task) noexcept {
      TaskPromiseBase& promise = task.promise();
      if (promise.starting || !promise.continuation) {
        return std::noop_coroutine();
      }
      return promise.continuation;
    }
    void await_resume() noexcept {}
  };

  std::suspend_always initial_suspend() noexcept { return {}; }
  FinalAwaiter final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { std::terminate(); }

  std::coroutine_handle<> continuation;
  bool starting = false;
};

template <typename T>
struct TaskPromise : TaskPromiseBase {
  auto get_return_object() {
    return std::coroutine_handle<TaskPromise>::from_promise(*this);
  }
  template <typename U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T Take() { return std::move(*value); }
  std::optional<T> value;
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  auto get_return_object() {
    return std::coroutine_handle<TaskPromise>::from_promise(*this);
  }
  void return_void() noexcept {}
  void Take() noexcept {}
};

}  // namespace internal

template <typename T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task(Handle handle) : handle_(handle) {}  // NOLINT: the compiler's call
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&&) = delete;
  // REQUIRES: not started, or ended.
  ~Task() {
    if (handle_) handle_.destroy();
  }

  struct Awaiter {
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> parent) {
      auto& promise = handle.promise();
      promise.continuation = parent;
      promise.starting = true;
      handle.resume();
      promise.starting = false;
      return !handle.done();
    }
    T await_resume() { return handle.promise().Take(); }
    Handle handle;
  };
  Awaiter operator co_await() && noexcept { return Awaiter{handle_}; }

 private:
  Handle handle_;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_TASK_H_
