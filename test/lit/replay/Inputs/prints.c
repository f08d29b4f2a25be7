// In place of an MPI library: prints which calls one rank makes, without others.
#include <mpi.h>
#include <stdio.h>

int MPI_Init(int *argc, char ***argv) {
  (void)argc, (void)argv;
  return puts("MPI_Init"), MPI_SUCCESS;
}
int MPI_Finalize(void) { return puts("MPI_Finalize"), MPI_SUCCESS; }
int MPI_Comm_rank(MPI_Comm comm, int *rank) {
  (void)comm, (void)rank;
  return puts("MPI_Comm_rank"), MPI_SUCCESS;
}
int MPI_Comm_size(MPI_Comm comm, int *size) {
  (void)comm, (void)size;
  return puts("MPI_Comm_size"), MPI_SUCCESS;
}
int MPI_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {
  (void)buf, (void)type, (void)comm, (void)request;
  return printf("MPI_Irecv %d %d %d\n", count, source, tag), MPI_SUCCESS;
}
int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  (void)buf, (void)type, (void)comm;
  return printf("MPI_Send %d %d %d\n", count, dest, tag), MPI_SUCCESS;
}
int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  (void)request, (void)status;
  return puts("MPI_Wait"), MPI_SUCCESS;
}
int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  (void)in, (void)out, (void)count, (void)type, (void)op, (void)comm;
  return puts("MPI_Allreduce"), MPI_SUCCESS;
}
int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  (void)in, (void)out, (void)count, (void)type, (void)op, (void)root, (void)comm;
  return puts("MPI_Reduce"), MPI_SUCCESS;
}
