# code-server from npm: its release names every dependency with its digest
# (npm-shrinkwrap.json), and lock/code-server the release. No script of a
# package runs; what must be compiled is compiled in a Debian 13 tree without
# network.

# code_server_fetch DIR: the release and its dependencies, in DIR/package.
code_server_fetch() {
  local dir=$1 place
  npm_fetch "$dir" code-server
  for place in . lib/vscode lib/vscode/extensions; do
    (cd "$dir/package/$place" && npm ci --omit=dev --ignore-scripts --legacy-peer-deps)
  done
}

# code_server_compile TREE: the native modules of TREE/build.
code_server_compile() {
  nice unshare --net chroot "$1" env -i HOME=/tmp JOBS="$(nproc)" \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -e << 'END'
cd /build/lib/vscode/node_modules
for module in node-pty @vscode/spdlog kerberos native-watchdog; do
  (cd "$module" && node-gyp rebuild --nodedir=/usr)
done
cd /build/node_modules/argon2
node-gyp rebuild --nodedir=/usr -- -Dmodule_name=argon2 \
  -Dmodule_path=lib/binding/napi-v3 -Dnapi_build_version=3
END
}

# code_server_finish DIR: what its own install script would do, and what only
# the compiler needed goes.
code_server_finish() {
  local dir=$1
  (
    cd "$dir/lib/vscode"
    ln -sn node_modules node_modules.asar
    ln -s code-linux.sh bin/remote-cli/code-server
    ln -s browser-linux.sh bin/helpers/browser.sh
    mkdir -p node_modules/@vscode/ripgrep/bin
    ln -s /usr/bin/rg node_modules/@vscode/ripgrep/bin/rg
    rm -rf node_modules/@parcel/watcher-linux-*-musl
  )
  find "$dir" -path '*/build/Release/*' -not -name '*.node' -type f -delete
  find "$dir" \( -name obj.target -o -name .deps \) -path '*/build/*' \
    -prune -exec rm -rf {} +
  find "$dir" -path '*/node_modules/*/build/*' \
    \( -name Makefile -o -name '*.mk' -o -name config.gypi \) -delete
  chmod -R u+rwX,go+rX,go-w "$dir"
  find "$dir" -exec touch -h -d "@$epoch" {} +
}

# code_server_make DIR: code-server as the image has it, in DIR/code-server.
code_server_make() {
  local dir=$1
  code_server_fetch "$dir"
  tree_make "$dir/tree" "$here/code-server/packages.txt" \
    "$here/lock/code-server-tools"
  mv "$dir/package" "$dir/tree/build"
  code_server_compile "$dir/tree"
  mv "$dir/tree/build" "$dir/code-server"
  code_server_finish "$dir/code-server"
}
