#!/bin/sh
# Remake wasi-shim.js from the npm package that it comes from. Needs Node; nobody else does.
# The hash of what comes out must be the one in wasi-shim.js.sha256.
set -e
here=$(cd "$(dirname "$0")" && pwd) work=$(mktemp -d)
cd "$work"
npm pack --silent @bjorn3/browser_wasi_shim@0.4.2
tar xzf bjorn3-browser_wasi_shim-0.4.2.tgz
echo 'export { WASI, WASIProcExit, File, Directory, PreopenDirectory, ConsoleStdout } from "./package/dist/index.js";' > entry.js
npx --yes esbuild@0.25.12 entry.js --bundle --minify --format=iife --global-name=shim --outfile="$here/wasi-shim.js"
cp package/LICENSE-MIT "$here/LICENSE-MIT"
cp package/LICENSE-APACHE "$here/LICENSE-APACHE"
cd "$here" && sha256sum --check wasi-shim.js.sha256
