# The files that the hosts share: /etc, the home directories, the initial
# content of the slapd database. It is a tmpfs which only the cluster's
# processes can see.

# tree_create DIR
tree_create() {
  local tree=$1/tree
  mount -t tmpfs -o mode=755,size=4g none "$tree"
  mkdir -p "$tree"/{home,ready,ldap,secret}
  chmod 700 "$tree/secret"
  cp -a /etc "$tree/etc"
  etc_create "$1" "$tree/etc"
  environments_configure "$tree"
  ldap_create "$1" "$tree"
  homes_create "$1/users" "$tree/home"
}

# template FILE [NAME=VALUE…]: the file with each @NAME@ replaced.
template() {
  local text pair
  text=$(cat "$here/$1")
  shift
  for pair in "$@"; do text=${text//"@${pair%%=*}@"/${pair#*=}}; done
  printf '%s\n' "$text"
}

# etc_create DIR ETC: what differs from the machine's own /etc.
etc_create() {
  local dir=$1 etc=$2 name
  sed -i 's/^passwd:.*/passwd: files ldap/; s/^group:.*/group: files ldap/
    s/^hosts:.*/hosts: files/' "$etc/nsswitch.conf"
  printf '%s\n' '127.0.0.1 localhost' '10.77.0.1 head' '10.77.0.2 dmz' \
    '10.77.0.11 n1' '10.77.0.12 n2' '10.77.0.1 carme-backend' \
    '10.77.0.3 backup' > "$etc/hosts"
  # No name server. Apptainer needs the file to build images.
  rm -f "$etc/resolv.conf"
  : > "$etc/resolv.conf"
  rm -rf "$etc/slurm" "$etc/carme" "$etc/krb5.keytab"
  add_system_user "$etc" carme 64101
  add_system_user "$etc" carme-frontend 64102
  add_system_user "$etc" carme-proxy 64103
  add_system_user "$etc" carme-mail 64104
  add_system_user "$etc" carme-metrics 64105
  add_system_user "$etc" carme-tsdb 64106

  mkdir -p "$etc"/{slurm,carme,carme-site,munge}
  install -m 644 "$dir/pki/ca.pem" "$etc/carme-site/ca.pem"
  slurm_configure "$etc/slurm"
  head -c 1024 /dev/urandom > "$etc/munge/munge.key"
  chmod 400 "$etc/munge/munge.key"
  chown -R munge:munge "$etc/munge"
  chmod 700 "$etc/munge"
}

# add_system_user ETC NAME ID: as `adduser --system --group` would.
add_system_user() {
  grep -q "^$2:" "$1/passwd" ||
    echo "$2:x:$3:$3:Carme:/nonexistent:/usr/sbin/nologin" >> "$1/passwd"
  grep -q "^$2:" "$1/group" || echo "$2:x:$3:" >> "$1/group"
}

# slurm_configure DIR
slurm_configure() {
  local hooks=/opt/carme/libexec/carme memory
  # a node declares 4000 MiB, or half of the memory of a smaller machine
  memory=$(awk '/^MemTotal/ { m = int($2 / 2048); print m < 4000 ? m : 4000 }' \
    /proc/meminfo)
  [ -x "${CARME_CLUSTER_PREFIX:-/nonexistent}/libexec/carme/prolog" ] ||
    hooks=
  template slurm.conf.in CPUS="$(nproc)" MEMORY="$memory" \
    HOOKS="${hooks:+Prolog=$hooks/prolog
Epilog=$hooks/epilog}" > "$1/slurm.conf"
  ! accounting_wanted || accounting_configure "$(dirname "$1")"
  plugins_configure "$1"
  cp "$here"/{gres,mpi}.conf "$1"
  template cgroup.conf.in PLUGIN="cgroup/$(cgroups_version)" \
    > "$1/cgroup.conf"
  [ "$(cgroups_version)" = v1 ] || echo IgnoreSystemd=yes >> "$1/cgroup.conf"
}

# plugins_configure DIR: `srun --environment`, if Carme is installed with it. A
# site writes the same line; with `optional`, Slurm would ignore a refusal of
# the plugin.
plugins_configure() {
  local plugin=lib/carme/spank_carme_env.so
  [ ! -e "${CARME_CLUSTER_PREFIX:-/nonexistent}/$plugin" ] ||
    echo "required /opt/carme/$plugin /opt/carme/bin/carme" \
      /opt/carme/libexec/carme/carme-env-mount > "$1/plugstack.conf"
}

