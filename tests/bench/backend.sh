# What the benchmarks of the backend share, on the head of a private cluster: a
# backend as it is installed, with its state on a disk.

# bench_backend_install DIR: certificates, state and configuration in DIR.
# $bench_agents, where it is set, is the address for agents.
bench_backend_install() {
  local dir=$1 file
  mkdir -p "$dir"
  chmod 755 "$(dirname "$dir")" "$dir"
  authority_create "$dir/pki"
  certificate_issue "$dir/pki" backend DNS:carme-backend
  certificate_issue "$dir/pki" frontend URI:carme://frontend/dmz
  install -d -o carme -g carme -m 700 "$dir/state"
  for file in backend.pem backend.key ca.pem; do
    install -o carme -m 600 "$dir/pki/$file" "$dir/state/$file"
  done
  install -o carme -m 600 "$CARME_LDAP_BIND_PASSWORD_FILE" \
    "$dir/state/bind-password"
  cat > "$dir/backend.toml" <<END
[listen]
clients = "127.0.0.1:9443"
agents = "${bench_agents:-127.0.0.1:9444}"
[tls]
certificate = "$dir/state/backend.pem"
key = "$dir/state/backend.key"
client_ca = "$dir/state/ca.pem"
[state]
directory = "$dir/state"
[impersonator]
socket = "$dir/run/socket"
[portal]
url = "https://carme.localhost"
jobs_domain = "jobs.carme-apps.localhost"
[ldap]
url = "$CARME_LDAP_URL"
ca_file = "$CARME_LDAP_CA"
bind_dn = "$CARME_LDAP_BIND_DN"
bind_password_file = "$dir/state/bind-password"
user_base = "ou=people,$CARME_LDAP_BASE"
user_filter = "(&(objectClass=posixAccount)(uid=%s))"
group_base = "ou=groups,$CARME_LDAP_BASE"
group_filter = "(&(objectClass=posixGroup)(memberUid=%s))"
allowed_group = "carme-users"
[[apps]]
id = "none"
name = "None"
command = ["/usr/bin/true", "{socket}"]
ready_path = "/"
END
}

# bench_backend_start DIR: in the background; its pid is in $backend.
bench_backend_start() {
  setpriv --reuid carme --regid carme --init-groups \
    "$CARME_BENCH_PREFIX/sbin/carme-backend" --config "$1/backend.toml" \
    2> "$1/backend.log" &
  backend=$!
  wait_for 10 port_open 127.0.0.1 9443 || {
    cat "$1/backend.log" >&2
    return 1
  }
}

# bench_people COUNT: as many people more in the directory, person1 and so on,
# with passwords hashed as sites hash them; $bench_password is theirs.
bench_people() {
  local hash i
  bench_password=$(head -c 15 /dev/urandom | base64)
  hash=$(openssl passwd -6 -stdin <<< "$bench_password")
  "$CARME_CLUSTER_SERVICE" slapd stop
  {
    for i in $(seq "$1"); do
      cat <<END
dn: uid=person$i,ou=people,$CARME_LDAP_BASE
changetype: add
objectClass: inetOrgPerson
objectClass: posixAccount
cn: person $i
sn: $i
uid: person$i
uidNumber: $((40000 + i))
gidNumber: $((40000 + i))
homeDirectory: /home/person$i
userPassword: {CRYPT}$hash

END
    done
    echo "dn: cn=carme-users,ou=groups,$CARME_LDAP_BASE"
    echo 'changetype: modify'
    echo 'add: memberUid'
    for i in $(seq "$1"); do echo "memberUid: person$i"; done
  } | slapmodify -q -f /etc/ldap/slapd.conf
  "$CARME_CLUSTER_SERVICE" slapd start
}

# bench_homes COUNT: the homes of that many of them.
bench_homes() {
  local i
  for i in $(seq "$1"); do
    install -d -m 700 -o "$((40000 + i))" -g "$((40000 + i))" "/home/person$i"
  done
}

# bench_impersonator_start DIR: in the background; its pid is in $impersonator.
# Rate limits are off. $bench_agent, where it is set, is what
# jobs run, with DIR/agent.toml.
bench_impersonator_start() {
  cat > "$1/impersonator.toml" <<END
socket = "$1/run/socket"
peer_user = "carme"
agent = "${bench_agent:-/usr/bin/true}"
agent_config = "$1/agent.toml"
allowed_group = "carme-users"
operations_per_minute = 100000
END
  "$CARME_BENCH_PREFIX/sbin/carme-impersonator" \
    --config "$1/impersonator.toml" 2> "$1/impersonator.log" &
  impersonator=$!
  wait_for 10 test -S "$1/run/socket" || {
    cat "$1/impersonator.log" >&2
    return 1
  }
}
