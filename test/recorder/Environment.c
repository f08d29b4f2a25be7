// Startup, end, and what a program asks about where it runs.

#include "Recorder.h"

static const NamedInt ThreadLevels[] = {
    NAMED(MPI_THREAD_SINGLE), NAMED(MPI_THREAD_FUNNELED),
    NAMED(MPI_THREAD_SERIALIZED), NAMED(MPI_THREAD_MULTIPLE)};

static void addArguments(Record *R, int *Count, char ***Strings) {
  if (Count)
    addInt(R, "argc", *Count);
  else
    addNull(R, "argc");
  if (!Strings || !*Strings) {
    addNull(R, "argv");
    return;
  }
  addName(R, "argv");
  append(&R->Arguments, "[");
  for (char **S = *Strings; *S; ++S) {
    append(&R->Arguments, "%s", S == *Strings ? "" : ",");
    appendQuoted(&R->Arguments, *S);
  }
  append(&R->Arguments, "]");
}

EXPORT int MPI_Init(int *argc, char ***argv) {
  OPEN(MPI_Init);
  R.Code = PMPI_Init(argc, argv);
  knowWorldRank();
  addArguments(&R, argc, argv);
  return closeRecord(&R);
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required,
                           int *provided) {
  OPEN(MPI_Init_thread);
  R.Code = PMPI_Init_thread(argc, argv, required, provided);
  knowWorldRank();
  addArguments(&R, argc, argv);
  addNamed(&R, "required", required, ThreadLevels, COUNT(ThreadLevels));
  addNamed(&R, "provided", *provided, ThreadLevels, COUNT(ThreadLevels));
  return closeRecord(&R);
}

EXPORT int MPI_Finalize(void) {
  OPEN(MPI_Finalize);
  R.Code = PMPI_Finalize();
  return closeRecord(&R);
}

EXPORT int MPI_Get_version(int *version, int *subversion) {
  OPEN(MPI_Get_version);
  R.Code = PMPI_Get_version(version, subversion);
  addOutInt(&R, "version", version);
  addOutInt(&R, "subversion", subversion);
  return closeRecord(&R);
}

EXPORT int MPI_Get_processor_name(char *name, int *resultlen) {
  OPEN(MPI_Get_processor_name);
  R.Code = PMPI_Get_processor_name(name, resultlen);
  addString(&R, "name", R.Code == MPI_SUCCESS ? name : NULL);
  addOutInt(&R, "resultlen", resultlen);
  return closeRecord(&R);
}

EXPORT int MPI_Info_create(MPI_Info *info) {
  OPEN(MPI_Info_create);
  R.Code = PMPI_Info_create(info);
  addCreated(&R, "info", Info, HANDLE(*info));
  return closeRecord(&R);
}

EXPORT int MPI_Info_set(MPI_Info info, const char *key, const char *value) {
  OPEN(MPI_Info_set);
  addInfo(&R, "info", info);
  addString(&R, "key", key);
  addString(&R, "value", value);
  R.Code = PMPI_Info_set(info, key, value);
  return closeRecord(&R);
}

EXPORT int MPI_Info_free(MPI_Info *info) {
  OPEN(MPI_Info_free);
  uint64_t Handle = HANDLE(*info);
  addInfo(&R, "info", *info);
  R.Code = PMPI_Info_free(info);
  forget(&R, Info, Handle);
  return closeRecord(&R);
}
