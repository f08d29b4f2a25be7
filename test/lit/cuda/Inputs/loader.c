// Loads the plugin.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
  int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "run") : 0;
  if (!run) {
    printf("%s\n", dlerror());
    return 1;
  }
  run();
  MPI_Finalize();
  return 0;
}
