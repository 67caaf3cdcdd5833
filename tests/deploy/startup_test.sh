#!/usr/bin/env bash
# startup_test.sh PROXY FRONTEND BACKEND AGENT: on a host that is configured
# halfway, each program ends at start with one line that has the remedy.
set -uo pipefail
config=$(realpath "$(dirname "$0")/../../deploy/config")
declare -A program=([proxy]=$1 [frontend]=$2 [backend]=$3 [agent]=$4)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
broken=0
as_user=()
if [ "$(id -u)" = 0 ]; then
  as_user=(setpriv '--reuid=nobody' '--regid=nogroup' --clear-groups)
fi

result() {
  if [ "$1" = 0 ]; then
    echo "ok: $2"
  else
    echo "NOT: $2"
    broken=1
  fi
}

# issue NAME DAYS: a certificate of the authority, with its key.
issue() {
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -subj "/CN=$1" -keyout "$work/$1.key" -out "$work/$1.csr" 2> /dev/null
  openssl x509 -req -in "$work/$1.csr" -CA "$work/ca.pem" \
    -CAkey "$work/ca.key" -CAcreateserial -days "$2" -out "$work/$1.pem" \
    2> /dev/null
  chmod 0600 "$work/$1.key"
}

# configure PROGRAM: its file of deploy/config, with the paths of this test.
configure() {
  sed -e "s|\"/etc/carme/[a-z/-]*ca\.pem\"|\"$work/ca.pem\"|" \
    -e "s|\"/etc/carme/[a-z/-]*crl\.pem\"|\"$work/crl.pem\"|" \
    -e "s|\"/etc/carme/ldap-password\"|\"$work/password\"|" \
    -e "s|\"/etc/carme/[a-z/]*\.pem\"|\"$work/own.pem\"|" \
    -e "s|\"/etc/carme/[a-z/]*\.key\"|\"$work/own.key\"|" \
    -e "s|\"/var/lib/carme[a-z-]*\"|\"$work/state\"|" \
    -e 's|^\(metrics_listen\) = .*|\1 = ""|' \
    -e 's|^listen = .*|listen = "127.0.0.1:0"|' \
    "$config/$1.toml" > "$work/$1.toml"
  if [ "$1" = frontend ]; then
    sed -i "1i web_root = \"$work/web\"" "$work/frontend.toml"
  fi
}

# expect PROGRAM CODE PATTERN: how it ends, and its only line.
expect() {
  local output code
  output=$(cd / && SLURM_JOB_ID=1 timeout 30 "${as_user[@]}" \
    "$work/carme-$1" --config "$work/$1.toml" 2>&1 < /dev/null)
  code=$?
  [ "$code" = "$2" ] && [ "$(grep -c "^carme-$1: " <<< "$output")" = 1 ] &&
    grep -q "^carme-$1: .*$3" <<< "$output"
  result $? "carme-$1 ends with $2: $output"
}

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
  -subj /CN=site -keyout "$work/ca.key" -out "$work/ca.pem" 2> /dev/null
issue own 2
# OpenSSL 3.5 makes no certificate that has expired.
# shellcheck disable=SC2016 # expanded by the loader
LD_PRELOAD='/usr/$LIB/faketime/libfaketime.so.1' FAKETIME=-3d issue old 1
mkdir "$work/state" "$work/web"
echo '<!doctype html>' > "$work/web/index.html"
echo secret > "$work/password"
chmod 0755 "$work"
chmod 0700 "$work/state"
chmod 0600 "$work/password"
for name in "${!program[@]}"; do
  cp "${program[$name]}" "$work/carme-$name"
  configure "$name"
done
sed -i 's/^client_crl/#&/' "$work/backend.toml"
own=("$work/own.key" "$work/state" "$work/password")
if [ "${#as_user[@]}" != 0 ]; then chown nobody "${own[@]}"; fi

for name in proxy frontend backend agent; do
  cp "$work/$name.toml" "$work/configured.toml"
  sed -i '1i configured = false' "$work/$name.toml"
  expect "$name" 78 'not configured: set the keys of this file'
  mv "$work/configured.toml" "$work/$name.toml"
done

mv "$work/ca.pem" "$work/hidden.pem"
for name in proxy frontend backend; do
  expect "$name" 1 'ca\.pem": No such file.*: copy it there'
done
expect agent 1 'ca\.pem": No such file.*: copy ca\.pem of the site'
mv "$work/hidden.pem" "$work/ca.pem"

chmod 0644 "$work/own.key"
for name in proxy frontend backend; do
  expect "$name" 1 'own\.key" has mode 644: .*: chmod g-w,o= '
done
chmod 0600 "$work/own.key"

if [ "${#as_user[@]}" != 0 ]; then
  chown root "$work/own.key"
  for name in proxy frontend backend; do
    expect "$name" 1 'own\.key" belongs to uid 0 .*: chown [0-9]* '
  done
  chown nobody "$work/own.key"
fi

cp -p "$work/own.pem" "$work/new.pem"
cp -p "$work/own.key" "$work/new.key"
cat "$work/old.pem" > "$work/own.pem"
cat "$work/old.key" > "$work/own.key"
for name in frontend backend; do
  expect "$name" 1 'own\.pem" expired on .* UTC: renew it'
done
# The proxy serves saved routes.
"${as_user[@]}" "$work/carme-proxy" --config "$work/proxy.toml" \
  > "$work/log" 2>&1 < /dev/null &
proxy=$!
for _ in $(seq 100); do
  grep -qs 'expired of=proxy .*remedy="renew it' "$work/log" && break
  sleep 0.1
done
grep -q 'serving' "$work/log" &&
  grep -q 'expired of=proxy .*remedy="renew it' "$work/log"
result $? "carme-proxy serves with an expired certificate: $(cat "$work/log")"
kill "$proxy"
wait "$proxy"
exit "$broken"
