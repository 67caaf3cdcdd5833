# The users in the directory, one line each: name uid role password.
# role: user, manager, support or admin; outsider: may use the cluster but not
# Carme; service: the account of the directory for shared images.

LDAP_BASE=dc=carme,dc=test

users_create() {
  local name
  for name in ada:20001:user bob:20002:user carol:20003:admin \
    eve:20004:outsider dave:20005:support fay:20006:manager \
    carme-images:20090:service; do
    echo "${name//:/ } $(random_password)"
  done
}

random_password() { head -c 15 /dev/urandom | base64 | tr '+/' 'xy'; }

# cluster_users DIR: "name:uid:password …" of the users of Carme.
cluster_users() {
  awk '$3 != "outsider" && $3 != "service" { printf "%s%s:%s:%s", sep, $1, $2, $4; sep = " " }' \
    "$1/users"
}

cluster_outsider() {
  awk '$3 == "outsider" { printf "%s:%s:%s", $1, $2, $4 }' "$1/users"
}
