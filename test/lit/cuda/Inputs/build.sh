# build.sh PROGRAM.c MPICC: the stand-ins for CUDA's libraries, and in the current folder ./dynamic, which finds the
# runtime as a shared library, and ./static, which has it in itself and finds the driver only.
set -e
here=$(dirname "$0")
cc -w -g -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so.1 "$here/driver.c"
cc -w -g -shared -fPIC -Wl,-soname,libcudart.so.12 -Wl,--version-script="$here/runtime.map" -o libcudart.so.12 "$here/runtime.c" -ldl
$2 -w -g -o dynamic "$here/$1" ./libcudart.so.12 -Wl,-rpath,"$PWD" -pthread -ldl
$2 -w -g -o static "$here/$1" "$here/runtime.c" -pthread -ldl
