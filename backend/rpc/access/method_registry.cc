#include "backend/rpc/access/method_registry.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor_database.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/identity/session/token_scopes.h"

namespace carme::backend {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FileDescriptor;
using google::protobuf::MethodDescriptor;

constexpr char kPackage[] = "carme.v1";

template <typename Visitor>
void ForEachRpc(const std::vector<const FileDescriptor*>& files,
                const Visitor& visit) {
  for (const FileDescriptor* file : files) {
    for (int i = 0; i < file->service_count(); ++i) {
      for (int j = 0; j < file->service(i)->method_count(); ++j) {
        visit(*file->service(i)->method(j));
      }
    }
  }
}

// Rpcs for support must be reads, which their names show.
bool IsReading(const std::string& name) {
  for (const char* verb : {"Get", "List", "Watch", "Export", "Verify"}) {
    if (absl::StartsWith(name, verb)) return true;
  }
  return false;
}

std::string FaultOfScope(const v1::Access& access) {
  if (access.any_scope()) {
    if (!access.scope().empty()) return "has both a scope and any_scope";
    if (access.caller() != v1::CALLER_USER || access.browser() ||
        access.requires_reauthentication()) {
      return "has any_scope: expected caller USER, browser: false, and no "
             "reauthentication";
    }
  }
  if (access.scope().empty()) {
    return access.other_scopes().empty() ? "" : "has other scopes but no scope";
  }
  std::vector<std::string> scopes(access.other_scopes().begin(),
                                  access.other_scopes().end());
  scopes.push_back(access.scope());
  for (const std::string& scope : scopes) {
    if (FindScope(scope) == nullptr) {
      return absl::StrCat("has scope \"", scope,
                          "\": expected one of token_scopes.h");
    }
  }
  if (access.caller() != v1::CALLER_USER &&
      access.caller() != v1::CALLER_SUPPORT &&
      access.caller() != v1::CALLER_MANAGER &&
      access.caller() != v1::CALLER_ADMIN) {
    return "has a scope, but is for no person";
  }
  return "";
}

std::string FaultOfFactor(const v1::Access& access) {
  if (!access.requires_reauthentication()) return "";
  if (access.caller() != v1::CALLER_USER &&
      access.caller() != v1::CALLER_ADMIN) {
    return "requires reauthentication: expected caller USER or ADMIN";
  }
  return "";
}

// An access token cannot reauthenticate. The rpc must state whether the
// reauthentication at the token's creation is sufficient.
std::string FaultOfToken(const v1::Access& access) {
  const bool has_scope = !access.scope().empty();
  const bool stated = access.reauthentication_at_token_creation();
  if (access.requires_reauthentication() && has_scope && !stated) {
    return "requires reauthentication and has a scope: expected "
           "reauthentication_at_token_creation";
  }
  if (stated && !(access.requires_reauthentication() && has_scope)) {
    return "has reauthentication_at_token_creation: expected "
           "requires_reauthentication and a "
           "scope";
  }
  return "";
}

std::string FaultOfCaller(const v1::Access& access, const std::string& name) {
  switch (access.caller()) {
    case v1::CALLER_PUBLIC:
    case v1::CALLER_USER:
    case v1::CALLER_MANAGER:
    case v1::CALLER_ADMIN:
      return "";
    case v1::CALLER_SUPPORT:
      return IsReading(name) ? "" : "is for support and does not read";
    case v1::CALLER_PROXY:
    case v1::CALLER_AGENT:
    case v1::CALLER_BACKEND:
    case v1::CALLER_JOB:
    case v1::CALLER_METRICS:
      return access.browser() ? "is not for browsers: expected browser: false"
                              : "";
    default:
      return "has no caller in its access option";
  }
}

std::string FaultOf(const MethodDescriptor& rpc) {
  if (!rpc.options().HasExtension(v1::access)) return "has no access option";
  const v1::Access& access = rpc.options().GetExtension(v1::access);
  for (std::string fault :
       {FaultOfCaller(access, rpc.name()), FaultOfScope(access),
        FaultOfFactor(access), FaultOfToken(access)}) {
    if (!fault.empty()) return fault;
  }
  return "";
}

}  // namespace

std::vector<const FileDescriptor*> RegisteredProtoFiles() {
  // The generated pool cannot list its files, but its database can.
  std::vector<std::string> names;
  DescriptorPool::internal_generated_database()->FindAllFileNames(&names);
  std::vector<const FileDescriptor*> files;
  for (const std::string& name : names) {
    const FileDescriptor* file =
        DescriptorPool::generated_pool()->FindFileByName(name);
    if (file != nullptr && file->package() == kPackage) files.push_back(file);
  }
  return files;
}

absl::Status CheckMethodRegistry(
    const std::vector<const FileDescriptor*>& files) {
  std::vector<std::string> faults;
  int rpcs = 0;
  ForEachRpc(files, [&](const MethodDescriptor& rpc) {
    ++rpcs;
    const std::string fault = FaultOf(rpc);
    if (!fault.empty()) {
      faults.push_back(absl::StrCat("rpc ", rpc.full_name(), " ", fault));
    }
  });
  if (rpcs == 0) faults.push_back("the contract has no rpc");
  if (faults.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrJoin(faults, "\n"));
}

AccessTable ReadAccessTable(const std::vector<const FileDescriptor*>& files) {
  AccessTable table;
  ForEachRpc(files, [&](const MethodDescriptor& rpc) {
    if (!FaultOf(rpc).empty()) return;
    table[absl::StrCat("/", rpc.service()->full_name(), "/", rpc.name())] =
        rpc.options().GetExtension(v1::access);
  });
  return table;
}

}  // namespace carme::backend
