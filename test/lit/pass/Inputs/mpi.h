/* As much of MPI as CheckRuntime.cpp has. */
#ifdef __cplusplus
extern "C" {
#endif
int MPI_Init(int *, char ***);
int MPI_Finalize(void);
int MPI_Send(int);
int MPI_Recv(int);
void check_report(void);
#ifdef __cplusplus
}
#endif
