// What the parts of EveryCall share. Each makes the calls of one chapter, with
// arguments that differ between ranks and from round to round.

#ifndef PILGRIM_TEST_RECORDER_EVERYCALL_H
#define PILGRIM_TEST_RECORDER_EVERYCALL_H

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Rounds = 5, MaxRanks = 64, Block = 8 };

extern int Rank, Size;

void pointToPoint(MPI_Comm C);
void completion(MPI_Comm C);
void persistent(MPI_Comm C);
void collectives(MPI_Comm C, int Round);
void neighbors(void);
void communicators(void);
void datatypes(void);
void oneSided(void);
void files(const char *Path);

#endif