# environments_configure TREE: where nodes find images, and `base` for all where
# the base image is shown or is being built. Tests put images of their own into the first folder.
environments_configure() {
  local tree=$1 path host images='"/etc/carme-site/images"' store=
  mkdir -p "$tree"/{carme/n1,carme/n2,etc/carme-site/images,etc/edf}
  for path in ${CARME_CLUSTER_SHOW//:/ }; do
    [ -e "$path/base.sif" ] || [ -e "$path/base.status" ] || continue
    images+=", \"$path\""
    store+="[[store]]
id = \"base:1\"
path = \"$path/base.sif\"
"
    printf '# The image with JupyterLab, compilers and MPI.\nimage = "%s"\n' \
      "$path/base.sif" > "$tree/etc/edf/base.toml"
  done
  for host in n1 n2; do
    # no machine of the tests has a GPU or its driver
    printf 'images = [%s]\ndevices = ["/dev/carmegpu*"]\n%s\n%s' "$images" \
      'nvidia_driver = ["/etc/carme-site/driver/*"]' "$store" \
      > "$tree/carme/$host/environment.toml"
  done
}

# ldap_create DIR TREE: slapd's configuration and database, nslcd's.
ldap_create() {
  local dir=$1 tree=$2 nslcd_password carme_password
  nslcd_password=$(random_password)
  carme_password=$(random_password)
  printf %s "$carme_password" > "$tree/secret/bind-password"
  template nslcd.conf.in BASE="$LDAP_BASE" PASSWORD="$nslcd_password" \
    > "$tree/etc/nslcd.conf"
  chmod 600 "$tree/etc/nslcd.conf"
  template slapd.conf.in BASE="$LDAP_BASE" > "$tree/etc/ldap/slapd.conf"
  install -D -m 400 -o openldap "$dir/pki/ldap.pem" \
    "$tree/etc/ldap/tls/ldap.pem"
  install -m 400 -o openldap "$dir/pki/ldap.key" "$tree/etc/ldap/tls/ldap.key"
  {
    template directory.ldif.in BASE="$LDAP_BASE" \
      CARME="$(ldap_hash "$carme_password")" \
      NSLCD="$(ldap_hash "$nslcd_password")"
    users_ldif "$dir/users"
  } > "$tree/secret/directory.ldif"
}

ldap_hash() { slappasswd -n -T <(printf %s "$1"); }

users_ldif() {
  local name uid role password
  while read -r name uid role password; do
    template user.ldif.in BASE="$LDAP_BASE" NAME="$name" TITLE="${name^}" \
      UID="$uid" PASSWORD="$(ldap_hash "$password")"
  done < "$1"
  awk -v base="$LDAP_BASE" '
    function group(name, gid, members) {
      printf "\ndn: cn=%s,ou=groups,%s\nobjectClass: posixGroup\n", name, base
      printf "cn: %s\ngidNumber: %s\n%s", name, gid, members
    }
    $3 != "outsider" { users = users "memberUid: " $1 "\n" }
    $3 == "admin" { admins = admins "memberUid: " $1 "\n" }
    $3 == "support" { support = support "memberUid: " $1 "\n" }
    $3 == "manager" { managers = managers "memberUid: " $1 "\n" }
    END {
      group("carme-users", 20100, users)
      group("carme-admins", 20101, admins)
      group("carme-support", 20102, support)
      group("carme-managers", 20103, managers)
    }' "$1"
}

homes_create() {
  local name uid role
  while read -r name uid role _; do
    install -d -m 700 -o "$uid" -g "$uid" "$2/$name"
    [ "$role" != service ] || shared_images_create "$2/$name" "$uid"
  done < "$1"
}

# shared_images_create HOME UID: the directory for shared images, as
# docs/admin/images.md describes how an administrator makes it.
shared_images_create() {
  chmod 711 "$1"
  install -d -m 711 -o "$2" -g "$2" "$1/shared" "$1/shared/store"
  install -d -m 1733 -o "$2" -g "$2" "$1/shared/incoming"
}
