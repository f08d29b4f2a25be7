#include <mpi.h>

#ifdef __cplusplus
extern "C"
#endif
void exchange(int Rounds, void (*Each)(int, void *), void *Data);
