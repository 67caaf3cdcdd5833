// What libldap hands over, freed at the end of the scope.
#ifndef CARME_BACKEND_IDENTITY_LDAP_MESSAGE_H_
#define CARME_BACKEND_IDENTITY_LDAP_MESSAGE_H_

#include <ldap.h>

#include <memory>

namespace carme::backend {

struct LdapMessageFreer {
  void operator()(LDAPMessage* message) const { ldap_msgfree(message); }
};
using LdapMessage = std::unique_ptr<LDAPMessage, LdapMessageFreer>;

struct LdapControlFreer {
  void operator()(LDAPControl* control) const { ldap_control_free(control); }
};
using LdapControl = std::unique_ptr<LDAPControl, LdapControlFreer>;

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_MESSAGE_H_
