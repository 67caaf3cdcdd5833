#include "backend/jobs/limit_reason.h"

#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

constexpr char kAskForLess[] = ": stop it and ask for less";

bool Take(std::string_view* text, std::string_view beginning) {
  if (!text->starts_with(beginning)) return false;
  text->remove_prefix(beginning.size());
  return true;
}

bool TakeEnd(std::string_view* text, std::string_view end) {
  if (!text->ends_with(end)) return false;
  text->remove_suffix(end.size());
  return true;
}

struct Resource {
  std::string_view word;
  const char* some;
  const char* minutes;
};

// In the spellings of all the words, with those first that others begin with.
constexpr Resource kResources[] = {
    {"SubmitJobs", "submitted jobs", ""},
    {"SubmitJob", "submitted jobs", ""},
    {"Jobs", "jobs", ""},
    {"WallDuration", "time", ""},
    {"Wall", "time", ""},
    {"Cpu", "CPUs", "CPU minutes"},
    {"CPU", "CPUs", "CPU minutes"},
    {"Memory", "memory", "minutes of memory"},
    {"Mem", "memory", "minutes of memory"},
    {"Node", "nodes", "node minutes"},
    {"GRES", "GPUs", "GPU minutes"},
    {"License", "licences", "licence minutes"},
    {"BB", "burst buffer", "minutes of burst buffer"},
    {"Energy", "energy", "minutes of energy"},
    {"Billing", "billing units", "billing minutes"},
    {"Unknown", "units of a resource", "minutes of a resource"},
};

// A limit as its word says it.
struct Limit {
  std::string owner;  // "your account", "its QOS"
  bool group = false;
  bool least = false;
  const Resource* resource = nullptr;
  bool minutes = false;
  bool running = false;  // of minutes: those that running jobs have reserved
  std::string_view of = {};  // "PerJob", "PerNode", "PerUser", "PerAccount"
};

std::optional<Limit> Parse(std::string_view word) {
  Limit limit;
  if (Take(&word, "Assoc")) {
    limit.owner = "your account";
  } else if (Take(&word, "QOS")) {
    limit.owner = "its QOS";
  } else if (word.ends_with("PerAccount")) {
    limit.owner = "its QOS";
  } else {
    return std::nullopt;
  }
  if (Take(&word, "Grp")) {
    limit.group = true;
  } else if (Take(&word, "Min")) {
    limit.least = true;
  } else if (!Take(&word, "Max")) {
    return std::nullopt;
  }
  for (const Resource& resource : kResources) {
    if (Take(&word, resource.word)) {
      limit.resource = &resource;
      break;
    }
  }
  if (limit.resource == nullptr) return std::nullopt;
  TakeEnd(&word, "Limit");
  if (Take(&word, "RunMinutes")) limit.minutes = limit.running = true;
  if (Take(&word, "Minutes")) limit.minutes = true;
  Take(&word, "NotSatisfied");
  if (word == "PerJob" || word == "PerNode" || word == "PerUser" ||
      word == "PerAccount") {
    limit.of = word;
  } else if (!word.empty()) {
    return std::nullopt;
  }
  return limit;
}

std::string Sentence(const Limit& limit) {
  const std::string what =
      limit.minutes ? limit.resource->minutes : limit.resource->some;
  if (limit.least) {
    return absl::StrCat(limit.owner, " demands more ", what,
                        " than it asks for: stop it and ask for more");
  }
  if (limit.group && limit.running) {
    return absl::StrCat("the running jobs of all who share ", limit.owner,
                        " have reserved all its ", what,
                        ": it starts when some of them end");
  }
  if (limit.group && (limit.minutes || what == "time")) {
    return absl::StrCat("the ", what, " that ", limit.owner,
                        " has are used up: an administrator can give more");
  }
  if (limit.group) {
    return absl::StrCat("all who share ", limit.owner, " use the most ", what,
                        " it may have at once: it starts when jobs of them "
                        "end");
  }
  if (limit.of == "PerUser" || limit.of.empty()) {
    return absl::StrCat("you use the most ", what, " that ", limit.owner,
                        " gives one person: it starts when another of your "
                        "jobs ends");
  }
  if (limit.of == "PerAccount") {
    return absl::StrCat("your account uses the most ", what,
                        " that its QOS gives one account: it starts when "
                        "another job of the account ends");
  }
  const char* each = limit.of == "PerNode" ? " on one node" : " to one job";
  return absl::StrCat("it asks for more ", what, " than ", limit.owner,
                      " gives", each, kAskForLess);
}

}  // namespace

std::optional<std::string> LimitReason(std::string_view word) {
  const std::optional<Limit> limit = Parse(word);
  if (!limit.has_value()) return std::nullopt;
  const absl::string_view plain(word.data(), word.size());
  return absl::StrCat(Sentence(*limit), " (", plain, ")");
}

}  // namespace carme::backend
