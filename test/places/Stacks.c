// Notes from where each MPI function is called: it is preloaded before libpilgrim, takes a backtrace, and jumps on with the
// stack and the registers as they were, so that the tracer sees the program as its caller. What was noted is written to
// PLACES_OUTPUT.<pid> when the process ends: how often, whether in another thread than the first, function, return
// addresses in the program, innermost first; in a library that PLACES_LIBRARIES names (base names, with blanks between),
// behind its name. Calls that the library of the base name PLACES_MPI makes itself are left out.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { Deepest = 200, Places = 1 << 16, MostModules = 16 };

typedef struct {
  unsigned long Count;
  int Function, IsOther, Depth;
  uintptr_t Frames[Deepest];
} Place;

#define ENTRY(Index, Name) #Name,
static const char *const Names[] = {
#include "names.inc"
};
#undef ENTRY

void *pilgrimPlacesNext[ENTRIES] __attribute__((visibility("hidden")));
static Place *Table;
typedef struct {
  uintptr_t Base, End;
  char Name[256]; // the program's is empty
} Module;
static Module Modules[MostModules];
static int NumModules;
static pthread_mutex_t Lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int Inside;
static void *Mpi; // where the library that PLACES_MPI names begins

static int isNamed(const char *Name) {
  const char *Names = getenv("PLACES_LIBRARIES");
  const size_t Length = strlen(Name);
  for (const char *At = Names; At && Length && (At = strstr(At, Name)); ++At)
    if ((At == Names || At[-1] == ' ') && (!At[Length] || At[Length] == ' '))
      return 1;
  return 0;
}

static int findModule(struct dl_phdr_info *Info, size_t Size, void *Data) {
  const char *Slash = strrchr(Info->dlpi_name, '/'), *Name = Slash ? Slash + 1 : Info->dlpi_name;
  if (getenv("PLACES_MPI") && !strcmp(Name, getenv("PLACES_MPI")))
    Mpi = (void *)Info->dlpi_addr;
  if (NumModules == MostModules || (NumModules && !isNamed(Name))) // the program is the first
    return 0;
  Module *M = &Modules[NumModules];
  M->Base = Info->dlpi_addr;
  snprintf(M->Name, sizeof M->Name, "%s", NumModules++ ? Name : "");
  for (int I = 0; I < Info->dlpi_phnum; ++I)
    if (Info->dlpi_phdr[I].p_type == PT_LOAD) {
      const uintptr_t To = M->Base + Info->dlpi_phdr[I].p_vaddr + Info->dlpi_phdr[I].p_memsz;
      M->End = To > M->End ? To : M->End;
    }
  return 0;
}

static const Module *moduleOf(uintptr_t Address) {
  for (const Module *M = Modules; M < Modules + NumModules; ++M)
    if (Address >= M->Base && Address < M->End)
      return M;
  return NULL;
}

// Whether MPI calls itself, as its I/O does.
static int isMpisOwn(void **Raw, int Number) {
  Dl_info Info;
  const void *Own = dladdr((void *)isMpisOwn, &Info) ? Info.dli_fbase : NULL;
  for (int I = 0; I < Number; ++I)
    if (dladdr(Raw[I], &Info) && Info.dli_fbase != Own)
      return Mpi && Info.dli_fbase == Mpi;
  return 0;
}

// Called by the entries; returns where to go on.
__attribute__((visibility("hidden"))) void *pilgrimPlacesNote(int Function) {
  if (!pilgrimPlacesNext[Function])
    pilgrimPlacesNext[Function] = dlsym(RTLD_NEXT, Names[Function]);
  if (Inside || !Table)
    return pilgrimPlacesNext[Function];
  Inside = 1;
  void *Raw[Deepest + 8];
  const int Number = backtrace(Raw, Deepest + 8);
  if (isMpisOwn(Raw, Number)) {
    Inside = 0;
    return pilgrimPlacesNext[Function];
  }
  Place P = {1, Function, getpid() != syscall(SYS_gettid), 0, {0}};
  uint64_t Hash = Function * 2 + P.IsOther;
  for (int I = 0; I < Number && P.Depth < Deepest; ++I) {
    const uintptr_t A = (uintptr_t)Raw[I];
    if (!moduleOf(A))
      continue; // another library's
    P.Frames[P.Depth++] = A;
    Hash = (Hash ^ A) * 0x9e3779b97f4a7c15u;
  }
  pthread_mutex_lock(&Lock);
  for (size_t At = (Hash >> 32) % Places;; At = (At + 1) % Places) {
    Place *There = &Table[At];
    if (!There->Count) {
      *There = P;
      break;
    }
    if (There->Function == P.Function && There->IsOther == P.IsOther && There->Depth == P.Depth && !memcmp(There->Frames, P.Frames, sizeof P.Frames)) {
      ++There->Count;
      break;
    }
  }
  pthread_mutex_unlock(&Lock);
  Inside = 0;
  return pilgrimPlacesNext[Function];
}

__attribute__((constructor)) static void begin(void) {
  if (!getenv("PLACES_OUTPUT"))
    return;
  dl_iterate_phdr(findModule, NULL);
  void *Raw[4];
  backtrace(Raw, 4); // it loads a library the first time
  Table = calloc(Places, sizeof *Table);
}

__attribute__((destructor)) static void end(void) {
  char Name[4096];
  size_t Used = 0;
  for (size_t I = 0; Table && I < Places; ++I)
    Used += Table[I].Count != 0;
  if (!Used)
    return;
  snprintf(Name, sizeof Name, "%s.%d", getenv("PLACES_OUTPUT"), getpid());
  FILE *File = fopen(Name, "w");
  for (size_t I = 0; File && I < Places; ++I)
    if (Table[I].Count) {
      fprintf(File, "%lu %d %s", Table[I].Count, Table[I].IsOther, Names[Table[I].Function]);
      for (int F = 0; F < Table[I].Depth; ++F) {
        const Module *M = moduleOf(Table[I].Frames[F]);
        fprintf(File, " %s:%lx", M->Name, (unsigned long)(Table[I].Frames[F] - M->Base));
      }
      fputc('\n', File);
    }
  if (File)
    fclose(File);
}

// All registers that may hold arguments, and the stack's alignment, are kept.
#define ENTRY(Index, Name)                                                                                             \
  __asm__(".text\n.globl " #Name "\n.type " #Name ", @function\n" #Name ":\n"                                         \
          "push %rbp\n.cfi_startproc\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\nmov %rsp, %rbp\n"                \
          ".cfi_def_cfa_register %rbp\n"                                                                               \
          "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %rax\nsub $136, %rsp\n"               \
          "movups %xmm0, (%rsp)\nmovups %xmm1, 16(%rsp)\nmovups %xmm2, 32(%rsp)\nmovups %xmm3, 48(%rsp)\n"            \
          "mov $" #Index ", %edi\ncall pilgrimPlacesNote\nmov %rax, %r11\n"                                            \
          "movups (%rsp), %xmm0\nmovups 16(%rsp), %xmm1\nmovups 32(%rsp), %xmm2\nmovups 48(%rsp), %xmm3\n"            \
          "add $136, %rsp\npop %rax\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\npop %rbp\n"            \
          ".cfi_def_cfa %rsp, 8\njmp *%r11\n.cfi_endproc\n.size " #Name ", .-" #Name "\n");
#include "names.inc"
