// late LIBRARY: has no MPI until it loads one, where only it can see it, and
// plugin.so, which uses it.
#include <dlfcn.h>
#include <stdio.h>

int main(int Argc, char **Argv) {
  void *Mpi = Argc > 1 ? dlopen(Argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
  void *Plugin = Mpi ? dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL) : 0;
  void (*Go)(void) = Plugin ? (void (*)(void))dlsym(Plugin, "go") : 0;
  if (!Go) {
    puts(dlerror());
    return 1;
  }
  Go();
  return 0;
}
