// Communicators and groups.

#include "Recorder.h"

#define ASK(Name, Out)                                                         \
  EXPORT int MPI_Comm_##Name(MPI_Comm comm, int *Out) {                        \
    OPEN(MPI_Comm_##Name);                                                     \
    addComm(&R, "comm", comm);                                                 \
    R.Code = PMPI_Comm_##Name(comm, Out);                                      \
    addOutInt(&R, #Out, Out);                                                  \
    return closeRecord(&R);                                                    \
  }

ASK(rank, rank)
ASK(size, size)
ASK(remote_size, size)

EXPORT int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) {
  OPEN(MPI_Comm_dup);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Comm_dup(comm, newcomm);
  addCreated(&R, "newcomm", Comm, HANDLE(*newcomm));
  return closeRecord(&R);
}

EXPORT int MPI_Comm_split(MPI_Comm comm, int color, int key,
                          MPI_Comm *newcomm) {
  OPEN(MPI_Comm_split);
  addComm(&R, "comm", comm);
  addIndex(&R, "color", color);
  addInt(&R, "key", key);
  R.Code = PMPI_Comm_split(comm, color, key, newcomm);
  addCreated(&R, "newcomm", Comm, HANDLE(*newcomm));
  return closeRecord(&R);
}

EXPORT int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm) {
  OPEN(MPI_Comm_create);
  addComm(&R, "comm", comm);
  addGroup(&R, "group", group);
  R.Code = PMPI_Comm_create(comm, group, newcomm);
  addCreated(&R, "newcomm", Comm, HANDLE(*newcomm));
  return closeRecord(&R);
}

EXPORT int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag,
                                 MPI_Comm *newcomm) {
  OPEN(MPI_Comm_create_group);
  addComm(&R, "comm", comm);
  addGroup(&R, "group", group);
  addTag(&R, "tag", tag);
  R.Code = PMPI_Comm_create_group(comm, group, tag, newcomm);
  addCreated(&R, "newcomm", Comm, HANDLE(*newcomm));
  return closeRecord(&R);
}

EXPORT int MPI_Comm_free(MPI_Comm *comm) {
  OPEN(MPI_Comm_free);
  uint64_t Handle = HANDLE(*comm);
  addComm(&R, "comm", *comm);
  R.Code = PMPI_Comm_free(comm);
  forget(&R, Comm, Handle);
  return closeRecord(&R);
}

EXPORT int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader,
                                MPI_Comm peer_comm, int remote_leader, int tag,
                                MPI_Comm *newintercomm) {
  OPEN(MPI_Intercomm_create);
  bool Leads = isRoot(local_comm, local_leader);
  addComm(&R, "local_comm", local_comm);
  addRank(&R, "local_leader", local_leader);
  if (Leads) {
    addComm(&R, "peer_comm", peer_comm);
    addRank(&R, "remote_leader", remote_leader);
  } else {
    addNull(&R, "peer_comm");
    addNull(&R, "remote_leader");
  }
  addTag(&R, "tag", tag);
  R.Code = PMPI_Intercomm_create(local_comm, local_leader, peer_comm,
                                 remote_leader, tag, newintercomm);
  addCreated(&R, "newintercomm", Comm, HANDLE(*newintercomm));
  return closeRecord(&R);
}

EXPORT int MPI_Intercomm_merge(MPI_Comm intercomm, int high,
                               MPI_Comm *newintracomm) {
  OPEN(MPI_Intercomm_merge);
  addComm(&R, "intercomm", intercomm);
  addFlag(&R, "high", high);
  R.Code = PMPI_Intercomm_merge(intercomm, high, newintracomm);
  addCreated(&R, "newintracomm", Comm, HANDLE(*newintracomm));
  return closeRecord(&R);
}

// Groups ----------------------------------------------------------------------

EXPORT int MPI_Comm_group(MPI_Comm comm, MPI_Group *group) {
  OPEN(MPI_Comm_group);
  addComm(&R, "comm", comm);
  R.Code = PMPI_Comm_group(comm, group);
  addCreated(&R, "group", Group, HANDLE(*group));
  return closeRecord(&R);
}

static void addRanks(Record *R, const char *Name, const int *Ranks, int Count) {
  addName(R, Name);
  append(&R->Arguments, "[");
  for (int I = 0; I < Count; ++I) {
    append(&R->Arguments, "%s", I ? "," : "");
    appendRank(&R->Arguments, Ranks[I]);
  }
  append(&R->Arguments, "]");
}

#define SUBSET(Name)                                                           \
  EXPORT int MPI_Group_##Name(MPI_Group group, int n, const int ranks[],       \
                              MPI_Group *newgroup) {                           \
    OPEN(MPI_Group_##Name);                                                    \
    addGroup(&R, "group", group);                                              \
    addInt(&R, "n", n);                                                        \
    addRanks(&R, "ranks", ranks, n);                                           \
    R.Code = PMPI_Group_##Name(group, n, ranks, newgroup);                     \
    addCreated(&R, "newgroup", Group, HANDLE(*newgroup));                      \
    return closeRecord(&R);                                                    \
  }

SUBSET(incl)
SUBSET(excl)

EXPORT int MPI_Group_union(MPI_Group group1, MPI_Group group2,
                           MPI_Group *newgroup) {
  OPEN(MPI_Group_union);
  addGroup(&R, "group1", group1);
  addGroup(&R, "group2", group2);
  R.Code = PMPI_Group_union(group1, group2, newgroup);
  addCreated(&R, "newgroup", Group, HANDLE(*newgroup));
  return closeRecord(&R);
}

EXPORT int MPI_Group_free(MPI_Group *group) {
  OPEN(MPI_Group_free);
  uint64_t Handle = HANDLE(*group);
  addGroup(&R, "group", *group);
  R.Code = PMPI_Group_free(group);
  forget(&R, Group, Handle);
  return closeRecord(&R);
}
