/* What random programs (test/pass/random_program.py) call is a fake MPI of calls with one number. Here these calls are
   MPI's: messages to the process itself, some of whose parameters keep changing, and probes. */
#ifndef PILGRIM_TEST_REALMPI_H
#define PILGRIM_TEST_REALMPI_H

#include <mpi.h>
#include <stdio.h>

#define MPI_Send(Line)                                                                                                 \
  ({                                                                                                                   \
    static int Turn;                                                                                                   \
    int Out = (Line), In = 0;                                                                                          \
    printf("%d\n", Out);                                                                                               \
    MPI_Sendrecv(&Out, 1, MPI_INT, 0, Turn++ % 100, &In, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF,                    \
                 MPI_STATUS_IGNORE);                                                                                   \
    0;                                                                                                                 \
  })
#define MPI_Recv(Line)                                                                                                 \
  ({                                                                                                                   \
    int Flag;                                                                                                          \
    printf("-%d\n", Line);                                                                                             \
    MPI_Iprobe(MPI_ANY_SOURCE, (Line), MPI_COMM_SELF, &Flag, MPI_STATUS_IGNORE);                                       \
    0;                                                                                                                 \
  })

#endif
