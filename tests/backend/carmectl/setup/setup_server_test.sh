#!/usr/bin/env bash
# carmectl setup against a real directory, name service, MUNGE and Slurm, from a
# file and on a terminal. The real programs check what it writes.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../../deploy/expect.sh"
PATH=$CARME_PROGRAM_PATH$PATH:/usr/sbin:/sbin
dir=$(mktemp -d /root/carme-setup-test.XXXXXX)
trap 'rm -rf "$dir"' EXIT
password=$(cat "$CARME_LDAP_BIND_PASSWORD_FILE")
umask 022
install -m 600 "$CARME_LDAP_BIND_PASSWORD_FILE" "$dir/password"

# write_answers [TABLE-OF-SED…]: site.toml without a fault, then edited.
write_answers() {
  cat > "$dir/site.toml" <<EOT
[portal]
host = "carme.site.invalid"
jobs_domain = "jobs.other.invalid"
[hosts]
backend = "head"
backend_address = "10.77.0.1"
dmz = ["10.77.0.2"]
nodes = ["10.77.0.11", "10.77.0.12"]
[directory]
url = "$CARME_LDAP_URL"
ca_file = "$CARME_LDAP_CA"
bind_dn = "$CARME_LDAP_BIND_DN"
bind_password_file = "$dir/password"
user_base = "ou=people,$CARME_LDAP_BASE"
group_base = "ou=groups,$CARME_LDAP_BASE"
allowed_group = "carme-users"
admin_group = "carme-admins"
test_user = "ada"
[slurm]
allowed_addresses = ["10.77.0.1"]
EOT
  [ $# = 0 ] || sed -i "$@" "$dir/site.toml"
}

setup() {
  "$CARME_CARMECTL" setup --directory "$dir/site" --root "$dir/root" "$@"
}

# remains: temporary directories of a run.
remains() {
  find "$dir" /run -maxdepth 1 \( -name 'site.??????' -o \
    -name 'carme-setup.??????' \)
}

# refuses TEXT OPTION…: setup fails with the text, and nothing is written.
refuses() {
  local text=$1 output
  shift
  output=$(setup "$@" 2>&1) && return 1
  echo "$output"
  [[ $output == *"$text"* && $output != */run/carme-setup.* ]] &&
    [ ! -e "$dir/site" ] &&
    [ -z "$(ls -A "$dir/root")" ] && [ -z "$(remains)" ]
}

# wrong SENTENCE TEXT SED
wrong() {
  write_answers -e "$3"
  expect "$1" refuses "$2" --answers "$dir/site.toml"
}

mkdir "$dir/root"
echo wrong > "$dir/wrong"
chmod 600 "$dir/wrong"
wrong 'a wrong LDAP password: nothing is written' "$CARME_LDAP_URL" \
  "s|$dir/password|$dir/wrong|"
wrong 'an unknown LDAP server: nothing is written' 'ldaps://nowhere' \
  "s|$CARME_LDAP_URL|ldaps://nowhere|"
wrong 'an unknown group: nothing is written' carme-none \
  's|carme-admins|carme-none|'
wrong 'an address of another host: nothing is written' 10.77.0.99 \
  's|"10.77.0.1"$|"10.77.0.99"|'
wrong 'an unknown key: is named with its line' 'site.toml:2' \
  's|^host = .*|hosts = "x"|'
wrong 'a slurm.conf that does not exist: nothing is written' slurmctld \
  's|^\[slurm\]|&\nconf = "/etc/slurm/none.conf"|'
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
  -subj /CN=beta -keyout "$dir/cluster.key" -out "$dir/cluster.pem" 2> /dev/null
further='[cluster]\nname = "beta"\nidentity_backend = "head:9"'
further+='\nidentity_ca = "'$CARME_LDAP_CA'"'
further+='\nidentity_certificate = "'$dir/cluster.pem'"'
further+='\nidentity_key = "'$dir/cluster.key'"'
further+='\nissuer_key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"'
wrong 'an identity backend that cannot be reached: nothing is written' head:9 \
  "s|^\[slurm\]|$further\n&|"
write_answers
chmod 644 "$dir/password"
expect 'a password that others can read: nothing is written' \
  refuses 'mode 644' --answers "$dir/site.toml"
chmod 600 "$dir/password"
refuse 'no terminal and no file: is an error' setup < /dev/null

check_writes_nothing() {
  setup --answers "$dir/site.toml" --check && [ ! -e "$dir/site" ]
}
expect '--check: tries all answers and writes nothing' check_writes_nothing

write_answers -e "s|$CARME_LDAP_URL|ldaps://nowhere|"
expect '--offline: does not try the answers' \
  setup --answers "$dir/site.toml" --offline --check
write_answers

# A full disk: each size stops the run at another place.
full_disk() {
  local size output
  mkdir -p "$dir/small"
  for size in 24k 64k 160k; do
    mount -t tmpfs -o "size=$size,mode=700" none "$dir/small" || return 1
    output=$("$CARME_CARMECTL" setup --answers "$dir/site.toml" --stage-only \
      --directory "$dir/small/site" 2>&1)
    local status=$? left
    left=$(ls -A "$dir/small")
    umount "$dir/small"
    [ "$status" = 1 ] && [ -z "$left" ] || {
      echo "$size: exit code $status, left: $left: $output"
      return 1
    }
  done
}
expect 'a full disk: nothing half written is left' full_disk

expect 'a file of answers: writes the files of all hosts' \
  setup --answers "$dir/site.toml"
no_password_outside() {
  ! grep -rlF -e "$password" "$dir/site/answers.toml" "$dir/site/dmz" \
    "$dir/site/node" "$dir/site/slurm.txt"
}
expect 'the password is not among the answers' no_password_outside
modes() {
  local found
  found=$(cd "$dir/root/etc/carme" && stat -c '%a %U %n' backend.key \
    ldap-password backend.toml && stat -c '%a %U %n' "$dir/site")
  echo "$found"
  [ "$found" = "400 carme backend.key
400 carme ldap-password
644 root backend.toml
700 root $dir/site" ]
}
expect 'keys belong to their program, with mode 0400' modes

# accepted PROGRAM FILE: with the paths of the installed files.
accepted() {
  local host=head copy=$dir/check
  case $1 in
    carme-proxy | carme-frontend) host=dmz ;;
    carme-agent) host=node ;;
  esac
  rm -rf "$copy"
  cp -r "$dir/site/$host/etc/carme" "$copy"
  # the certificate for browsers was not given
  [ "$host" != dmz ] || cp "$copy/proxy.pem" "$copy/public.pem"
  [ "$host" != dmz ] || cp "$copy/proxy.key" "$copy/public.key"
  sed -i "s|\"/etc/carme/|\"$copy/|" "$copy"/*.toml
  ! grep -q '^configured' "$copy/$2.toml" &&
    "$1" --config "$copy/$2.toml" --check-config
}
for program in backend impersonator storage-reader frontend proxy agent; do
  expect "carme-$program accepts its configuration" \
    accepted "carme-$program" "$program"
done
rules_load() {
  unshare -n sh -c 'nft -f "$1" && nft -f "$1"' - \
    "$dir/site/$1/etc/carme/firewall.nft"
}
expect 'nft accepts the rules of the head' rules_load head
expect 'nft accepts the rules of a node' rules_load node
extracts() {
  rm -rf "$dir/extracted"
  mkdir "$dir/extracted"
  tar -C "$dir/extracted" --backup=numbered -xpf "$dir/site/head.tar" &&
    diff -r "$dir/extracted" "$dir/site/head" &&
    [ "$(stat -c '%a %U' "$dir/extracted/etc/carme/backend.key")" = '400 carme' ]
}
expect 'tar extracts the files with owners and modes' extracts
doctor_agrees() {
  "$CARME_CARMECTL" doctor --config-dir "$dir/check-head" --host-role backend \
    --only directory --only slurm --only certificates
}
cp -r "$dir/site/head/etc/carme" "$dir/check-head"
sed -i "s|\"/etc/carme/|\"$dir/check-head/|" "$dir/check-head"/*.toml
expect 'doctor finds nothing wrong with the result' doctor_agrees

cp -a "$dir/site" "$dir/first"
same_again() {
  setup --answers "$dir/site/answers.toml" &&
    diff -r "$dir/first/head" "$dir/site/head" &&
    diff -r "$dir/first/pki" "$dir/site/pki"
}
expect 'the stored answers give the same files again' same_again
echo '# edited' >> "$dir/root/etc/carme/backend.toml"
refuse 'an edited file is not replaced' setup --answers "$dir/site.toml"
expect '--replace replaces it' setup --answers "$dir/site.toml" --replace
copy_is_kept() { grep -q '^# edited' "$dir/root/etc/carme/backend.toml.old-"*; }
expect '--replace keeps a copy' copy_is_kept
mv "$dir/site/pki" "$dir/pki"
refuse 'without the authority of the first run: is an error' \
  setup --answers "$dir/site.toml"

# A further cluster; the first run's authority plays the identity backend's.
rm -rf "$dir/site" "$dir/root" "$dir/identity"
mkdir "$dir/root"
"$CARME_CARMECTL" pki issue "$dir/pki" cluster beta --out "$dir/identity" \
  > /dev/null
further_cluster() {
  write_answers -e "s|^\[slurm\]|$further\n&|" \
    -e "s|$dir/cluster\.|$dir/identity.|"
  setup --answers "$dir/site.toml" --offline &&
    [ -e "$dir/site/portal.tar" ] && grep -q '^name = "beta"' \
    "$dir/site/portal.txt" && [ ! -e "$dir/site/dmz/etc/carme/frontend.toml" ]
}
expect 'a further cluster: writes its files and the lines of the portal' \
  further_cluster
for program in backend proxy; do
  expect "carme-$program accepts the configuration of a further cluster" \
    accepted "carme-$program" "$program"
done

# On a terminal, first stopped and then to the end.
rm -rf "$dir/site" "$dir/root"
mkdir "$dir/root"
conversation() {
  cat > "$dir/script"
  "$here/converse.py" "$dir/script" "$CARME_CARMECTL" setup \
    --directory "$dir/site" --root "$dir/root" > "$dir/shown"
  local status=$?
  cat "$dir/shown"
  return "$status"
}
stopped() {
  printf '%s\n' 'Host name of the portal' carme.site.invalid \
    'Domain of the jobs' '^C' | conversation
  [ $? = 1 ] && [ ! -e "$dir/site" ] && grep -q 'nothing was written' \
    "$dir/shown"
}
expect 'Ctrl-C: stops and writes nothing' stopped

interactive() {
  conversation <<EOT
Host name of the portal
carme.site.invalid
Domain of the jobs
not a name
Domain of the jobs
jobs.other.invalid
Certificate for browsers
-
continue with this
c
Name or address of this host
head
IP address on which
10.77.0.1
IP addresses of the DMZ
10.77.0.2
Addresses or networks
10.77.0.11 10.77.0.12
Name of this cluster
-
Kind of the directory
posix
Addresses of the LDAP
$CARME_LDAP_URL
File with the authority
$CARME_LDAP_CA
DN of Carme
$CARME_LDAP_BIND_DN
(not shown
wrong
DN below which users
ou=people,$CARME_LDAP_BASE
DN below which groups
ou=groups,$CARME_LDAP_BASE
Answer again
a
Kind of the directory

Addresses of the LDAP

File with the authority

DN of Carme

(not shown
$password
DN below which users

DN below which groups

Group of the users

Group of Carme
carme-admins
A user to look up
ada
Slurm's configuration

Feature of the nodes

Addresses of slurmctld
10.77.0.1
homes

Directory on each node

Offer jobs
yes
Image for jobs
-
yes or no
yes
EOT
}
expect 'on a terminal: asks, tries, and writes the files' interactive
password_is_hidden() { ! grep -qF -e "$password" "$dir/shown"; }
expect 'on a terminal: the password is not shown' password_is_hidden
for program in backend proxy; do
  expect "carme-$program accepts the configuration of the terminal" \
    accepted "carme-$program" "$program"
done

expect_end
