# SPDX-License-Identifier: Apache-2.0
# Sourced by the comparisons: what they install, fetch and build. Wants `root` and `build`.

onnxruntime_version=1.30.0
packages=(cmake ninja-build g++ libxsimd-dev nlohmann-json3-dev libbenchmark-dev libdnnl-dev libopenblas-dev
          libopenblas0-openmp python3-torch python3-numpy python3-matplotlib npm)

say() { printf '\n== %s\n' "$*" >&2; }

install_packages() {
  local missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' && continue
    [[ $package == npm ]] && command -v npm >/dev/null && continue
    missing+=("$package")
  done
  ((${#missing[@]} == 0)) && return
  say "installing ${missing[*]}"
  local sudo=()
  ((EUID == 0)) || sudo=(sudo)
  "${sudo[@]}" apt-get update -q
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# The npm package of ONNX Runtime carries the same prebuilt library as its other packages.
fetch_onnxruntime() {
  [[ -n ${LFFN_ONNXRUNTIME:-} ]] && return
  local folder=$build/onnxruntime-$onnxruntime_version machine=x64
  [[ $(uname -m) == aarch64 ]] && machine=arm64
  if [[ ! -d $folder/node_modules ]]; then
    say "fetching ONNX Runtime $onnxruntime_version"
    mkdir -p "$folder"
    npm install --silent --ignore-scripts --no-save --prefix "$folder" "onnxruntime-node@$onnxruntime_version"
  fi
  LFFN_ONNXRUNTIME=$(find "$folder" -path "*/linux/$machine/libonnxruntime.so.1")
  export LFFN_ONNXRUNTIME
}

# Debian's Python has Debian's PyTorch; another python3 may come first in PATH.
find_python() {
  for python in "${LFFN_PYTHON:-}" python3 /usr/bin/python3; do
    if [[ -n $python ]] && "$python" -c 'import torch, numpy, matplotlib' 2>/dev/null; then
      export LFFN_PYTHON=$python
      return
    fi
  done
  echo "no python3 here imports torch, numpy and matplotlib" >&2
  exit 1
}

# Every engine chooses its own kernels: a setting in the environment may name older ones.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE ONEDNN_MAX_CPU_ISA DNNL_MAX_CPU_ISA

configure() {
  say "building"
  # The compiler whose OpenMP oneDNN and OpenBLAS use too: one pool of threads for all of them.
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ \
        -DLFFN_BENCHMARKS=ON -DLFFN_TESTS=OFF -DLFFN_TOOLS=OFF -DLFFN_EXAMPLES=OFF -DLFFN_BINDINGS=OFF >/dev/null
}

# The library as it was at a revision; sets before_library.
build_before() {
  local sources=$build/before/sources
  say "building the library of $1"
  rm -rf "$sources"
  mkdir -p "$sources"
  git -C "$root" archive "$1" | tar -x -C "$sources"
  cmake -S "$sources" -B "$build/before/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ \
        -DLFFN_TESTS=OFF -DLFFN_TOOLS=OFF -DLFFN_EXAMPLES=OFF -DLFFN_BINDINGS=OFF >/dev/null
  cmake --build "$build/before/build" --target lookupffn -j 2 -- --quiet
  before_library=$build/before/build/src/liblookupffn.so
}
