# Releases from npm, each pinned by version and integrity in lock/NAME.

# npm_fetch DIR NAME: the release of NAME that lock/NAME names, in DIR/package.
# Fails if its digest is another.
npm_fetch() {
  local dir=$1 name=$2 version integrity found
  read -r version integrity < "$here/lock/$name"
  export npm_config_cache=$dir/npm npm_config_audit=false \
    npm_config_fund=false npm_config_update_notifier=false
  mkdir -p "$dir"
  (cd "$dir" && npm pack --silent "$name@$version" > /dev/null)
  found=sha512-$(openssl dgst -sha512 -binary "$dir/$name-$version.tgz" |
    base64 -w 0)
  [ "$found" = "$integrity" ] ||
    fail "$name $version is $found: expected $integrity"
  tar -xzf "$dir/$name-$version.tgz" -C "$dir" --no-same-owner
}

# npm_install DIR TREE: npm and npx in TREE. Debian's package depends on hundreds
# of others; npm's release contains its dependencies. The image is read-only, so
# `npm install --global` installs into the user's ~/.local.
npm_install() {
  local dir=$1 tree=$2 modules=usr/lib/node_modules
  npm_fetch "$dir" npm
  rm -rf "$dir/package/docs"
  # shellcheck disable=SC2016 # npm expands it
  printf '%s\n' 'prefix=${HOME}/.local' 'update-notifier=false' \
    > "$dir/package/npmrc"
  chmod -R u+rwX,go+rX,go-w "$dir/package"
  chmod 755 "$dir"/package/bin/np[mx]-cli.js
  find "$dir/package" -exec touch -h -d "@$epoch" {} +
  mkdir -p "$tree/$modules"
  mv "$dir/package" "$tree/$modules/npm"
  ln -s "../lib/node_modules/npm/bin/npm-cli.js" "$tree/usr/bin/npm"
  ln -s "../lib/node_modules/npm/bin/npx-cli.js" "$tree/usr/bin/npx"
}
