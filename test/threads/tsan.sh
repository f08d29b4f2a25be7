#!/bin/bash
# The runtime under ThreadSanitizer, with programs whose threads call MPI.
#
#   cmake --preset tsan && cmake --build --preset tsan --target pilgrim_runtime pilgrim-test-yield
#   test/threads/tsan.sh [BUILD [PILGRIM-CXX]]
#
# With an installed pilgrim-cxx a program that it built, too: the threads' structure.
# MPI libraries are not built for it: what they do among themselves is left out (tsan.supp). Ends with 0 if no race was found.
set -euo pipefail
Source=$(cd "$(dirname "$0")/../.." && pwd)
Build=$(cd "${1:-$Source/build/tsan}" && pwd)
Mpicc=$(command -v mpicxx.mpich || command -v mpicxx)
Mpiexec=$(command -v mpiexec.mpich || command -v mpiexec)
Out=$(mktemp -d)
trap 'rm -rf "$Out"' EXIT
"$Mpicc" -w -O1 -g -pthread -fsanitize=thread -o "$Out/threads" "$Source/test/lit/threads/Inputs/threads.cpp"
Programs=(threads)
if [ $# -gt 1 ]; then
  "$2" -w -O1 -g -pthread -o "$Out/built" "$Source/test/lit/threads/Inputs/threads.cpp"
  Programs+=(built)
fi
Preload=$(g++ -print-file-name=libtsan.so):$Build/lib/libpilgrim.so:$Build/lib/libpilgrim-test-yield.so
# UCX looks for changes of mappings in a way that sanitizers do not stand.
export UCX_MEM_MMAP_HOOK_MODE=none TSAN_OPTIONS="suppressions=$Source/test/threads/tsan.supp exitcode=66 history_size=4 ${TSAN_OPTIONS:-}"
Bad=0
for Program in "${Programs[@]}"; do for Options in "VERIFY=off" "VERIFY=strict" "CALLSTACK=5"; do
  for Run in "order 200" "random 500" "hammer 300" "uneven 300" "ended 100" "first 10" "late 20000"; do
    Code=0
    # shellcheck disable=SC2086
    (cd "$Out" && "$Mpiexec" -n 2 -genv LD_PRELOAD "$Preload" -genv "PILGRIM_${Options%=*}" "${Options#*=}" -genv LD_LIBRARY_PATH "$Build/lib" -genv PILGRIM_OUTPUT t.pilgrim \
      "./$Program" $Run) \
      > "$Out/log" 2>&1 || Code=$?
    Races=$(grep -c 'WARNING: ThreadSanitizer' "$Out/log" || true)
    echo "$Program $Run, $Options: exit code $Code, $Races races"
    if [ "$Code" != 0 ] || [ "$Races" != 0 ] || ! grep -q 'signatures' "$Out/log"; then
      cat "$Out/log"
      Bad=1
    fi
  done
done; done
exit $Bad
