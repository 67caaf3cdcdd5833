// Conversion of roles to Protocol Buffers.
#ifndef CARME_BACKEND_IDENTITY_ROLE_PROTO_H_
#define CARME_BACKEND_IDENTITY_ROLE_PROTO_H_

#include "backend/identity/role.h"
#include "carme/v1/auth.pb.h"

namespace carme::backend {

constexpr v1::Role ToProto(Role role) {
  switch (role) {
    case Role::kManager:
      return v1::ROLE_MANAGER;
    case Role::kSupport:
      return v1::ROLE_SUPPORT;
    case Role::kAdmin:
      return v1::ROLE_ADMIN;
    case Role::kUser:
      break;
  }
  return v1::ROLE_USER;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_ROLE_PROTO_H_
