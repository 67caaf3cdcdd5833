# deploy/demo code NAME: prints the user's current code, as an authenticator app
# would.

demo_code() {
  local secret
  demo_required
  secret=$(awk -v name="${1:-}" '$1 == name { print $2 }' "$dir/totp")
  [ -n "$secret" ] ||
    fail "no user \"${1:-}\": there are $(cut -d' ' -f1 "$dir/totp" | xargs)"
  oathtool --totp --base32 - <<< "$secret"
}
