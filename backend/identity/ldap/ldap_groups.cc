#include "backend/identity/ldap/ldap_groups.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/ldap/active_directory.h"
#include "backend/identity/ldap/ldap_connection.h"
#include "backend/identity/ldap/ldap_name.h"
#include "backend/identity/ldap/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// LDAP_MATCHING_RULE_IN_CHAIN ([MS-ADTS] 3.1.1.3.4.4.3).
constexpr char kInChainFilter[] = "(member:1.2.840.113556.1.4.1941:=%d)";
constexpr char kMemberFilter[] = "(member=%d)(uniqueMember=%d)";
constexpr size_t kMaxNamesInAFilter = 50;

// Where groups can be: below the base; and configured groups elsewhere.
struct Place {
  std::string dn;
  LdapScope scope;
};

std::string First(const LdapEntry& entry, const std::string& attribute,
                  const std::string& otherwise) {
  const auto found = entry.values.find(attribute);
  return found == entry.values.end() || found->second.empty()
             ? otherwise
             : found->second.front();
}

class GroupSearch {
 public:
  GroupSearch(LdapConnection& connection, const LdapConfig& config)
      : connection_(connection),
        base_(CanonicalDn(config.group_base).value_or("")) {
    if (!config.group_base.empty()) {
      places_.push_back({config.group_base, LdapScope::kSubtree});
    }
    for (const std::string& group : config.Groups()) {
      const auto dn = CanonicalDn(group);
      if (dn && !IsBelow(*dn, base_)) {
        places_.push_back({group, LdapScope::kBase});
      }
    }
  }

  // Every group that `filter` finds.
  absl::Status AddFound(const std::string& filter) {
    for (const Place& place : places_) {
      ASSIGN_OR_RETURN(const std::vector<LdapEntry> entries,
                       connection_.Search(place.dn, place.scope, filter, {"cn"},
                                          kMaxLdapGroups));
      for (const LdapEntry& entry : entries) {
        RETURN_IF_ERROR(Add(entry.dn, First(entry, "cn", "")));
      }
    }
    return absl::OkStatus();
  }

  // A group that the person's own entry names.
  absl::Status AddNamed(const std::string& dn) {
    return Add(dn, LeadingCn(dn));
  }

  // The groups of the person and of their primary group, which has no members
  // by name ([MS-ADTS] 3.1.1.4.5.17); that group itself wherever it is.
  absl::Status AddInChain(const LdapEntry& user) {
    const std::string sid = PrimaryGroupSid(First(user, "objectsid", ""),
                                            First(user, "primarygroupid", ""))
                                .value_or(kNullSid);
    ASSIGN_OR_RETURN(
        const std::vector<LdapEntry> primary,
        connection_.Search(absl::StrCat("<SID=", sid, ">"), LdapScope::kBase,
                           "(objectClass=group)", {"cn"}, 1));
    std::string filter = FillFilter(kInChainFilter, {{'d', user.dn}});
    if (!primary.empty()) {
      const LdapEntry& group = primary.front();
      RETURN_IF_ERROR(Add(group.dn, First(group, "cn", "")));
      absl::StrAppend(&filter, FillFilter(kInChainFilter, {{'d', group.dn}}));
    }
    return AddFound(absl::StrCat("(|", filter, ")"));
  }

  // The groups that contain the groups found so far, recursively.
  absl::Status Walk() {
    for (int level = 0; level < kMaxLdapGroupLevels && !fresh_.empty();
         ++level) {
      const std::vector<std::string> members = std::exchange(fresh_, {});
      for (size_t i = 0; i < members.size(); i += kMaxNamesInAFilter) {
        std::string filter;
        const size_t end = std::min(members.size(), i + kMaxNamesInAFilter);
        for (size_t member = i; member < end; ++member) {
          filter += FillFilter(kMemberFilter, {{'d', members[member]}});
        }
        RETURN_IF_ERROR(AddFound(absl::StrCat("(|", filter, ")")));
      }
    }
    return absl::OkStatus();
  }

  std::vector<LdapGroup> Take() { return std::move(groups_); }

 private:
  absl::Status Add(const std::string& dn, const std::string& name) {
    const auto canonical = CanonicalDn(dn);
    if (!canonical || !seen_.insert(*canonical).second) return absl::OkStatus();
    if (groups_.size() == kMaxLdapGroups) {
      return MakeError(ldap_messages::kTooManyGroups,
                       {{"max", kMaxLdapGroups}});
    }
    groups_.push_back({*canonical, IsBelow(*canonical, base_) ? name : ""});
    fresh_.push_back(dn);
    return absl::OkStatus();
  }

  LdapConnection& connection_;
  const std::string base_;  // canonical
  std::vector<Place> places_;
  std::set<std::string> seen_;
  std::vector<LdapGroup> groups_;
  std::vector<std::string> fresh_;  // DNs whose own groups are not known yet
};

}  // namespace

absl::StatusOr<std::vector<LdapGroup>> FindLdapGroups(
    LdapConnection& connection, const LdapConfig& config, const LdapEntry& user,
    const std::string& username) {
  GroupSearch search(connection, config);
  if (!config.group_filter.empty()) {
    const std::string gid = First(user, "gidnumber", "none");
    RETURN_IF_ERROR(search.AddFound(FillFilter(
        config.group_filter, {{'s', username}, {'d', user.dn}, {'g', gid}})));
  }
  const auto named = user.values.find("memberof");
  if (config.member_of && named != user.values.end()) {
    for (const std::string& dn : named->second) {
      RETURN_IF_ERROR(search.AddNamed(dn));
    }
  }
  if (config.nested_groups == NestedGroups::kWalk) {
    RETURN_IF_ERROR(search.Walk());
  } else if (config.nested_groups == NestedGroups::kInChain) {
    RETURN_IF_ERROR(search.AddInChain(user));
  }
  return search.Take();
}

absl::StatusOr<std::string> FindLdapGroup(LdapConnection& connection,
                                          const LdapConfig& config,
                                          std::string_view name) {
  if (config.group_base.empty() || name.empty()) return std::string();
  ASSIGN_OR_RETURN(
      const std::vector<LdapEntry> entries,
      connection.Search(config.group_base, LdapScope::kSubtree,
                        absl::StrCat("(&", FillFilter("(cn=%n)", {{'n', name}}),
                                     kLdapGroupFilter, ")"),
                        {"cn"}, kMaxLdapGroups));
  return entries.empty() ? std::string() : First(entries.front(), "cn", "");
}

bool IsAmong(const std::vector<LdapGroup>& groups, const std::string& wanted) {
  if (wanted == "*") return true;
  if (wanted.empty()) return false;
  const auto dn = CanonicalDn(wanted);
  return std::any_of(groups.begin(), groups.end(), [&](const LdapGroup& group) {
    return dn ? group.dn == *dn
              : !group.name.empty() &&
                    absl::EqualsIgnoreCase(group.name, wanted);
  });
}

}  // namespace carme::backend
