# The site's certificate authority and what it issues: P-256, for 30 days.

# authority_create DIR: ca.pem and ca.key.
authority_create() {
  mkdir -p "$1" && chmod 700 "$1"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -days 30 -subj '/CN=Carme private cluster site CA' \
    -addext basicConstraints=critical,CA:TRUE,pathlen:0 \
    -addext keyUsage=critical,keyCertSign,cRLSign \
    -keyout "$1/ca.key" -out "$1/ca.pem" 2> "$1/openssl.log" ||
    fail "openssl made no site CA: $(tail -n 1 "$1/openssl.log")"
}

# certificate_issue DIR NAME SUBJECT-ALT-NAMES: NAME.pem and NAME.key.
certificate_issue() {
  local extensions
  extensions=$(printf '%s\n' "subjectAltName=$3" \
    basicConstraints=critical,CA:FALSE keyUsage=critical,digitalSignature \
    extendedKeyUsage=serverAuth,clientAuth)
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
    -subj "/CN=$2" -keyout "$1/$2.key" -out "$1/$2.csr" \
    2> "$1/openssl.log" &&
    openssl x509 -req -in "$1/$2.csr" -CA "$1/ca.pem" -CAkey "$1/ca.key" \
      -CAcreateserial -days 30 -out "$1/$2.pem" \
      -extfile <(echo "$extensions") 2> "$1/openssl.log" ||
    fail "openssl issued no \"$2\": $(tail -n 1 "$1/openssl.log")"
  rm -f "$1/$2.csr"
}
