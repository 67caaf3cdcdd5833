# The users' first log-in, through the real portal: each gets a second factor.

# call METHOD JSON: the answer's JSON on standard output.
call() {
  curl --silent --show-error --max-time 10 --cacert "$dir/ca.pem" \
    --resolve "carme.localhost:$(cat "$dir/port"):127.0.0.1" \
    --header 'Content-Type: application/json' \
    --header "Origin: $(portal_origin)" --data "$2" \
    --cookie-jar /dev/null "$(portal_origin)/carme.v1.AuthService/$1"
}

enrol_all() {
  local name role password
  : > "$dir/totp"
  chmod 600 "$dir/totp"
  while read -r name _ role password; do
    [ "$role" = outsider ] || [ "$role" = service ] ||
      enrol "$name" "$password"
  done < "$dir/users"
}

# A code works once. The code of the previous step is accepted, so the user can
# still use the current one.
enrol() {
  local answer challenge secret code
  answer=$(call Login "$(jq -n --arg username "$1" --arg password "$2" \
    '{$username, $password}')")
  secret=$(jq -r '.enrolment.secret // empty' <<< "$answer")
  challenge=$(jq -r '.challenge // empty' <<< "$answer")
  [ -n "$secret" ] && [ -n "$challenge" ] ||
    fail "no enrolment for $1: $answer"
  # If a step of 30 s ends in between, the code is too old.
  while [ $((EPOCHSECONDS % 30)) -ge 20 ]; do sleep 0.2; done
  code=$(oathtool --totp --base32 --now='30 seconds ago' - <<< "$secret")
  answer=$(call VerifyFactor "$(jq -n --arg challenge "$challenge" \
    --arg totp "$code" '{$challenge, $totp}')")
  jq -e .session <<< "$answer" > /dev/null ||
    fail "$1's second factor was refused: $answer"
  echo "$1 $secret" >> "$dir/totp"
}
